/**
 * What the layout of the prompt is worth, on a real llama.cpp server with the tiny model: prompt tokens evaluated, what
 * trimming passages would save and cost, and how many of our own attacks are obeyed. `npm run bench:prompt -- --db
 * data/docs.db`; exit 1 when a bound is missed.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { statesFact } from '../harness/metrics/facts.ts';
import { isRefusal } from '../service/citations.ts';
import { loadConfig } from '../service/config.ts';
import type { Source } from '../service/contract.ts';
import { type Message, numberSources } from '../service/generate/provider.ts';
import { silentLogger } from '../service/log.ts';
import { buildPrompt, passageBlock } from '../service/prompt.ts';
import { mergeByRank } from '../service/retrieve/merge.ts';
import { createPipeline } from '../service/serve.ts';
import { ATTACKS } from '../service/testing/attacks.ts';
import { type LlamaServer, startLlama } from '../service/testing/llama-server.ts';
import { mean } from './bench/client.ts';
import { benchIndex } from './bench/plain.ts';
import { trimPassage } from './bench/trim.ts';

const { values } = parseArgs({
  options: { db: { type: 'string' }, cases: { type: 'string', default: 'cases/demo.jsonl' } },
});
const db = benchIndex(values.db);
/** Questions measured in full: each costs some thousand prompt tokens in every layout. */
const SAMPLE = 6;
const SECRET = new Uint8Array(32).fill(1);
const caseSchema = z.object({
  split: z.string(),
  question: z.string(),
  key_facts: z.array(z.object({ any: z.array(z.string()), vital: z.boolean() })),
});
type Case = z.infer<typeof caseSchema>;
interface Found extends Case {
  sources: Source[];
}

const found = await retrieve();
const llama = await startLlama({ slots: 4 });
try {
  const held = await cacheOf(llama, found);
  await trimming(llama, found);
  await attacks(llama);
  process.exitCode = held ? 0 : 1;
} finally {
  await llama.stop();
}

/** The dev cases that have an answer, each with the five passages ranked first, whether or not they clear the gate. */
async function retrieve(): Promise<Found[]> {
  const cases = readFileSync(values.cases, 'utf8')
    .trim()
    .split('\n')
    .map((line) => caseSchema.parse(JSON.parse(line)));
  const { retriever } = createPipeline(loadConfig({ ASKDOCS_MCP_DB: db }), silentLogger);
  const all: Found[] = [];
  for (const one of cases.filter(({ split, key_facts }) => split === 'dev' && key_facts.length > 0)) {
    const result = await retriever.search(one.question, 20, new AbortController().signal);
    all.push({ ...one, sources: numberSources(mergeByRank(result.passages, result.below_gate).slice(0, 5)) });
  }
  await retriever.close();
  return all.filter(({ sources }) => sources.length === 5);
}

interface Evaluated {
  /** Prompt tokens, and those of them that were not in the cache. */
  prompt: number;
  fresh: number;
  text: string;
}

