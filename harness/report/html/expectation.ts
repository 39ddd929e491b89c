/** What the labels of a case ask for, and where the search found it. */
import { labelOf } from '../../metrics/labels.ts';
import { type Case, isAnswerable, type RetrievalRecord } from '../../schema.ts';
import type { CasePair } from './compare.ts';
import { type Html, html } from './tag.ts';

export function expectation(pair: CasePair): Html {
  const view = pair.current ?? pair.base;
  if (view === undefined) return html``;
  const { item, retrieval } = view;
  const note = item.note === undefined ? null : html` <span dir="auto">${item.note}</span>`;
  if (!isAnswerable(item)) return html`<p class="expected"><strong>Should be refused.</strong>${note}</p>`;
  return html`<p class="expected"><strong>Answered by</strong> ${item.files.map(
    (file, index) =>
      html`${index > 0 && ' and '}<span class="source">${file}</span>${retrieval !== undefined && html` <span class="dim">(${place(item, file, retrieval)})</span>`}`,
  )}${item.also.length > 0 && html` <span class="dim">(or ${item.also.join(', ')})</span>`}.${note}</p>`;
}

function place(item: Case, file: string, retrieval: RetrievalRecord): string {
  if (retrieval.error !== null) return `search failed: ${retrieval.error}`;
  const at = retrieval.passages.findIndex((passage) => labelOf(item, passage.source) === file);
  return at === -1
    ? `not among the first ${retrieval.k} passages found`
    : `passage ${at + 1} of ${retrieval.passages.length} found`;
}
