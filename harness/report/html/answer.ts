/** One answer: its text with every sentence marked and every citation a link to its passage, then what the judges said. */
import { findCitations, stripCitations } from '../../../service/citations.ts';
import { type Sentence, splitSentences } from '../../../service/sentences.ts';
import type { ClaimStatus } from '../../metrics/faithfulness.ts';
import { passageList } from './passages.ts';
import { type Html, html } from './tag.ts';
import type { AnswerView, Judged, Outcome } from './view.ts';

/** What a sentence is marked with; `uncited` claims something and cites nothing. */
type Mark = ClaimStatus | 'uncited';

const OUTCOMES: Record<Outcome, { word: string; tone: 'good' | 'bad' }> = {
  answered: { word: 'answered', tone: 'good' },
  correct_refusal: { word: 'rightly refused', tone: 'good' },
  wrong_refusal: { word: 'wrongly refused', tone: 'bad' },
  wrongly_answered: { word: 'wrongly answered', tone: 'bad' },
  error: { word: 'failed', tone: 'bad' },
};

export function outcomeTag(outcome: Outcome): Html {
  const { word, tone } = OUTCOMES[outcome];
  return html`<span class="tag ${tone}">${word}</span>`;
}

export interface AnswerPlace {
  /** Unique in the document and made by us: passages get ids of it. */
  key: string;
  /** How many repetitions there are. */
  runs: number;
  /** Sentences said in the run that this one is compared with, as `sentencesOf` gives them; null when there is none to compare with. */
  elsewhere: ReadonlySet<string> | null;
}

/** What was said in any of the answers, sentence by sentence, so that it can be found again in others. */
export function sentencesOf(views: readonly AnswerView[]): Set<string> {
  const texts = views.flatMap(({ apart }) => (apart.spoke ? [apart.record.answer?.answer ?? ''] : []));
  return new Set(texts.flatMap((text) => splitSentences(text).map(plainText)));
}

export function answerBlock(view: AnswerView, place: AnswerPlace): Html {
  const { key, runs } = place;
  const { record } = view.apart;
  return html`<div class="answer">
<p class="said-by">${outcomeTag(view.outcome)}${record.answer?.truncated && html` <span class="tag bad">cut off</span>`}${view.apart.invalid.length > 0 && html` <span class="tag bad">cites ${view.apart.invalid.map((n) => `[${n}]`).join(' ')}, which no source has</span>`}${runs > 1 && html` <span class="dim">${repetitions(view.runs, runs)}</span>`}</p>
${record.error === null ? spoken(view, place) : failed(record.error)}
${factList(view)}${view.judged.map((judged) => verdictList(view, judged))}${passageList(view, key)}</div>`;
}

function repetitions(own: number[], runs: number): string {
  if (own.length === runs) return `the same in all ${runs} repetitions`;
  return `${own.length === 1 ? 'repetition' : 'repetitions'} ${own.join(', ')} of ${runs}`;
}

function failed(error: { stage: string; code: string; message: string; partial?: string | undefined }): Html {
  return html`<p class="failure"><strong>${error.stage}, ${error.code}:</strong> <span dir="auto">${error.message}</span></p>
${error.partial !== undefined && error.partial !== '' && html`<p class="dim">What had been received:</p><div class="text" dir="auto">${error.partial}</div>`}`;
}

function spoken({ apart, judged }: AnswerView, place: AnswerPlace): Html {
  const text = apart.record.answer?.answer ?? '';
  if (!apart.spoke) return html`<div class="text refusal" dir="auto">${text}</div>`;
  const known = new Set(apart.shown.map((source) => source.n));
  const out: Html[] = [];
  let from = 0;
  for (const sentence of splitSentences(text)) {
    const mark = markOf(sentence, apart.claims, judged[0]);
    out.push(html`${text.slice(from, sentence.start)}${sentenceHtml(sentence, mark, known, place)}`);
    from = sentence.end;
  }
  return html`<div class="text" dir="auto">${out}${text.slice(from)}</div>`;
}

function markOf(sentence: Sentence, claims: AnswerView['apart']['claims'], first: Judged | undefined): Mark | null {
  const index = claims.findIndex((claim) => claim.start === sentence.start);
  const claim = claims[index];
  if (claim === undefined) return null;
  if (claim.citations.length === 0) return 'uncited';
  return first?.result.claims[index] ?? null;
}

