/** Two small runs with everything in them that a report has to show, and with text that would like to be HTML. */
import { judgeRun } from '../../judge.ts';
import { lexicalJudge } from '../../judges/lexical.ts';
import { type RunRecords, readRun } from '../../run.ts';
import type { Case, Summary } from '../../schema.ts';
import { summarise } from '../../summary.ts';
import { passage, type Reply, refuse, say } from '../../testing/fake-service.ts';
import { answeredRun, makeCase } from '../../testing/fixtures.ts';

/** Sets `pwned` on the window wherever a browser reads it as HTML, as an attribute or as the end of a script or style. */
export const ATTACK =
  `"'><img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload=window.pwned=1>` +
  '</script></style></details></textarea><!--${window.pwned=1}`${window.pwned=1}`';

const BODY = passage('docs/server.md', `The limit of a body is 1 MiB.\nIt is set by bodyLimit. ${ATTACK}`);
const LOGS = passage(`docs/${ATTACK}.md`, 'Logging is off by default. A stream may be given.');
const QUOTE = { text: 'The limit of a body is 1 MiB.', start: 0, end: 29, score: 1 };

export const CASES: Case[] = [
  makeCase({
    id: 'limit',
    question: `How large may a body be? ${ATTACK}`,
    files: ['docs/server.md'],
    key_facts: [{ any: ['1 MiB', ATTACK], vital: true }],
    note: ATTACK,
    tags: [ATTACK],
    lang: ATTACK,
  }),
  makeCase({
    id: 'logging',
    split: 'test',
    question: 'Is logging on?',
    files: ['docs/logging.md'],
    key_facts: [{ any: ['off by default'], vital: true }],
  }),
  makeCase({ id: 'refused', question: 'What is refused wrongly?', files: ['docs/server.md'] }),
  makeCase({ id: 'nothing', kind: 'unanswerable', question: 'What is nowhere?', files: [], key_facts: [] }),
  makeCase({ id: 'weather', kind: 'off_topic', split: 'test', question: 'Will it rain?', files: [], key_facts: [] }),
  makeCase({ id: 'broken', question: 'What breaks?', files: ['docs/server.md'] }),
];

export interface Loaded {
  run: RunRecords;
  summary: Summary;
}

export function loadBase(): Promise<Loaded> {
  return load((question) => {
    if (question.includes('How large')) {
      return say(`The limit of a body is 1 MiB. [1] Penguins live far in the south. [1][7] ${ATTACK}`, [BODY, LOGS], {
        citations: [1],
        invalid_citations: [7],
        evidence: [{ sentence: QUOTE.text, start: 0, end: 29, citations: [{ n: 1, quote: QUOTE }] }],
      });
    }
    if (question.includes('logging')) return say('Logging is on. [2]', [BODY, LOGS], { citations: [2] });
    if (question.includes('rain')) return say('It will rain.', [BODY]);
    if (question.includes('breaks')) return failure();
    const [sources, token, done] = refuse();
    if (sources === undefined || token === undefined || done?.event !== 'done') throw new Error('no refusal');
    return [sources, token, { event: 'done', data: { ...done.data, nearest: [BODY] } }];
  });
}

/** The same but for one answer that became better and one that became worse. */
export function loadChanged(): Promise<Loaded> {
  return load((question) => {
    if (question.includes('How large')) return refuse();
    if (question.includes('logging')) return say('Logging is off by default. [2]', [BODY, LOGS], { citations: [2] });
    if (question.includes('rain')) return say('It will rain.', [BODY]);
    return question.includes('breaks') ? failure() : refuse();
  });
}

async function load(reply: Reply): Promise<Loaded> {
  const dir = await answeredRun(reply, CASES);
  await judgeRun({ dir, judge: lexicalJudge(), signal: new AbortController().signal });
  const run = readRun(dir);
  return { run, summary: summarise(run) };
}

function failure(): ReturnType<Reply> {
  const data = { stage: 'generation', code: 'timeout', message: `No token. ${ATTACK}`, partial: ATTACK, trace_id: 't' };
  return { raw: `event: error\ndata: ${JSON.stringify(data)}\n\n` };
}
