/** To answer or to refuse: what the labels ask for against what happened. Each count filters the cases. */
import { KINDS, type Kind, type RefusalMatrix, type Summary } from '../../schema.ts';
import { KIND_TITLES, percent } from '../format.ts';
import { type Html, html } from './tag.ts';

interface Row {
  title: string;
  kind: Kind;
  answerable: boolean;
}

const ROWS: Row[] = KINDS.map((kind) => ({
  title: KIND_TITLES[kind],
  kind,
  answerable: kind === 'factual' || kind === 'multi_source',
}));

export function matrixSection(summary: Summary, base: Summary | null): Html {
  const block = (answerable: boolean, title: string) => {
    const rows = ROWS.filter(
      (row) => row.answerable === answerable && summary.refusals[`kind:${row.kind}`] !== undefined,
    );
    if (rows.length === 0) return html``;
    return html`<tbody><tr class="group"><th scope="rowgroup" colspan="5">${title}</th></tr>${rows.map((row) => matrixRow(row, summary, base))}</tbody>`;
  };
  return html`<section aria-labelledby="matrix"><h2 id="matrix">To answer or to refuse</h2>
<p class="note">Counts of answers${summary.runs > 1 ? `, ${summary.runs} repetitions of each case` : ''}${base !== null && ', the earlier run in brackets'}. A count shows its cases below.</p>
<div class="scroll" role="region" aria-labelledby="matrix" tabindex="0"><table class="matrix">
<thead><tr><th scope="col">Questions</th><th scope="col" class="num">Answered</th><th scope="col" class="num">Refused</th><th scope="col" class="num">Failed</th><th scope="col" class="num">Right</th></tr></thead>
${block(true, 'The documents answer')}${block(false, 'The documents do not answer')}</table></div></section>`;
}

function matrixRow({ title, kind, answerable }: Row, summary: Summary, base: Summary | null): Html {
  const matrix = summary.refusals[`kind:${kind}`] ?? EMPTY;
  const before = base?.refusals[`kind:${kind}`] ?? (base === null ? null : EMPTY);
  const [answered, refused]: [keyof RefusalMatrix, keyof RefusalMatrix] = answerable
    ? ['answered', 'wrong_refusal']
    : ['wrongly_answered', 'correct_refusal'];
  const cells: [keyof RefusalMatrix, string, boolean][] = [
    [answered, `answered`, answerable],
    [refused, `refused`, !answerable],
    ['error', 'failed', false],
  ];
  return html`<tr><th scope="row">${title}</th>${cells.map(([outcome, word, good]) => cell(matrix, before, outcome, kind, `${title}, ${word}`, good))}<td class="num strong">${right(matrix)}${before !== null && html` <span class="dim">(${right(before)})</span>`}</td></tr>`;
}

const EMPTY: RefusalMatrix = { answered: 0, wrong_refusal: 0, correct_refusal: 0, wrongly_answered: 0, error: 0 };

function cell(
  matrix: RefusalMatrix,
  before: RefusalMatrix | null,
  outcome: keyof RefusalMatrix,
  kind: Kind,
  label: string,
  good: boolean,
): Html {
  const count = matrix[outcome];
  const tone = count === 0 ? 'none' : good ? 'good' : 'bad';
  return html`<td class="num"><button type="button" class="count ${tone}" data-show="${outcome}" data-kind="${kind}"><span class="sr">${label}: </span>${count}</button>${before !== null && html` <span class="dim">(${before[outcome]})</span>`}</td>`;
}

function right(matrix: RefusalMatrix): string {
  const good = matrix.answered + matrix.correct_refusal;
  return percent(good, good + matrix.wrong_refusal + matrix.wrongly_answered + matrix.error);
}
