import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../../contract.ts';
import { SERVER } from '../../testing/fixtures.ts';
import { parseAddress } from './address.ts';
import { openEngine } from './client.ts';

const closers: (() => void)[] = [];
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
beforeAll(() => void process.on('unhandledRejection', onRejection));
afterAll(() => void process.off('unhandledRejection', onRejection));
afterEach(() => {
  for (const close of closers.splice(0)) close();
  expect(rejections.splice(0)).toEqual([]);
});

/** One request to whatever stands at the address: how it failed, and after how long. */
async function failureAt(db: string): Promise<{ error: CodedError; ms: number }> {
  const engine = await openEngine(parseAddress(db));
  closers.push(engine.close);
  const started = performance.now();
  const error = await engine
    .run((client) => client.showCollections())
    .then(
      () => new CodedError('internal', 'it did not fail'),
      (failure: CodedError) => failure,
    );
  return { error, ms: performance.now() - started };
}

/** An engine that answers every request with one status of gRPC, and keeps what it was sent. */
async function engineThatSays(status: number, message: string, tls?: { key: Buffer; cert: Buffer }) {
  const seen: IncomingHttpHeaders[] = [];
  const server: Http2Server = tls === undefined ? createServer() : createSecureServer(tls);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('secureConnection', (socket: Socket) => sockets.add(socket));
  server.on('stream', (stream, headers) => {
    seen.push(headers);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': message },
      { endStream: true },
    );
  });
  const port = await listening(server);
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, seen };
}

async function listening(server: Http2Server | Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('an engine that', () => {
  it('is not there: a sentence, at once, and no rejection that ends the process', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const { error, ms } = await failureAt(`milvus://127.0.0.1:${port}/docs`);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: `The engine of milvus://127.0.0.1:${port}/docs cannot be reached; check the address, and that it runs.`,
    });
    expect(ms).toBeLessThan(6_000);
  });

  it('takes the connection and says nothing: given up within a bound', async () => {
    const sockets: Socket[] = [];
    const port = await listening(createTcpServer((socket) => sockets.push(socket)));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    const { error, ms } = await failureAt(`milvus://127.0.0.1:${port}/docs`);
    expect(error).toMatchObject({ code: 'timeout', message: /did not answer within 5 s/ });
    expect(ms).toBeLessThan(9_000);
  });

  it.each([
    [16, 'unauthenticated', 'bad_config', /refuses the user, password or token/],
    [7, 'denied', 'bad_config', /refuses the user, password or token/],
    [
      8,
      'quota exceeded[reason=disk quota exceeded]',
      'unavailable',
      /is full or over its limit: .*disk quota exceeded/,
    ],
    [14, 'node offline', 'unavailable', /cannot be reached/],
    [13, 'a bug', 'unavailable', /failed: 13 INTERNAL: a bug/],
  ])('answers with status %i (%s)', async (status, message, code, sentence) => {
    const { port } = await engineThatSays(status, message);
    expect((await failureAt(`milvus://127.0.0.1:${port}/docs`)).error).toMatchObject({ code, message: sentence });
  });
});

describe('user, password and token', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'askdocs-tls-'));
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      ...subject,
      ...files,
    ]);
    expect(made.status).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['alice:s%3Acret@', 'alice:s:cret'],
    [':t0ken@', 't0ken'],
  ])('%s reaches the engine over TLS, and no message', async (given, sent) => {
    const tls = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'ca.pem')) };
    const { port, seen } = await engineThatSays(16, 'no', tls);
    const { error } = await failureAt(`milvuss://${given}127.0.0.1:${port}/docs?ca=${join(folder, 'ca.pem')}`);
    expect(Buffer.from(String(seen[0]?.authorization), 'base64').toString()).toBe(sent);
    expect(error.code).toBe('bad_config');
    expect(error.message).not.toMatch(/alice|cret|t0ken/);
  });

  it('a certificate of somebody else is not accepted', async () => {
    const tls = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'ca.pem')) };
    const { port, seen } = await engineThatSays(0, '', tls);
    const { error } = await failureAt(`milvuss://:t0ken@127.0.0.1:${port}/docs`);
    expect(error.code).toMatch(/unavailable|timeout/);
    expect(seen).toEqual([]);
  });

  it('are not in what the search server says when it cannot use them', async () => {
    const { port } = await engineThatSays(16, 'no');
    const { stderr } = spawnSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), SERVER, '--db', `milvus://127.0.0.1:${port}/1st`],
      { env: { ASKDOCS_EMBED_MODEL: 'none', ASKDOCS_SEARCH_TOKEN: 'alice:hush' }, encoding: 'utf8', input: '' },
    );
    expect(stderr).toMatch(/names the collection "1st"/);
    expect(stderr).not.toMatch(/alice|hush/);
  });
});

it('says which package is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-peer-'));
  const hooks = join(folder, 'hooks.mjs');
  writeFileSync(
    hooks,
    `export async function resolve(name, context, next) {
       if (name.startsWith('@zilliz/')) throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
       return next(name, context);
     }`,
  );
  const register = join(folder, 'register.mjs');
  writeFileSync(register, `import { register } from 'node:module'; register(${JSON.stringify(`file://${hooks}`)});`);
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--import', register, SERVER, '--db', 'milvus://127.0.0.1:1/docs'],
    { env: { ASKDOCS_EMBED_MODEL: 'none' }, encoding: 'utf8', input: '' },
  );
  rmSync(folder, { recursive: true });
  expect(stderr).toMatch(/needs the package @zilliz\/milvus2-sdk-node; install it with npm install/);
  expect(status).toBe(1);
});
