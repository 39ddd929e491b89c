/** Jupyter notebooks: the text cells as Markdown, the code cells as code with what they printed. */
import { z } from 'zod';
import { type Document, Unreadable } from '../document.ts';
import { fenceFor } from './builder.ts';
import { readMarkdown } from './markdown.ts';

const lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (Array.isArray(text) ? text.join('') : text));
const outputSchema = z.object({
  text: lines.optional(),
  data: z.object({ 'text/plain': lines.optional() }).optional(),
});
const cellSchema = z.object({
  cell_type: z.string(),
  source: lines.optional(),
  /** Version 3 of the format names it so. */
  input: lines.optional(),
  outputs: z.array(outputSchema.catch({})).catch([]).default([]),
});
const cells = z.array(cellSchema);
const notebookSchema = z.object({
  metadata: z
    .object({
      language_info: z.object({ name: z.string() }).optional(),
      kernelspec: z.object({ language: z.string().optional() }).optional(),
    })
    .catch({})
    .default({}),
  cells: cells.optional(),
  worksheets: z.array(z.object({ cells })).optional(),
});

/** What a cell printed is kept so far: a long table of numbers answers no question. */
const MAX_OUTPUT = 1000;

export function readNotebook(text: string): Document {
  const parsed = notebookSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw new Unreadable('is broken: no notebook of Jupyter');
  const { metadata, worksheets = [] } = parsed.data;
  const language = metadata.language_info?.name ?? metadata.kernelspec?.language ?? '';
  const all = parsed.data.cells ?? worksheets.flatMap((sheet) => sheet.cells);
  const markdown = all.map((cell) => cellText(cell, language)).filter((part) => part.trim() !== '');
  // The text is not the file's own: its lines are JSON.
  return { ...readMarkdown(markdown.join('\n\n')), lined: false };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable('is broken: not JSON, as a notebook has to be');
  }
}

function cellText({ cell_type, source, input, outputs }: z.infer<typeof cellSchema>, language: string): string {
  const body = source ?? input ?? '';
  if (cell_type !== 'code') return body;
  if (body.trim() === '') return '';
  const printed = outputs
    .map(({ text, data }) => (text ?? data?.['text/plain'] ?? '').trimEnd())
    .filter((part) => part !== '')
    .join('\n');
  return [fenced(body, language), ...(printed === '' ? [] : [fenced(printed.slice(0, MAX_OUTPUT), 'text')])].join(
    '\n\n',
  );
}

function fenced(text: string, language: string): string {
  const fence = fenceFor(text);
  return `${fence}${language.replace(/[^\w+#-]/g, '')}\n${text}\n${fence}`;
}
