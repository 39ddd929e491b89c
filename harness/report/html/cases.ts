/** Every case of the run, folded to one line each; with two runs both sides of a case that differs. */

import { metricInfo } from '../../metrics/catalog.ts';
import { KINDS, SPLITS } from '../../schema.ts';
import { KIND_TITLES, number } from '../format.ts';
import { answerBlock, outcomeTag, sentencesOf } from './answer.ts';
import type { CasePair, ChangeKind } from './compare.ts';
import { expectation } from './expectation.ts';
import { type Html, html } from './tag.ts';
import { type CaseView, type Flag, unsupportedCount } from './view.ts';

export interface CasesOptions {
  names: { base: string; current: string };
  runs: { base: number; current: number };
  compared: boolean;
}

export function casesSection(pairs: CasePair[], options: CasesOptions): Html {
  return html`<section aria-labelledby="cases"><h2 id="cases" tabindex="-1">Cases</h2>
${toolbar(pairs, options.compared)}
<p id="shown" class="note" role="status">${pairs.length} cases</p>
<div id="list">${pairs.map((pair, index) => caseBlock(pair, index, options))}</div>
<p id="none" class="empty" hidden>No case fits. <button type="button" class="plain" id="reset">Show all cases</button></p></section>`;
}

const FILTERS: { flag: Flag; title: string; why: string }[] = [
  {
    flag: 'wrong',
    title: 'Wrong',
    why: 'A wrong decision, a failure, or an answer that misses a fact it had to state',
  },
  { flag: 'refused', title: 'Refused', why: 'Rightly or not' },
  { flag: 'unsupported', title: 'Unsupported', why: 'A sentence that what it cites does not support' },
  { flag: 'error', title: 'Failed', why: 'The request failed' },
  { flag: 'missing', title: 'No record', why: 'A repetition was not recorded' },
  { flag: 'changed', title: 'Changed', why: 'The two runs differ' },
  { flag: 'better', title: 'Better', why: 'A gating metric rose and none fell' },
  { flag: 'worse', title: 'Worse', why: 'A gating metric fell and none rose' },
];

function toolbar(pairs: CasePair[], compared: boolean): Html {
  const views = pairs.map(flagsOf);
  const counted = FILTERS.map((filter) => ({
    ...filter,
    count: views.filter((flags) => flags.has(filter.flag)).length,
  }));
  const always: Flag[] = compared
    ? ['wrong', 'refused', 'unsupported', 'changed']
    : ['wrong', 'refused', 'unsupported'];
  const shown = counted.filter(({ flag, count }) => count > 0 || always.includes(flag));
  const used = <T extends string>(all: readonly T[], of: (pair: CasePair) => string) =>
    all.filter((one) => pairs.some((pair) => of(pair) === one));
  return html`<form class="toolbar needs-script" role="search" aria-label="Cases" id="filters">
<div class="filters" role="group" aria-label="Show"><button type="button" data-show="" aria-pressed="true">All <span class="n">${pairs.length}</span></button>${shown.map(
    ({ flag, title, why, count }) =>
      html`<button type="button" data-show="${flag}" aria-pressed="false" title="${why}">${title} <span class="n">${count}</span></button>`,
  )}<button type="button" data-show="other" id="other" aria-pressed="false" hidden>Other</button></div>
<div class="fields"><label>Search <input type="search" id="search" placeholder="question, answer, passage, id" autocomplete="off"></label>
<label>Kind <select id="kind"><option value="">any</option>${used(KINDS, (pair) => itemOf(pair).kind).map((kind) => html`<option value="${kind}">${KIND_TITLES[kind]}</option>`)}</select></label>
<label>Split <select id="split"><option value="">any</option>${used(SPLITS, (pair) => itemOf(pair).split).map((split) => html`<option value="${split}">${split}</option>`)}</select></label>
<button type="button" id="open-all">Open all</button></div></form>`;
}

function caseBlock(pair: CasePair, index: number, options: CasesOptions): Html {
  const item = itemOf(pair);
  return html`<details class="case" id="case-${item.id}" data-flags="${[...flagsOf(pair)].sort().join(' ')}" data-kind="${item.kind}" data-split="${item.split}">
<summary><h3 class="question" dir="auto">${item.question}</h3><span class="tags">${summaryTags(pair, options.compared)}</span></summary>
<div class="body"><p class="about"><a href="#case-${item.id}" class="id">${item.id}</a> ${KIND_TITLES[item.kind]}, ${item.split}${item.lang !== 'en' && `, ${item.lang}`}${item.tags.length > 0 && html`, ${item.tags.map((tag) => tag.replaceAll('_', ' ')).join(', ')}`}</p>
${expectation(pair)}${movedList(pair)}${sides(pair, index, options)}</div></details>`;
}

