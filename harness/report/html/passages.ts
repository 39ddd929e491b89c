/** The passages an answer was made from, folded; what it quotes from each is marked. */
import type { Passage, Quote, Source } from '../../../service/contract.ts';
import { statesFact } from '../../metrics/facts.ts';
import { labelOf } from '../../metrics/labels.ts';
import type { Case } from '../../schema.ts';
import { type Html, html } from './tag.ts';
import type { AnswerView } from './view.ts';

export function passageList({ apart }: AnswerView, key: string): Html {
  const { record } = apart;
  const cited = new Set(record.answer?.citations ?? []);
  const nearest = record.answer?.nearest ?? [];
  const quotes = record.answer?.evidence.flatMap((item) => item.citations) ?? [];
  const passages = record.sources.map((source) => {
    const own = quotes.flatMap(({ n, quote }) => (n === source.n && quote !== null ? [quote] : []));
    return passageBlock(apart.case, source, { id: `${key}-p${source.n}`, cited: cited.has(source.n), quotes: own });
  });
  return html`${passages.length > 0 && html`<h4 class="sub">Passages the model was given</h4><div class="passages">${passages}</div>`}${nearest.length > 0 && html`<h4 class="sub">Not shown to the model: what came closest</h4><div class="passages">${nearest.map((passage) => passageBlock(apart.case, passage, null))}</div>`}`;
}

/** Parts of a text in order, those that a quote covers marked; a quote that is not where it says is left out. */
export function markQuotes(text: string, quotes: readonly Quote[]): Html {
  const right = quotes
    .filter((quote) => quote.end > quote.start && text.slice(quote.start, quote.end) === quote.text)
    .sort((a, b) => a.start - b.start);
  const out: Html[] = [];
  let from = 0;
  for (const { start, end } of right) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    out.push(html`${text.slice(from, begin)}<mark>${text.slice(begin, end)}</mark>`);
    from = end;
  }
  return html`${out}${text.slice(from)}`;
}

type Shown = { id: string; cited: boolean; quotes: Quote[] };

function passageBlock(item: Case, passage: Passage | Source, shown: Shown | null): Html {
  const labelled = item.files.includes(labelOf(item, passage.source));
  const states = item.key_facts.filter((fact) => statesFact(passage.text, fact)).length;
  const unused = 'used' in passage && !passage.used;
  return html`<details class="passage"${shown !== null && html` id="${shown.id}"`}><summary>${'n' in passage && html`<span class="n">[${passage.n}]</span> `}<span class="source">${passage.source}</span>${passage.heading.length > 0 && html` <span class="dim">› ${passage.heading.join(' › ')}</span>`}
${shown?.cited && html`<span class="tag accent">cited</span>`}${labelled && html` <span class="tag plain">labelled file</span>`}${states > 0 && html` <span class="tag plain">holds ${states} of the facts</span>`}${unused && html` <span class="tag plain">did not fit</span>`}<span class="scores">${scores(passage)}</span></summary>
<div class="text passage-text" dir="auto">${markQuotes(passage.text, shown?.quotes ?? [])}</div></details>`;
}

function scores({ cosine, bm25, fusion }: Passage): string {
  const known: [string, number | null, number][] = [
    ['cosine', cosine, 3],
    ['bm25', bm25, 2],
    ['fusion', fusion, 3],
  ];
  return known
    .flatMap(([name, value, digits]) => (value === null ? [] : [`${name} ${value.toFixed(digits)}`]))
    .join(', ');
}
