/** The verdict, before anything else: that of the gate when there is one, else the main numbers in plain sentences. */
import type { Metric, Summary } from '../../schema.ts';
import type { CasePair, ChangeKind } from './compare.ts';
import { type Html, html } from './tag.ts';

/** What a gate decided, as `renderHtml` takes it. */
export interface ReportVerdict {
  status: 'pass' | 'fail' | 'open';
  title: string;
  /** Without a tag it is a remark. */
  details: { tag: { status: 'pass' | 'fail' | 'open'; word: string } | null; text: string }[];
}

export function headline(summary: Summary, pairs: CasePair[] | null, verdict: ReportVerdict | null): Html {
  const plain = plainSentences(summary);
  const changed = pairs === null ? [] : [changeSentence(pairs)];
  if (verdict !== null)
    return html`${gateVerdict(verdict)}<p class="lead small">${[...changed, ...plain].join(' ')}</p>`;
  const [first = '', ...rest] = [...changed, ...plain];
  return html`<p class="verdict">${first}</p>${rest.length > 0 && html`<p class="lead">${rest.join(' ')}</p>`}`;
}

/** The numbers people ask for first; what has no value is not spoken of. */
export function plainSentences(summary: Summary): string[] {
  const sentences: string[] = [];
  const right = find(summary, 'right_decision');
  if (right !== undefined) {
    sentences.push(`Right to answer or to refuse in ${share(right)} of ${count(right.n, 'case')}${range(right)}.`);
  }
  const facts = find(summary, 'key_fact_recall');
  if (facts !== undefined) sentences.push(`Answers state ${share(facts)} of the facts they had to${range(facts)}.`);
  const faithful = find(summary, 'faithfulness');
  if (faithful !== undefined)
    sentences.push(`${capital(share(faithful))} of the sentences are supported by what they cite${range(faithful)}.`);
  const wrong = find(summary, 'wrong_answer');
  if (wrong !== undefined && wrong.value !== 0)
    sentences.push(
      `${capital(share(wrong))} of the ${count(wrong.n, 'question')} without an answer were answered anyway.`,
    );
  const failed = summary.refusals.overall?.error ?? 0;
  if (failed > 0) sentences.push(`${count(failed, 'request')} failed.`);
  return sentences.length > 0 ? sentences : ['Nothing was measured: no case has an answer yet.'];
}

function changeSentence(pairs: CasePair[]): string {
  const number = (...kinds: ChangeKind[]) => pairs.filter((pair) => kinds.includes(pair.change)).length;
  const [better, worse, mixed] = [number('better'), number('worse'), number('mixed')];
  const changed = pairs.length - number('same');
  if (changed === 0) return `All ${count(pairs.length, 'case')} are the same in both runs.`;
  const parts = [
    `${better} better`,
    `${worse} worse`,
    ...(mixed > 0 ? [`${mixed} both`] : []),
    ...(number('reworded') > 0 ? [`${number('reworded')} with the same scores`] : []),
    ...(number('only') > 0 ? [`${number('only')} in one run only`] : []),
  ];
  return `${changed} of ${count(pairs.length, 'case')} changed: ${parts.join(', ')}.`;
}

function gateVerdict(verdict: ReportVerdict): Html {
  return html`<p class="verdict ${verdict.status}">${verdict.title}</p>
<ul class="gate-list">${verdict.details.map(
    ({ tag, text }) =>
      html`<li class="${tag === null ? 'remark' : 'metric'}">${tag !== null && html`<span class="tag ${tag.status}">${tag.word}</span> `}${text}</li>`,
  )}</ul>`;
}

function find(summary: Summary, name: string): (Metric & { value: number }) | undefined {
  const metric = summary.metrics.find((item) => item.name === name && item.slice === 'overall');
  return metric?.value === null || metric === undefined ? undefined : { ...metric, value: metric.value };
}

function share(metric: { value: number }): string {
  if (metric.value === 1) return 'all';
  return metric.value === 0 ? 'none' : `${percent(metric.value)}%`;
}

function range({ low, high }: Metric): string {
  return low === null || high === null ? '' : ` (95% interval ${percent(low)}% to ${percent(high)}%)`;
}

/** Never 0 or 100 for what is not quite. */
function percent(value: number): number {
  const rounded = Math.round(value * 100);
  if (rounded === 100 && value < 1) return 99;
  return rounded === 0 && value > 0 ? 1 : rounded;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