function plainText({ text }: Pick<Sentence, 'text'>): string {
  return stripCitations(text).replace(/\s+/g, ' ').trim().toLowerCase();
}

const MARK_WORDS: Record<Mark, string> = {
  supported: '',
  unsupported: 'not supported',
  unjudged: 'not judged',
  uncited: 'cites nothing',
};

function sentenceHtml(sentence: Sentence, mark: Mark | null, known: ReadonlySet<number>, place: AnswerPlace): Html {
  const { text } = sentence;
  const { key, elsewhere } = place;
  const inline = sentence.kind === 'code' ? (part: string) => part : codeIn;
  const out: Html[] = [];
  let from = 0;
  for (const { start, end, numbers } of findCitations(text)) {
    out.push(html`${inline(text.slice(from, start))}${[...new Set(numbers)].map((n) => citation(n, known, key))}`);
    from = end;
  }
  const body = html`${out}${inline(text.slice(from))}`;
  const set = sentence.kind === 'code' ? html`<code class="block">${body}</code>` : body;
  const isNew = elsewhere !== null && !elsewhere.has(plainText(sentence));
  const shown = isNew ? html`<ins class="only"><span class="sr">only here: </span>${set}</ins>` : set;
  if (mark === null) return shown;
  const word = MARK_WORDS[mark];
  return html`<span class="claim ${mark}">${shown}</span>${word !== '' && html`<span class="claim-tag ${mark}">${word}</span>`}`;
}

/** What stands between backticks, set as code; the text is otherwise as it was written. */
function codeIn(text: string): Html[] {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function citation(n: number, known: ReadonlySet<number>, key: string): Html {
  if (!known.has(n)) return html`<span class="cite invalid">[${n}]<span class="sr"> no such source</span></span>`;
  return html`<a class="cite" href="#${key}-p${n}" aria-label="source ${n}">[${n}]</a>`;
}

function factList({ facts, apart }: AnswerView): Html | false {
  if (facts.length === 0 || !apart.spoke) return false;
  return html`<h4 class="sub">Facts it had to state</h4><ul class="facts">${facts.map(
    ({ fact, stated }) =>
      html`<li><span class="tag ${stated ? 'good' : fact.vital ? 'bad' : 'plain'}">${stated ? 'stated' : 'missing'}</span> <span dir="auto">${fact.any[0]}</span>${fact.any.length > 1 && html` <span class="dim">or ${fact.any.slice(1).join(' / ')}</span>`}${!fact.vital && html` <span class="dim">(extra)</span>`}</li>`,
  )}</ul>`;
}

function verdictList({ apart }: AnswerView, { judge, result, verdicts }: Judged): Html | false {
  if (!apart.spoke || apart.claims.length === 0) return false;
  const yes = result.claims.filter((status) => status === 'supported').length;
  const unjudged = result.claims.filter((status) => status === 'unjudged').length;
  return html`<details class="verdicts"><summary>Judge ${judge.name}: ${yes} of ${apart.claims.length} ${apart.claims.length === 1 ? 'sentence' : 'sentences'} supported${unjudged > 0 && `, ${unjudged} not judged`}</summary>
<ol>${apart.claims.map((claim, index) => {
    const status = result.claims[index] ?? 'unjudged';
    const own = verdicts.filter((verdict) => verdict.sentence === index);
    return html`<li><span dir="auto">${claim.text}</span> <span class="tag ${status === 'supported' ? 'good' : status === 'unsupported' ? 'bad' : 'plain'}">${claim.citations.length === 0 ? 'cites nothing' : status}</span>
${own.length > 0 && html`<ul>${own.map((verdict) => html`<li>[${verdict.citation}] ${verdict.supported === null ? 'not judged' : verdict.supported ? 'yes' : 'no'}${verdict.score !== null && `, score ${verdict.score.toFixed(2)}`}${verdict.reason !== null && html` <span class="dim" dir="auto">${verdict.reason}</span>`}</li>`)}</ul>`}</li>`;
  })}</ol></details>`;
}
