/** `askdocs init DOCS`: what an evaluation of one's own documents starts from, and what to do next. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineCommand } from 'citty';
import { DEFAULT_MARGINS, type GateConfig } from '../../harness/gate/config.ts';
import { CodedError } from '../../service/contract.ts';
import { type Draft, draftCases } from '../init/drafts.ts';

const CASES = 'cases/own.jsonl';
const GATE = 'gate.json';
const BASELINE = 'results/baseline';

export const initCommand = defineCommand({
  meta: {
    name: 'init',
    description: `Start an evaluation of your own documents: writes ${CASES}, to be filled in, and ${GATE}. Overwrites nothing.`,
  },
  args: {
    docs: { type: 'positional', required: true, description: 'Folder of the documents', valueHint: 'DOCS' },
  },
  run({ args }) {
    const taken = [CASES, GATE].filter((path) => existsSync(path));
    if (taken.length > 0) {
      throw new CodedError(
        'bad_input',
        `${taken.join(' and ')} ${taken.length > 1 ? 'exist' : 'exists'} already in ${process.cwd()}, and init overwrites nothing; start in another folder, or move what is there.`,
      );
    }
    const drafts = draftCases(args.docs);
    write(CASES, drafts.map((draft) => `${JSON.stringify(draft)}\n`).join(''));
    write(GATE, `${JSON.stringify(gateFile(), null, 2)}\n`);
    process.stdout.write(nextSteps(drafts, args.docs));
    return 0;
  },
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // `wx`: what appeared meanwhile is not overwritten either.
  writeFileSync(path, text, { flag: 'wx' });
}

/** Floors come from a recorded run, never from here. */
function gateFile(): GateConfig {
  return { v: 1, cases: CASES, baselines: [{ run: BASELINE, floors: [] }], margins: DEFAULT_MARGINS, noise: {} };
}

function nextSteps(drafts: readonly Draft[], docs: string): string {
  const answerable = drafts.filter(({ kind }) => kind === 'factual').length;
  const corpus = /^[\w./-]+$/.test(docs) ? docs : `'${docs.replaceAll("'", `'\\''`)}'`;
  return `Wrote ${CASES} with ${drafts.length} cases to fill in, and ${GATE}, which names the run that will be the baseline.

1. Fill in ${CASES}: ${answerable} lines name a file and show a passage ("note"). Write the question as a user would put it, and as
   "key_facts" what a right answer must state, copied from the file. The last ${drafts.length - answerable} lines are for questions to be refused: the
   question alone. Delete the lines you do not want, add others. Nothing is filled in for you: labels that nobody
   thought about measure nothing. Rather at a terminal, passage by passage: delete the file, then
     npx askdocs cases new ${CASES} --corpus ${corpus}
2. See what is still missing or wrong:
     npx askdocs cases check ${CASES} --corpus ${corpus}
3. Index the documents, record the baseline, set floors from it:
     npx askdocs index ${corpus}
     npx askdocs eval all --cases ${CASES} --out ${BASELINE}
     npx askdocs gate floors --write
4. Commit ${CASES}, ${GATE} and ${BASELINE}; in CI, without a model and in about a second:
     npx askdocs gate check
`;
}