const CHANGE_TAGS: Record<ChangeKind, [string, string] | null> = {
  same: null,
  reworded: ['plain', 'differs, same scores'],
  better: ['good', 'better'],
  worse: ['bad', 'worse'],
  mixed: ['plain', 'better and worse'],
  only: ['plain', 'in one run only'],
};

function summaryTags(pair: CasePair, compared: boolean): Html {
  const view = pair.current ?? pair.base;
  const change = compared ? CHANGE_TAGS[pair.change] : null;
  return html`${change !== null && html`<span class="tag ${change[0]}">${change[1]}</span> `}${view !== undefined && viewTags(view)}`;
}

function viewTags(view: CaseView): Html {
  const outcomes = [...new Set(view.answers.map((answer) => answer.outcome))];
  const vital = view.item.key_facts.filter((fact) => fact.vital).length;
  const recall = view.means.get('key_fact_recall') ?? null;
  const unsupported = Math.max(0, ...view.answers.filter((answer) => answer.apart.spoke).map(unsupportedCount));
  return html`${outcomes.map((outcome) => html`${outcomeTag(outcome)} `)}${view.flags.has('answered') && recall !== null && recall < 1 && html`<span class="tag bad">facts ${Number((recall * vital).toFixed(1))} of ${vital}</span> `}${unsupported > 0 && html`<span class="tag warn">${unsupported} unsupported</span> `}${view.missing.length > 0 && html`<span class="tag plain">no record</span>`}`;
}

function movedList({ moved, change }: CasePair): Html | false {
  if (moved.length === 0 || change === 'only') return false;
  return html`<ul class="moved">${moved.map(({ name, from, to }) => html`<li>${metricInfo(name)?.title ?? name}: ${number(from)} → ${number(to)}</li>`)}</ul>`;
}

function sides({ base, current, change }: CasePair, index: number, { names, runs, compared }: CasesOptions): Html {
  const now = { key: `c${index}`, runs: runs.current };
  if (!compared) return side(current, now);
  if (change === 'same') return html`<p class="dim">The same in both runs.</p>${side(current, now)}`;
  const before = { key: `b${index}`, runs: runs.base };
  const both = base !== undefined && current !== undefined;
  return html`${both && html`<p class="note">Shaded sentences were said in that run only.</p>`}<div class="sides">${side(base, { ...before, name: names.base, other: both ? current : undefined })}${side(current, { ...now, name: names.current, other: both ? base : undefined })}</div>`;
}

interface SidePlace {
  key: string;
  runs: number;
  name?: string;
  /** What its sentences are compared with. */
  other?: CaseView | undefined;
}

function side(view: CaseView | undefined, { key, runs, name, other }: SidePlace): Html {
  const elsewhere = other === undefined ? null : sentencesOf(other.answers);
  const title = name !== undefined && html`<h4>${name}</h4>`;
  if (view === undefined)
    return html`<div class="side">${title}<p class="dim">This run does not have the case.</p></div>`;
  const answers = view.answers.map((answer, index) => answerBlock(answer, { key: `${key}-${index}`, runs, elsewhere }));
  const missing =
    view.missing.length > 0 && html`<p class="dim">No record of repetition ${view.missing.join(', ')}.</p>`;
  return html`<div class="side">${title}${answers}${missing}</div>`;
}

function itemOf(pair: CasePair) {
  const view = pair.current ?? pair.base;
  if (view === undefined) throw new TypeError('a pair has at least one side');
  return view.item;
}

/** Of either run: a case that was wrong before is worth a look too. */
function flagsOf(pair: CasePair): Set<Flag> {
  const flags = new Set<Flag>([...(pair.base?.flags ?? []), ...(pair.current?.flags ?? [])]);
  if (pair.base !== undefined && pair.current !== undefined) {
    if (pair.change !== 'same') flags.add('changed');
    if (pair.change === 'better' || pair.change === 'worse') flags.add(pair.change);
  }
  return flags;
}
