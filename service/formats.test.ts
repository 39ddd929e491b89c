/** One document as Markdown, HTML, PDF and DOCX gives the same answers through the real service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import type { AskEnvelope } from './contract.ts';
import { silentLogger } from './log.ts';
import { indexPaths } from './search/ingest/index.ts';
import { docxOf, escaped, type Part, pdfOf, typeset } from './search/testing/files.ts';
import { type Service, startService } from './serve.ts';

const PARTS: Part[] = [
  ['Title', 'Kettle controller manual'],
  ['', 'The Kettle controller is a small computer that switches industrial kettles on and off by a schedule.'],
  ['heading1', 'Installation'],
  [
    '',
    'Mount the controller on a rail in a dry cabinet. The ambient temperature must stay between 5 and 45 degrees Celsius.',
  ],
  ['', 'The supply voltage is 24 volts of direct current. A fuse of 2 amperes protects the supply line.'],
  ['heading1', 'Network'],
  ['', 'The controller takes its address by DHCP. Without an answer within 30 seconds it falls back to 192.168.7.1.'],
  ['', 'Firmware updates are fetched over HTTPS on Sundays at 03:00 local time.'],
  ['heading1', 'Sensors'],
  [
    '',
    'Up to 16 temperature sensors can be connected to one bus. The cable of the bus must not be longer than 120 metres.',
  ],
  ['', 'A broken sensor is reported as alarm code E17 on the display.'],
  [
    ['Option', 'Default', 'Meaning'],
    ['boilLimit', '98', 'degrees at which heating stops'],
    ['holdTime', '600', 'seconds that water is kept warm'],
  ],
  ['heading1', 'Maintenance'],
  [
    '',
    'Descale the kettle every 400 operating hours with citric acid. Never use vinegar, because it attacks the seals.',
  ],
  ['', 'The battery of the clock lasts about eight years and is of type CR2032.'],
];

/** A question, and what its answer has to say. */
const QUESTIONS: [string, RegExp][] = [
  ['What supply voltage does the controller need?', /24 volts/],
  ['Which fuse protects the supply line?', /2 amperes/],
  ['To which address does the controller fall back without DHCP?', /192\.168\.7\.1/],
  ['When are firmware updates fetched?', /Sundays at 03:00/],
  ['How many temperature sensors can be connected to one bus?', /16 temperature sensors/],
  ['How long may the cable of the bus be?', /120 metres/],
  ['Which alarm code reports a broken sensor?', /E17/],
  ['How often must the kettle be descaled?', /400 operating hours/],
  ['Why should vinegar never be used?', /attacks the seals/],
  ['What type is the battery of the clock?', /CR2032/],
];

const LEVELS: Record<string, number> = { Title: 1, heading1: 2 };
const isTable = (part: Part): part is string[][] => Array.isArray(part[0]);

function markdown(part: Part): string {
  if (!isTable(part)) return `${LEVELS[part[0]] ? `${'#'.repeat(LEVELS[part[0]] ?? 0)} ` : ''}${part[1]}`;
  const [head = [], ...rows] = part.map((cells) => `| ${cells.join(' | ')} |`);
  return [head, '|---|---|---|', ...rows].join('\n');
}

function html(part: Part): string {
  if (isTable(part))
    return `<table>${part.map((cells) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('')}</table>`;
  const tag = LEVELS[part[0]] ? `h${LEVELS[part[0]]}` : 'p';
  return `<${tag}>${escaped(part[1])}</${tag}>`;
}

const FORMATS: Record<string, string | Buffer> = {
  'manual.md': PARTS.map(markdown).join('\n\n'),
  'manual.html': `<!doctype html><title>x</title><nav>Home</nav><main>${PARTS.map(html).join('\n')}</main>`,
  'manual.pdf': pdfOf(typeset(PARTS)),
  'manual.docx': docxOf(PARTS),
};

let folder: string;
const services: Service[] = [];
const answers: Record<string, AskEnvelope[]> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'askdocs-formats-'));
  for (const [name, content] of Object.entries(FORMATS)) {
    writeFileSync(join(folder, name), content);
    const db = join(folder, `${name}.db`);
    await indexPaths({ roots: [join(folder, name)], db, baseUrl: 'https://docs.example' });
    const config = loadConfig({ ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: db, ASKDOCS_EMBED_MODEL: 'none' });
    const service = await startService(config, { log: silentLogger });
    services.push(service);
    answers[name] = [];
    for (const [question] of QUESTIONS) answers[name].push(await ask(service.url, question));
  }
}, 120_000);
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  rmSync(folder, { recursive: true });
});

async function ask(url: string, question: string): Promise<AskEnvelope> {
  const response = await fetch(`${url}/ask?stream=false`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
  });
  return (await response.json()) as AskEnvelope;
}

/** The answer's words, without the numbers of its sources: passages are cut a little differently. */
const wordsOf = (envelope: AskEnvelope | undefined) => envelope?.data?.answer.replace(/\s*\[\d+\]/g, '').trim();

it.each(Object.keys(FORMATS))('%s answers the ten questions', (name) => {
  QUESTIONS.forEach(([question, expected], at) => {
    expect(wordsOf(answers[name]?.[at]), question).toMatch(expected);
  });
});

it.each(Object.keys(FORMATS).slice(1))('%s gives the answers that manual.md gives', (name) => {
  expect(answers[name]?.map(wordsOf)).toEqual(answers['manual.md']?.map(wordsOf));
});

it('a citation leads to the place: line, page, or link', () => {
  const first = (name: string) => answers[name]?.[0]?.data?.sources[0];
  expect(first('manual.md')).toMatchObject({ line: expect.any(Number), url: 'https://docs.example/manual.md' });
  expect(first('manual.pdf')).toMatchObject({ page: 1, url: 'https://docs.example/manual.pdf#page=1' });
  expect(first('manual.docx')).toMatchObject({
    heading: first('manual.md')?.heading,
    url: 'https://docs.example/manual.docx',
  });
});
