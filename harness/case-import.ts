/** Cases out of other people's formats: SQuAD (1.1 and 2.0), and JSONL of `{id, question, answers, gold_docs, answerable}`. */
import { z } from 'zod';
import { CodedError } from '../service/contract.ts';
import { sha256 } from './hash.ts';
import { parseJsonl } from './jsonl.ts';
import { type Case, caseSchema } from './schema.ts';

export interface Imported {
  cases: Case[];
  /** Documents the format brings along, by source name. */
  documents: Map<string, string>;
  /** What could not be taken over, and why. */
  skipped: string[];
}

const answerSchema = z.union([z.string(), z.object({ text: z.string() }).transform((answer) => answer.text)]);

const squadSchema = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.coerce.string(),
              question: z.string(),
              answers: z.array(answerSchema).default([]),
              is_impossible: z.boolean().default(false),
            }),
          ),
        }),
      ),
    }),
  ),
});

const lineSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  answers: z.array(answerSchema).default([]),
  gold_docs: z.array(z.coerce.string()).default([]),
  answerable: z.boolean().default(true),
});

/** One document per title, `<title>.md`; its paragraphs in order. */
export function importSquad(text: string, path: string): Imported {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CodedError('bad_input', `${path} is not valid JSON`, { cause });
  }
  const parsed = squadSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new CodedError('bad_input', `${path} is not in SQuAD's format: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const imported: Imported = { cases: [], documents: new Map(), skipped: [] };
  for (const { title, paragraphs } of parsed.data.data) {
    const source = `${title.replace(/[^\p{L}\p{N}._-]+/gu, '_')}.md`;
    imported.documents.set(
      source,
      `# ${title.replaceAll('_', ' ')}\n\n${paragraphs.map((p) => p.context).join('\n\n')}\n`,
    );
    for (const { id, question, answers, is_impossible } of paragraphs.flatMap((p) => p.qas)) {
      take(imported, { id, question, answers, gold_docs: [source], answerable: !is_impossible });
    }
  }
  return imported;
}

export function importLines(text: string, path: string): Imported {
  const imported: Imported = { cases: [], documents: new Map(), skipped: [] };
  for (const { value } of parseJsonl(text, lineSchema, path)) take(imported, value);
  return imported;
}

/** The answers are wordings of one fact. A split by file: the same file is always in the same one. */
function take(imported: Imported, line: z.infer<typeof lineSchema>): void {
  const any = [...new Set(line.answers.map((answer) => answer.trim()).filter((answer) => answer !== ''))];
  const several = line.gold_docs.length > 1;
  const item = {
    id: line.id.replace(/[^\w.:-]+/g, '-'),
    kind: line.answerable ? (several ? 'multi_source' : 'factual') : 'unanswerable',
    split: Number.parseInt(sha256(line.gold_docs[0] ?? line.id).slice(0, 8), 16) % 2 === 0 ? 'dev' : 'test',
    question: line.question,
    files: line.answerable ? [...new Set(line.gold_docs)] : [],
    key_facts: line.answerable ? [{ any, vital: true }] : [],
  };
  const parsed = caseSchema.safeParse(item);
  if (parsed.success) imported.cases.push(parsed.data);
  else
    imported.skipped.push(
      `${line.id}: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`,
    );
}
