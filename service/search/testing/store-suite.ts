/** What every store keeps to: one suite, run over SQLite and over Milvus. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexPaths, indexRecords } from '../ingest/index.ts';
import { type Mode, openStore, type SearchOptions, type Store } from '../store.ts';
import { writeMeta } from '../stores/open.ts';
import { DOCS, type Folder, fakeEmbedder, tempFolder } from './fixtures.ts';
import type { Place } from './place.ts';

/** `open` gives a place that can keep indexes. */
export function describeStore(name: string, open: () => Promise<Place>): void {
  describe(`a store in ${name}`, () => {
    let folder: Folder;
    let place: Place;
    let main: string;
    const embedder = fakeEmbedder();
    const ask = async (query: string, options: Partial<SearchOptions> = {}, db = main) => {
      const store = await openStore(db, { embedder });
      const found = await store.search({ query, k: 5, gate: false, ...options });
      store.close();
      return found;
    };

    beforeAll(async () => {
      folder = tempFolder(DOCS);
      place = await open();
      main = place.fresh();
      await indexPaths({ roots: [folder.docs], db: main, embedder });
    });
    afterAll(async () => {
      await place.close();
      folder.remove();
    });

    describe('hybrid search', () => {
      it('scores each passage by both halves, whichever found it', async () => {
        const { passages, mode } = await ask('secrets such as passwords');
        expect(mode).toBe('hybrid');
        expect(passages[0]).toMatchObject({ source: 'logging.md', fusion: expect.closeTo(1, 5) });
        for (const passage of passages) expect(passage.cosine).toBeGreaterThan(-1);
        expect(passages.map(({ fusion }) => fusion)).toEqual(
          [...passages.map(({ fusion }) => fusion!)].sort((a, b) => b - a),
        );
      });

      it('finds by meaning what shares no word, and leaves that half out when asked to', async () => {
        expect((await ask('hide', { mode: 'dense' })).passages.length).toBe(3);
        expect(await ask('hide', { mode: 'lexical' })).toMatchObject({
          mode: 'lexical',
          passages: [{ source: 'logging.md', cosine: null }],
        });
      });

      it('returns up to a thousand passages for an evaluation', async () => {
        const db = place.fresh();
        const records = Array.from({ length: 1200 }, (_, at) => ({
          id: `d${at}`,
          title: '',
          text: `wombat number ${at}`,
        }));
        await indexRecords({ db, records, embedder });
        expect((await ask('wombat', { k: 1000 }, db)).passages).toHaveLength(1000);
      });

      it('returns the same text once only', async () => {
        const db = place.fresh();
        await indexRecords({
          db,
          embedder,
          records: ['a', 'b', 'c'].map((id) => ({
            id,
            title: '',
            text: id === 'c' ? 'kiwis fly' : 'kiwis  do not fly',
          })),
        });
        expect((await ask('kiwis', {}, db)).passages).toHaveLength(2);
      });

      it('embeds a passage longer than the window in pieces, and the best piece counts', async () => {
        const db = place.fresh();
        const small = { ...embedder, pieces: (text: string) => text.match(/.{1,60}(?:\s|$)/gs) ?? [text] };
        await indexRecords({
          db,
          embedder: small,
          records: [{ id: 'long', title: '', text: `${'padding words here. '.repeat(20)} the needle stands alone` }],
        });
        const { passages } = await ask('needle stands alone', { mode: 'dense' }, db);
        expect(passages[0]?.cosine).toBeGreaterThan(0.5);
      });
    });

    describe('the gate', () => {
      const strong = 'the maximum payload in bytes that the server accepts';
      it.each([
        [undefined, strong, true],
        [undefined, 'orchids in winter', false],
        [-1, 'orchids in winter', true],
        [0.99, strong, false],
      ])('with CRAG_MIN_COSINE %s, %j passes: %s', async (minCosine, query, through) => {
        const store = await openStore(main, { embedder, minCosine });
        const { passages, below_gate, note } = await store.search({ query, k: 3 });
        store.close();
        expect(passages.length > 0).toBe(through);
        expect(below_gate.length > 0).toBe(!through);
        expect(note === null).toBe(through);
      });

      it('uses the threshold that calibration left in the index', async () => {
        await writeMeta(main, { gate_sum: '1.99' });
        await place.settle();
        const store = await openStore(main, { embedder });
        expect((await store.search({ query: strong, k: 3 })).passages).toEqual([]);
        expect((await store.stats()).gate).toBe('cosine + coverage >= 1.99 (calibrated)');
        store.close();
        await indexPaths({ roots: [folder.docs], db: main, embedder, rebuild: true });
        const rebuilt = await openStore(main, { embedder });
        expect((await rebuilt.stats()).gate).toBe('cosine + coverage >= 0.75 (default)');
        rebuilt.close();
      });
    });

    describe('the fingerprint', () => {
      it.each([
        [
          'another model of the same dimensions',
          fakeEmbedder({ seed: 2, name: 'other' }),
          /made with the embedder fake \(64 dimensions\), the settings name other/,
        ],
        ['other files under the same name', fakeEmbedder({ seed: 2 }), /with other files or prefixes/],
        [
          'another model behind the same name and settings',
          fakeEmbedder({ seed: 2, fingerprint: 'fake:1' }),
          /another model under the same name/,
        ],
      ])('catches %s, and names the command that rebuilds', async (_, other, sentence) => {
        await expect(openStore(main, { embedder: other })).rejects.toThrow(sentence);
        await expect(openStore(main, { embedder: other })).rejects.toThrow(/askdocs index PATH --db .* --rebuild/);
        await expect(indexPaths({ roots: [folder.docs], db: main, embedder: other })).rejects.toThrow(sentence);
      });

      it('catches another version of chunker or tokenizer', async () => {
        const db = place.fresh();
        await indexRecords({ db, records: [{ id: 'a', title: '', text: 'words' }] });
        await writeMeta(db, { chunker: '0' });
        await place.settle();
        await expect(openStore(db)).rejects.toThrow(/made by chunker version 0, this is version 1\. Rebuild it/);
      });

      it('without an embedder search goes by words alone and says so; indexing is refused', async () => {
        const store = await openStore(main, { embedder: null, note: 'None here.' });
        expect(await store.stats()).toMatchObject({ mode: 'lexical', dim: '0', note: 'None here.' });
        expect((await store.search({ query: 'redact passwords', k: 3 })).mode).toBe('lexical');
        store.close();
        await expect(indexPaths({ roots: [folder.docs], db: main })).rejects.toThrow(
          /has vectors of fake, and there is no embedder now/,
        );
      });

      it('a rebuild with another embedder is seen by a running server, which refuses', async () => {
        const db = place.fresh();
        const records = [{ id: 'a', title: '', text: 'some words' }];
        await indexRecords({ db, records, embedder });
        const store = await openStore(db, { embedder });
        await indexRecords({ db, records, embedder: fakeEmbedder({ seed: 2, name: 'other' }), rebuild: true });
        await place.settle();
        await expect(store.search({ query: 'words', k: 1 })).rejects.toMatchObject({ code: 'bad_config' });
        store.close();
      });
    });

    describe('words', () => {
      const TEXTS = {
        zh: '服务器的默认请求体大小限制是一兆字节。超过限制的请求会被拒绝。',
        ja: 'サーバーは既定で七十二秒間、待機中の接続を維持します。',
        ko: '로그 파일은 매일 자정에 새 파일로 교체됩니다.',
        accents: 'Le délai dépassé est signalé au café.',
        wide: 'ＵＴＦ－８ は既定の文字コードです。',
        code: 'Set `keepAliveTimeout` or pass `--max-old-space-size=4096`; it throws ERR_INVALID_ARG_TYPE and calls http.createServer().',
      };
      let store: Store;
      const find = (query: string, mode?: Mode) => store.search({ query, k: 5, gate: false, mode });
      beforeAll(async () => {
        const db = place.fresh();
        await indexRecords({
          db,
          embedder,
          records: Object.entries(TEXTS).map(([id, text]) => ({ id, title: '', text })),
        });
        store = await openStore(db, { embedder });
      });
      afterAll(() => store.close());

      it.each([
        ['请求体的大小限制是多少？', 'zh'],
        ['接続はどのくらい維持されますか', 'ja'],
        ['로그 파일은 언제 교체되나요', 'ko'],
        ['DELAI DEPASSE', 'accents'],
        ['cafe\u0301', 'accents'],
        ['utf-8', 'wide'],
        ['ｋｅｅｐＡｌｉｖｅＴｉｍｅｏｕｔ', 'code'],
        ['keepAliveTimeout', 'code'],
        ['keepalivetimeout', 'code'],
        ['keep alive timeout', 'code'],
        ['KEEP_ALIVE_TIMEOUT', 'code'],
        ['--max-old-space-size', 'code'],
        ['old space size', 'code'],
        ['ERR_INVALID_ARG_TYPE', 'code'],
        ['invalid arg', 'code'],
        ['createServer', 'code'],
      ])('%s finds %s, with the model and without', async (query, id) => {
        expect((await find(query, 'lexical')).passages[0]?.source).toBe(id);
        expect((await find(query)).passages[0]?.source).toBe(id);
      });

      it('leaves an English embedder out of questions in other scripts', async () => {
        expect(await find('请求体的大小限制是多少？')).toMatchObject({ mode: 'lexical', note: null });
      });
    });
  });
}
