/** The facts of a build: rows of a key and a text. */
import type { Engine } from './client.ts';

export interface Facts {
  /** Values of the given keys; those that are not there are left out. */
  get(keys: readonly string[], ms?: number): Promise<Map<string, string>>;
  put(values: ReadonlyMap<string, string>): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** All rows whose key begins with `prefix`, in pages. */
  all(prefix: string): AsyncGenerator<[string, string]>;
}

/** Rows of one request: their texts are a few hundred bytes each, up to 64 KB for a page of words. */
const PAGE = 500;

export function factsIn(engine: Engine, collection_name: string): Facts {
  const { run } = engine;
  return {
    async get(keys, ms) {
      if (keys.length === 0) return new Map();
      const { data } = await run(
        (client, timeout) =>
          client.query({
            collection_name,
            timeout,
            expr: `key in ${list(keys)}`,
            output_fields: ['key', 'value'],
            ...strong(engine),
          }),
        ms,
      );
      return new Map(data.map(({ key, value }) => [String(key), String(value)]));
    },
    async put(values) {
      const rows = [...values].map(([key, value]) => ({ key, value, none: [0, 0] }));
      for (let at = 0; at < rows.length; at += PAGE)
        await run((client) => client.upsert({ collection_name, data: rows.slice(at, at + PAGE) }));
    },
    async remove(keys) {
      for (let at = 0; at < keys.length; at += PAGE) {
        const some = keys.slice(at, at + PAGE);
        await run((client) => client.delete({ collection_name, filter: `key in ${list(some)}` }));
      }
    },
    async *all(prefix) {
      for await (const row of rowsOf(
        engine,
        { collection_name, expr: `key like "${prefix}%"`, output_fields: ['key', 'value'], key: 'key' },
        PAGE,
      ))
        yield [String(row.key), String(row.value)];
    },
  };
}

/** Sees everything written before; the default may lag behind by seconds. */
export const strong = ({ sdk }: Engine) => ({ consistency_level: sdk.ConsistencyLevelEnum.Strong });

export type Row = Readonly<Record<string, unknown>>;

export interface Listing {
  collection_name: string;
  expr: string;
  output_fields: string[];
  /** Primary key; a text, and one of the fields. */
  key: string;
}

/**
 * All rows that fit, by primary key, page by page. The client has an iterator; it does not ask for an order, without
 * which a page may begin beyond rows that were never returned.
 */
export async function* rowsOf(engine: Engine, { key, expr, ...query }: Listing, limit: number): AsyncGenerator<Row> {
  const params = { iterator: 'True', reduce_stop_for_best: 'True' };
  for (let last = ''; ; ) {
    const after = `(${expr}) and ${key} > ${JSON.stringify(last)}`;
    const { data } = await engine.run((client) =>
      client.query({ ...query, expr: after, limit, params, ...strong(engine) } as Parameters<typeof client.query>[0]),
    );
    const rows = (data as Row[]).sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
    yield* rows;
    if (rows.length < limit) return;
    last = String(rows.at(-1)?.[key]);
  }
}

/** A list of texts in a filter. */
export function list(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}
