/** `askdocs calibrate`: chooses the evidence gate for one index from labelled cases. */
import { styleText } from 'node:util';
import { defineCommand } from 'citty';
import { loadCases } from '../../harness/cases.ts';
import type { Case } from '../../harness/schema.ts';
import { wilson } from '../../harness/stats/wilson.ts';
import { CodedError } from '../../service/contract.ts';
import { embedSettings, openEmbedder } from '../../service/search/embed/open.ts';
import { strengthOf } from '../../service/search/gate.ts';
import { writeGate } from '../../service/search/gate-setting.ts';
import { openStore, type Store } from '../../service/search/store.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

/** With fewer of either kind one question moves the rates by more than five points. */
const FEW = 20;

export const calibrateCommand = defineCommand({
  meta: {
    name: 'calibrate',
    description:
      'Choose how much evidence a question needs in this index, from cases that say which questions the documents answer. The choice is kept in the index.',
  },
  args: {
    cases: { type: 'string', description: 'Labelled cases (JSONL)', required: true, valueHint: 'FILE' },
    db: { type: 'string', description: 'The index', default: 'data/docs.db', valueHint: 'FILE' },
    split: {
      type: 'string',
      description: 'Which cases to choose on: dev, test or all',
      default: 'dev',
      valueHint: 'SPLIT',
    },
    'max-wrong-refusals': {
      type: 'string',
      description: 'Largest acceptable share of answerable questions refused',
      default: '0.02',
      valueHint: 'SHARE',
    },
    'dry-run': { type: 'boolean', description: 'Show the curve and change nothing', default: false },
    format: formatArg,
  },
  async run({ args }) {
    const limit = shareOf(args['max-wrong-refusals']);
    const cases = loadCases(args.cases).filter(({ split }) => args.split === 'all' || split === args.split);
    const { embedder, note } = await openEmbedder(embedSettings(process.env));
    const store = await openStore(args.db, { embedder, note });
    const measured = await measure(store, cases).finally(() => store.close());
    const curve = curveOf(measured);
    const chosen = choose(curve, limit);
    const warnings = warningsOf(measured);
    if (!args['dry-run']) writeGate(args.db, measured.mode, chosen.threshold);
    if (args.format === 'json') printJson({ mode: measured.mode, chosen, curve, warnings, written: !args['dry-run'] });
    else print({ ...measured, chosen, curve, warnings, written: args['dry-run'] ? undefined : args.db });
  },
});

export interface Measured {
  mode: 'lexical' | 'hybrid';
  /** Strength of evidence of each question the documents answer, and of each they do not. */
  answerable: number[];
  off: number[];
}

export interface Point {
  threshold: number;
  wrongRefusals: Rate;
  wronglyAnswered: Rate;
}

interface Rate {
  share: number;
  low: number;
  high: number;
}

/** Every threshold from 0 to 2 in steps of .05: what it would refuse wrongly, and let through wrongly. */
export function curveOf({ answerable, off }: Measured): Point[] {
  return Array.from({ length: 31 }, (_, step) => {
    const threshold = Number((step * 0.05).toFixed(2));
    return {
      threshold,
      wrongRefusals: rateOf(answerable, (strength) => strength < threshold),
      wronglyAnswered: rateOf(off, (strength) => strength >= threshold),
    };
  });
}

/** The highest threshold that refuses no more answerable questions than allowed. */
export function choose(curve: Point[], limit: number): Point {
  const [first] = curve;
  if (first === undefined) throw new CodedError('internal', 'The curve has no points.');
  return curve.filter(({ wrongRefusals }) => wrongRefusals.share <= limit).at(-1) ?? first;
}

async function measure(store: Store, cases: Case[]): Promise<Measured> {
  const progress = createProgress();
  const measured: Measured = { mode: store.stats().mode === 'hybrid' ? 'hybrid' : 'lexical', answerable: [], off: [] };
  for (const [at, { question, files }] of cases.entries()) {
    progress.update(at, cases.length, 'questions');
    const { evidence } = await store.search({ query: question, k: 10, gate: false });
    // A question in a script the embedder does not know has another gate; it is no measure of this one.
    if (measured.mode === 'hybrid' && evidence.cosine === null) continue;
    measured[files.length > 0 ? 'answerable' : 'off'].push(strengthOf(evidence));
  }
  progress.end();
  if (measured.answerable.length === 0 || measured.off.length === 0) {
    throw new CodedError(
      'bad_input',
      'The cases must hold questions the documents answer (with files) and questions they do not (files: []).',
    );
  }
  return measured;
}

function warningsOf({ answerable, off }: Measured): string[] {
  const few = ([list, what]: [number[], string]) =>
    list.length < FEW
      ? [`Only ${list.length} ${what} questions: with fewer than ${FEW} the rates are not reliable.`]
      : [];
  return [...few([answerable, 'answerable']), ...few([off, 'unanswerable'])];
}

function rateOf(list: number[], is: (strength: number) => boolean): Rate {
  const count = list.filter(is).length;
  const { low, high } = wilson(count, list.length);
  return { share: count / list.length, low, high };
}

function print(
  result: Measured & { chosen: Point; curve: Point[]; warnings: string[]; written: string | undefined },
): void {
  const { mode, answerable, off, chosen, curve, warnings, written } = result;
  const percent = ({ share, low, high }: Rate) =>
    `${(100 * share).toFixed(0).padStart(3)}% (${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}%)`;
  console.log(`${answerable.length} answerable and ${off.length} unanswerable questions, by ${mode} evidence:`);
  console.log(`${'threshold'.padEnd(11)}${'wrongly refused'.padEnd(22)}wrongly answered`);
  for (const point of curve) {
    const line = `${point.threshold.toFixed(2).padEnd(11)}${percent(point.wrongRefusals).padEnd(22)}${percent(point.wronglyAnswered)}`;
    console.log(point === chosen ? styleText('bold', `${line}  <- chosen`) : line);
  }
  for (const warning of warnings) console.error(`Warning: ${warning}`);
  console.log(
    written === undefined
      ? 'Nothing was changed.'
      : `Written into ${written}; askdocs index --rebuild returns to the default.`,
  );
}

function shareOf(given: string): number {
  const share = Number(given);
  if (given.trim() === '' || !(share >= 0 && share <= 1)) {
    throw new CodedError('bad_input', `--max-wrong-refusals takes a share from 0 to 1, not "${given}".`);
  }
  return share;
}
