/**
 * The report as one HTML file: style and script inside, nothing loaded from anywhere, opens from disk. Pure: the same records give the
 * same bytes. Whatever was read from documents, cases or models is escaped, and the page's own policy runs no script but ours.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RunRecords } from '../run.ts';
import type { Summary } from '../schema.ts';
import { casesSection } from './html/cases.ts';
import { type CasePair, pairCases } from './html/compare.ts';
import { headline, type ReportVerdict } from './html/headline.ts';
import { matrixSection } from './html/matrix.ts';
import { metricsSection } from './html/metrics.ts';
import { provenanceSection } from './html/provenance.ts';
import { html, trusted } from './html/tag.ts';
import { viewRun } from './html/view.ts';

export interface ReportRun {
  run: RunRecords;
  summary: Summary;
  /** What people call it, e.g. its folder. */
  name?: string;
}

export interface ReportOptions {
  name?: string;
  verdict?: ReportVerdict | undefined;
}

/** `base` is the earlier run that this one is compared with. */
export function renderHtml(run: RunRecords, summary: Summary, base?: ReportRun, options: ReportOptions = {}): string {
  const current = viewRun(run);
  const pairs = base === undefined ? current.map(alone) : pairCases(viewRun(base.run), current);
  const names = nameBoth({ run, summary, ...(options.name === undefined ? {} : { name: options.name }) }, base);
  const compared = base !== undefined;
  const style = asset('report.css');
  const script = asset('report.js');
  const title = compared ? `${names.current} against ${names.base}` : names.current;
  const runs = [
    ...(base === undefined ? [] : [{ name: names.base, records: base.run, summary: base.summary }]),
    { name: names.current, records: run, summary },
  ];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${digest(style)}'; script-src '${digest(script)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} · askdocs report</title>
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#cases">Skip to the cases</a>
<header><p class="eyebrow">askdocs report</p><h1>${title}</h1>
${headline(summary, compared ? pairs : null, options.verdict ?? null)}
${compared && options.verdict === undefined && html`<p class="note">Whether a difference is more than chance, <code>askdocs gate compare</code> tells.</p>`}</header>
<main>${metricsSection(summary, base?.summary ?? null, names)}
${matrixSection(summary, base?.summary ?? null)}
${casesSection(pairs, { names, compared, runs: { base: base?.run.manifest.runs ?? 1, current: run.manifest.runs } })}
${provenanceSection(runs)}</main>
<script>${trusted(script)}</script>
</body>
</html>
`;
  return page.text;
}

function alone(view: CasePair['current']): CasePair {
  return { base: undefined, current: view, change: 'same', moved: [] };
}

function nameBoth(current: ReportRun, base: ReportRun | undefined): { base: string; current: string } {
  const own = nameOf(current);
  const other = base === undefined ? '' : nameOf(base);
  return own === other ? { current: `${own} (after)`, base: `${other} (before)` } : { current: own, base: other };
}

function nameOf({ name, summary }: ReportRun): string {
  const { provider, model, search } = summary.service;
  return name ?? `${provider === model ? provider : `${provider}, ${model}`}, ${search} search`;
}

function asset(name: string): string {
  return readFileSync(new URL(`./html/${name}`, import.meta.url), 'utf8');
}

/** The policy names style and script by what they are, so that no other can run. */
function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
