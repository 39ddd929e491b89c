/** `askdocs cases`: check, write and import the questions an evaluation asks. */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineCommand } from 'citty';
import { type CaseProblem, checkCases } from '../../harness/case-check.ts';
import { type Imported, importLines, importSquad } from '../../harness/case-import.ts';
import { loadCases } from '../../harness/cases.ts';
import { corpusReader } from '../../harness/corpus.ts';
import { readText } from '../../harness/jsonl.ts';
import { type Case, KINDS, SPLITS } from '../../harness/schema.ts';
import { CodedError } from '../../service/contract.ts';
import { writeCases } from '../case-writer.ts';
import { createPrompter } from '../prompter.ts';
import { formatArg, printJson, textTable } from '../tables.ts';

const corpusArg = {
  type: 'string' as const,
  default: 'data/corpus',
  description: 'Folder of the documents; a source is a path below it',
  valueHint: 'DIR',
};

const checkCommand = defineCommand({
  meta: { name: 'check', description: 'Check cases against the documents: files, facts, duplicates, balance' },
  args: {
    file: {
      type: 'positional',
      required: false,
      default: 'cases/demo.jsonl',
      description: 'JSONL file of cases',
      valueHint: 'FILE',
    },
    corpus: corpusArg,
    format: formatArg,
  },
  run: ({ args }) => {
    const cases = loadCases(args.file);
    const problems = checkCases(cases, corpusReader(args.corpus));
    const errors = problems.filter((problem) => problem.level === 'error');
    if (args.format === 'json') printJson({ file: args.file, cases: cases.length, counts: countsOf(cases), problems });
    else printCheck(cases, problems, args.file);
    return errors.length > 0 ? 1 : 0;
  },
});

const newCommand = defineCommand({
  meta: {
    name: 'new',
    description: 'Write cases for your own documents: shows a passage, you ask and label; can be left at any time',
  },
  args: {
    file: { type: 'positional', required: true, description: 'JSONL file to add to', valueHint: 'FILE' },
    corpus: corpusArg,
    seed: { type: 'string', description: 'Shows the same passages in the same order again', valueHint: 'TEXT' },
  },
  run: async ({ args }) => {
    const prompter = createPrompter();
    try {
      const known = existsSync(args.file) ? loadCases(args.file) : [];
      const added = await writeCases({
        root: args.corpus,
        known,
        seed: args.seed ?? String(Date.now()),
        ask: prompter.ask,
        show: prompter.show,
        add: (item) => appendCase(args.file, item),
      });
      process.stderr.write(
        `${added} case(s) added to ${args.file}. Check them with askdocs cases check ${args.file} --corpus ${args.corpus}\n`,
      );
      return 0;
    } finally {
      prompter.close();
    }
  },
});

const importCommand = defineCommand({
  meta: {
    name: 'import',
    description: 'Turn SQuAD, or JSONL of {id, question, answers, gold_docs, answerable}, into cases',
  },
  args: {
    file: { type: 'positional', required: true, description: 'File to read', valueHint: 'FILE' },
    from: {
      type: 'enum',
      options: ['squad', 'jsonl'],
      description: 'Its format (default: jsonl for *.jsonl, else squad)',
    },
    out: { type: 'string', required: true, description: 'JSONL file of cases to write', valueHint: 'FILE' },
    docs: {
      type: 'string',
      description: 'Write the documents that SQuAD brings along into this folder',
      valueHint: 'DIR',
    },
  },
  run: ({ args }) => {
    const text = readText(args.file, 'the file');
    const from = args.from ?? (args.file.endsWith('.jsonl') ? 'jsonl' : 'squad');
    const imported = from === 'jsonl' ? importLines(text, args.file) : importSquad(text, args.file);
    writeImported(imported, args.out, args.docs);
    for (const skipped of imported.skipped.slice(0, 10)) process.stderr.write(`Left out ${skipped}\n`);
    process.stdout.write(`${imported.cases.length} cases in ${args.out}, ${imported.skipped.length} left out.\n`);
    return imported.cases.length > 0 ? 0 : 1;
  },
});

export const casesCommand = defineCommand({
  meta: { name: 'cases', description: 'Check, write and import the questions an evaluation asks' },
  subCommands: { check: checkCommand, new: newCommand, import: importCommand },
});

function printCheck(cases: Case[], problems: CaseProblem[], file: string): void {
  const rows = KINDS.map((kind) => [
    kind,
    ...SPLITS.map((split) => String(cases.filter((item) => item.kind === kind && item.split === split).length)),
  ]);
  process.stdout.write(`${textTable(['kind', ...SPLITS], rows)}\n`);
  for (const { level, case_id, message } of problems) {
    process.stdout.write(`${level}: ${case_id === null ? '' : `${case_id} `}${message}\n`);
  }
  const errors = problems.filter((problem) => problem.level === 'error').length;
  const rest = problems.length - errors;
  process.stdout.write(`${file}: ${cases.length} cases, ${errors} error(s), ${rest} warning(s).\n`);
}

function countsOf(cases: Case[]): Record<string, number> {
  const keys = cases.map((item) => `${item.kind}/${item.split}`);
  return Object.fromEntries(
    [...new Set(keys)].sort().map((key) => [key, keys.filter((other) => other === key).length]),
  );
}

function appendCase(file: string, item: Case): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(item)}\n`);
}

function writeImported(imported: Imported, out: string, docs: string | undefined): void {
  if (existsSync(out)) throw new CodedError('bad_input', `${out} exists already; name another file with --out`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, imported.cases.map((item) => `${JSON.stringify(item)}\n`).join(''));
  if (docs === undefined) return;
  mkdirSync(docs, { recursive: true });
  for (const [source, text] of imported.documents) writeFileSync(join(docs, source), text);
}