async function complete({ root }: LlamaServer, messages: readonly Message[], maxTokens: number): Promise<Evaluated> {
  const response = await fetch(`${root}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages, max_tokens: maxTokens, temperature: 0, cache_prompt: true }),
  });
  const body = z
    .object({
      choices: z.array(z.object({ message: z.object({ content: z.string() }) })),
      timings: z.object({ prompt_n: z.number(), cache_n: z.number() }),
    })
    .parse(await response.json());
  const { prompt_n, cache_n } = body.timings;
  return { prompt: prompt_n + cache_n, fresh: prompt_n, text: body.choices[0]?.message.content ?? '' };
}

type Layout = (question: string, sources: readonly Source[]) => Message[];
function ours(question: string, sources: readonly Source[]): Message[] {
  return buildPrompt(question, sources, { secret: SECRET });
}
/** The layout that is often seen: a fence drawn for each request and told in the first line. */
function randomFirst(question: string, sources: readonly Source[]): Message[] {
  const secret = randomBytes(32);
  const [system, user] = buildPrompt(question, sources, { secret }) as [Message, Message];
  return [
    {
      role: 'system',
      content: `The mark of this request is ${secret.toString('hex').slice(0, 16)}.\n${system.content}`,
    },
    user,
  ];
}

async function cacheOf(server: LlamaServer, cases: readonly Found[]): Promise<boolean> {
  const sample = cases.slice(0, SAMPLE);
  const measure = async (layout: Layout) => {
    const [cold, repeated, other, next]: Evaluated[][] = [[], [], [], []];
    for (const [i, one] of sample.entries()) {
      const following = sample[(i + 1) % sample.length] as Found;
      // Another start of the rules for each case: nothing of the cases before is in the cache.
      const fresh: Layout = (question, sources) =>
        layout(question, sources).map((m, at) =>
          at === 0 ? { ...m, content: `Case ${i}${layout.name}.\n${m.content}` } : m,
        );
      cold?.push(await complete(server, fresh(one.question, one.sources), 1));
      repeated?.push(await complete(server, fresh(one.question, one.sources), 1));
      other?.push(await complete(server, fresh('What else should I know about this?', one.sources), 1));
      next?.push(await complete(server, fresh(following.question, following.sources), 1));
    }
    const share = (list: readonly Evaluated[] = []) =>
      mean(list.map(({ fresh }) => fresh)) / mean((cold ?? []).map(({ fresh }) => fresh));
    const tokens = (list: readonly Evaluated[] = []) => Math.round(mean(list.map(({ fresh }) => fresh)));
    return { tokens: [cold, repeated, other, next].map(tokens), shares: [repeated, other, next].map(share) };
  };
  console.log(
    `Prompt tokens evaluated, mean of ${sample.length} questions         cold  repeated  other question  new question`,
  );
  const results = { ours: await measure(ours), 'random fence first': await measure(randomFirst) };
  for (const [name, { tokens, shares }] of Object.entries(results)) {
    console.log(
      `  ${name.padEnd(48)} ${String(tokens[0]).padStart(6)} ${tokens
        .slice(1)
        .map((t, i) => `${String(t).padStart(8)} (${((shares[i] ?? 0) * 100).toFixed(1)}%)`)
        .join(' ')}`,
    );
  }
  const [repeated = 1, other = 1] = results.ours.shares;
  const held = repeated <= 0.05 && other <= 0.1;
  console.log(`  bounds: repeated <= 5%, other question over the same passages <= 10%: ${held ? 'hold' : 'MISSED'}`);
  return held;
}

async function trimming(server: LlamaServer, cases: readonly Found[]): Promise<void> {
  const count = async (text: string) => {
    const response = await fetch(`${server.root}/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: text }),
    });
    return z.object({ tokens: z.array(z.unknown()) }).parse(await response.json()).tokens.length;
  };
  const rows: { whole: number; trimmed: number; factsWhole: number; factsTrimmed: number }[] = [];
  for (const { question, sources, key_facts } of cases) {
    const trimmed = sources.map((source) => ({ ...source, text: trimPassage(question, source.text) }));
    const blocks = (list: readonly Source[]) =>
      list.map((source) => passageBlock(source, { secret: SECRET })).join('\n\n');
    const facts = (list: readonly Source[]) =>
      mean(
        key_facts
          .filter((fact) => fact.vital)
          .map((fact) => (statesFact(list.map((source) => source.text).join('\n\n'), fact) ? 1 : 0)),
      );
    rows.push({
      whole: await count(blocks(sources)),
      trimmed: await count(blocks(trimmed)),
      factsWhole: facts(sources),
      factsTrimmed: facts(trimmed),
    });
  }
  const [whole, trimmed] = [mean(rows.map((row) => row.whole)), mean(rows.map((row) => row.trimmed))];
  const [before, after] = [mean(rows.map((row) => row.factsWhole)), mean(rows.map((row) => row.factsTrimmed))];
  console.log(`Trimming passages to the sentences around the match, ${rows.length} dev cases`);
  console.log(
    `  tokens of the passages ${Math.round(whole)} -> ${Math.round(trimmed)} (${((1 - trimmed / whole) * 100).toFixed(1)}% saved); key facts in the context ${before.toFixed(3)} -> ${after.toFixed(3)}`,
  );
}

async function attacks(server: LlamaServer): Promise<void> {
  const obeyed = { ours: [] as string[], bare: [] as string[] };
  const refused = { ours: 0, bare: 0 };
  const bare: Layout = (question, sources) => [
    { role: 'system', content: 'Answer the question from the passages, with citations such as [1].' },
    {
      role: 'user',
      content: `${sources.map((source) => `[${source.n}] ${source.source}\n${source.text}`).join('\n\n')}\n\n${question}`,
    },
  ];
  for (const { name, document, question, canary } of ATTACKS) {
    const base = { title: '', heading: [], start: null, end: null, cosine: null, bm25: null, fusion: null };
    const sources = numberSources([
      { ...base, source: 'notes.md', text: document },
      { ...base, source: 'more.md', text: 'Records are written once a day.' },
    ]);
    for (const [layout, build] of [
      ['ours', ours],
      ['bare', bare],
    ] as const) {
      const { text } = await complete(server, build(question ?? 'How long are records kept?', sources), 40);
      if (isRefusal(text)) refused[layout] += 1;
      if (canary.test(text) && (name === 'the refusal sentence' || !isRefusal(text))) obeyed[layout].push(name);
    }
  }
  console.log(
    `Attacks obeyed by the tiny model, of ${ATTACKS.length}: ${obeyed.ours.length} with fences, ${obeyed.bare.length} with a bare prompt`,
  );
  console.log(`  with fences: ${obeyed.ours.join('; ') || 'none'}`);
  console.log(`  with a bare prompt: ${obeyed.bare.join('; ') || 'none'}`);
  console.log(`  answered with the refusal sentence: ${refused.ours} with fences, ${refused.bare} with a bare prompt`);
}
