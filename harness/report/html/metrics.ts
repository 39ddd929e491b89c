/** Metrics as dots with intervals. The numbers stand beside the drawing, so nothing depends on seeing it. */
import { METRICS, type MetricInfo, metricInfo } from '../../metrics/catalog.ts';
import type { Metric, Summary } from '../../schema.ts';
import { interval, number } from '../format.ts';
import { explain } from './explain.ts';
import { type Html, html } from './tag.ts';

const GROUPS: [MetricInfo['about'], string][] = [
  ['answer', 'Answers'],
  ['faithfulness', 'Faithfulness'],
  ['citation', 'Citations'],
  ['retrieval', 'Retrieval'],
];

/** `base` is drawn hollow beside each dot. */
export function metricsSection(summary: Summary, base: Summary | null, names: { base: string; current: string }): Html {
  const groups = GROUPS.flatMap(([about, title]) => {
    const rows = metricNames(summary, base).filter((name) => (metricInfo(name)?.about ?? 'answer') === about);
    return rows.length === 0 ? [] : [group(title, rows, summary, base)];
  });
  return html`<section aria-labelledby="metrics"><h2 id="metrics">Metrics</h2>
<p class="note">A dot is the mean over the cases that have a score; the line is its 95% interval. With few cases the line is long: a difference that fits inside it may be chance.</p>
${base !== null && html`<p class="legend"><span><svg width="16" height="16" aria-hidden="true"><circle class="dot base" cx="8" cy="8" r="4.5"/></svg>${names.base}</span><span><svg width="16" height="16" aria-hidden="true"><circle class="dot" cx="8" cy="8" r="5"/></svg>${names.current}</span></p>`}
<div class="scroll" role="region" aria-labelledby="metrics" tabindex="0"><table class="metrics">
<thead><tr><th scope="col">Metric</th><th scope="col" class="plot"><span class="sr">Drawing</span><span class="axis" aria-hidden="true"><span>0</span><span>0.5</span><span>1</span></span></th><th scope="col" class="num">Value</th><th scope="col" class="num">95% interval</th>${base !== null && html`<th scope="col" class="num">Before</th><th scope="col" class="num">Change</th>`}<th scope="col" class="num">Cases</th></tr></thead>
${groups}</table></div>
${slices(summary)}</section>`;
}

function metricNames(summary: Summary, base: Summary | null): string[] {
  const found = new Set(
    [summary, ...(base === null ? [] : [base])].flatMap((one) => scored(one).map((item) => item.name)),
  );
  const known = METRICS.map((info) => info.name).filter((name) => found.has(name));
  return [...known, ...[...found].filter((name) => !known.includes(name)).sort()];
}

function scored(summary: Summary): Metric[] {
  return summary.metrics.filter((item) => item.slice === 'overall' && item.value !== null);
}

function group(title: string, names: string[], summary: Summary, base: Summary | null): Html {
  const columns = base === null ? 5 : 7;
  return html`<tbody><tr class="group"><th scope="rowgroup" colspan="${columns}">${title}</th></tr>
${names.map((name) => row(name, find(summary, name, 'overall'), base === null ? null : (find(base, name, 'overall') ?? NONE)))}</tbody>`;
}

const NONE = { value: null, low: null, high: null, n: 0 };
type Shown = Pick<Metric, 'value' | 'low' | 'high' | 'n'>;

function row(name: string, metric: Shown = NONE, base: Shown | null): Html {
  const info = metricInfo(name);
  const lower = info?.direction === 'lower';
  return html`<tr><th scope="row">${info?.title ?? name}${lower && html` <span class="dim">lower is better</span>`}<span class="what">${explain(name)}</span></th>
<td class="plot">${plot(metric, base)}</td><td class="num strong">${number(metric.value)}</td><td class="num">${interval(metric)}</td>${base !== null && html`<td class="num">${number(base.value)}</td><td class="num">${change(metric, base, lower)}</td>`}<td class="num">${metric.n}</td></tr>`;
}

/** Coordinates in percent of the width: the drawing stretches with its column, the dots stay round. */
export function plot(metric: Shown, base: Shown | null): Html {
  const height = base === null ? 22 : 34;
  const grid = [0, 25, 50, 75, 100].map((x) => html`<line class="grid" x1="${x}%" x2="${x}%" y1="0" y2="${height}"/>`);
  return html`<svg class="dots" height="${height}" aria-hidden="true">${grid}${base !== null && mark(base, 9, 'base')}${mark(metric, base === null ? 11 : 24, '')}</svg>`;
}

function mark({ value, low, high }: Shown, y: number, kind: string): Html | false {
  if (value === null) return false;
  const at = (x: number) => `${Number((x * 100).toFixed(2))}%`;
  return html`${low !== null && high !== null && html`<line class="range ${kind}" x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}"/>`}<circle class="dot ${kind}" cx="${at(value)}" cy="${y}" r="${kind === 'base' ? '4.5' : '5'}"/>`;
}

function change(metric: Shown, base: Shown, lower: boolean): Html | string {
  if (metric.value === null || base.value === null) return '–';
  const difference = metric.value - base.value;
  if (Math.abs(difference) < 0.0005) return 'same';
  const better = difference > 0 !== lower;
  const text = `${difference > 0 ? '+' : '−'}${Math.abs(difference).toFixed(3)}`;
  return html`<span class="${better ? 'up' : 'down'}">${text}<span class="sr"> (${better ? 'better' : 'worse'})</span></span>`;
}

function slices(summary: Summary): Html {
  const names = metricNames(summary, null);
  const parts = [...new Set(summary.metrics.map((item) => item.slice))].filter((slice) => slice !== 'overall');
  if (parts.length === 0) return html``;
  return html`<details class="more"><summary>The same by kind of question and by split</summary>
<div class="scroll" role="region" aria-label="Metrics by kind and split" tabindex="0"><table class="metrics">
<thead><tr><th scope="col">Metric</th><th scope="col" class="plot"><span class="sr">Drawing</span><span class="axis" aria-hidden="true"><span>0</span><span>0.5</span><span>1</span></span></th><th scope="col" class="num">Value</th><th scope="col" class="num">95% interval</th><th scope="col" class="num">Cases</th></tr></thead>
${names.map((name) => {
  const rows = parts.flatMap((slice) => {
    const metric = find(summary, name, slice);
    return metric === undefined || metric.value === null ? [] : [sliceRow(slice, metric)];
  });
  return (
    rows.length > 0 &&
    html`<tbody><tr class="group"><th scope="rowgroup" colspan="5">${metricInfo(name)?.title ?? name}</th></tr>${rows}</tbody>`
  );
})}</table></div></details>`;
}

function sliceRow(slice: string, metric: Metric): Html {
  const [kind = '', name = ''] = slice.split(':');
  return html`<tr><th scope="row"><span class="dim">${kind}</span> ${name.replace('_', '-')}</th><td class="plot">${plot(metric, null)}</td><td class="num strong">${number(metric.value)}</td><td class="num">${interval(metric)}</td><td class="num">${metric.n}</td></tr>`;
}

function find(summary: Summary, name: string, slice: string): Metric | undefined {
  return summary.metrics.find((item) => item.name === name && item.slice === slice);
}
