/**
 * The name of an index in a Milvus engine: `milvus://[USER:PASSWORD@]HOST[:PORT]/COLLECTION`, `milvuss://` over TLS.
 * Settings in the query: `database=NAME`, and `ca=FILE` with the certificate of the authority that signed the engine's.
 */
import { CodedError } from '../../../contract.ts';

export interface Address {
  /** HOST:PORT. */
  host: string;
  tls: boolean;
  ca: string | undefined;
  database: string | undefined;
  user: string | undefined;
  /** Password of the user; without a user a token. */
  secret: string | undefined;
  /** Alias that readers follow. */
  collection: string;
  /** For people: without user, password and token. */
  name: string;
}

const SHAPE = 'milvus://HOST:PORT/COLLECTION (milvuss:// over TLS)';
const SCHEME = /^milvuss?:\/\//i;

export function isMilvus(db: string): boolean {
  return SCHEME.test(db);
}

/** What may be shown of the name of an index: no user, password or token. A path is returned as it is. */
export function shown(db: string): string {
  return isMilvus(db) ? db.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1') : db;
}

/** The same address with `token` in it, unless it names a user or token itself. For entry files: a token has no place on a command line. */
export function withToken(db: string, token: string | undefined): string {
  if (!token || !isMilvus(db) || /^[a-z]+:\/\/[^/?#]*@/i.test(db)) return db;
  const [user = '', password] = splitOnce(token, ':');
  const credentials =
    password === undefined
      ? `:${encodeURIComponent(user)}`
      : `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return db.replace(/:\/\//, `://${credentials}@`);
}

/** Throws `bad_input` with the part that is wrong; never with a secret. */
export function parseAddress(db: string): Address {
  const url = parse(db);
  const collection = decoded(url.pathname.slice(1));
  // Shorter than the engine's bound of 255: names of builds are longer.
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(collection)) throw badCollection(db, collection);
  for (const name of url.searchParams.keys()) {
    if (name !== 'database' && name !== 'ca')
      throw new CodedError('bad_input', `${shown(db)} has the setting ${name}; known are database and ca.`);
  }
  const tls = /^milvuss:/i.test(db);
  const ca = url.searchParams.get('ca') ?? undefined;
  if (ca !== undefined && !tls)
    throw new CodedError('bad_input', `${shown(db)} names a certificate; that is for milvuss://.`);
  const host = `${url.hostname}:${url.port || (/:443(?:[/?]|$)/.test(db) ? 443 : 19530)}`;
  return {
    host,
    tls,
    ca,
    database: url.searchParams.get('database') ?? undefined,
    user: decoded(url.username) || undefined,
    secret: decoded(url.password) || undefined,
    collection,
    name: `${tls ? 'milvuss' : 'milvus'}://${host}/${collection}`,
  };
}

function parse(db: string): URL {
  // As https, for the parser knows hosts and ports only of schemes of the web; 443 it would leave out.
  const text = db.replace(SCHEME, 'https://');
  if (!URL.canParse(text))
    throw new CodedError('bad_input', `${shown(db)} is not the address of an index; it must look like ${SHAPE}.`);
  return new URL(text);
}

/** As it stands where it is no encoding: then the check of what it is for says so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function badCollection(db: string, collection: string): CodedError {
  const what = collection === '' ? 'names no collection' : `names the collection ${JSON.stringify(collection)}`;
  return new CodedError(
    'bad_input',
    `${shown(db)} ${what}; it must be 1 to 200 letters, digits and underscores, as in ${SHAPE}.`,
  );
}

function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
