/** What was run, judged and used: enough to run it again. */
import type { RunRecords } from '../../run.ts';
import type { Summary } from '../../schema.ts';
import { number } from '../format.ts';
import { type Html, html } from './tag.ts';

export function provenanceSection(runs: { name: string; records: RunRecords; summary: Summary }[]): Html {
  return html`<section aria-labelledby="provenance"><h2 id="provenance">What was run</h2><div class="runs">${runs.map(
    ({ name, records, summary }) =>
      html`<div>${runs.length > 1 && html`<h3>${name}</h3>`}<dl class="facts-list">${rows(records, summary).map(([term, text]) => html`<div><dt>${term}</dt><dd>${text}</dd></div>`)}</dl></div>`,
  )}</div></section>`;
}

function rows({ manifest, cases }: RunRecords, summary: Summary): [string, Html | string][] {
  const { service, hardware, git } = manifest;
  const settings = Object.entries(service.settings).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const short = (hash: string | null) => (hash === null ? 'not known' : hash.slice(0, 12));
  return [
    [
      'Answers',
      `${service.provider === service.model ? service.provider : `${service.provider}, ${service.model}`}; ${service.search} search`,
    ],
    [
      'Cases',
      `${cases.length} of ${manifest.cases.path} (${short(manifest.cases.hash)}), ${manifest.runs === 1 ? 'asked once' : `asked ${manifest.runs} times`}, in ${manifest.cases.order === 'file' ? "the file's order" : `shuffled order (seed ${manifest.cases.seed})`}`,
    ],
    ['Documents', `index ${short(manifest.corpus.hash)}`],
    ...(settings.length > 0 ? [['Settings', settings.join(', ')] as [string, string]] : []),
    ...summary.judging.map((judge): [string, string] => [
      `Judge ${judge.judge}`,
      `${judge.model}: ${judge.judged} of ${judge.expected} questions judged; faithfulness ${number(judge.faithfulness)}, between ${number(judge.worst)} and ${number(judge.best)} whatever the rest would be`,
    ]),
    [
      'Tokens',
      `${summary.usage.prompt_tokens} prompt (${summary.usage.cached_tokens} from the cache), ${summary.usage.completion_tokens} completion; cost ${summary.usage.cost_usd === null ? 'not known' : `${summary.usage.cost_usd.toFixed(4)} USD`}`,
    ],
    ['Machine', `${hardware.cpu}, ${hardware.cores} cores, ${hardware.memory_gib} GiB, ${hardware.platform}`],
    [
      'Versions',
      Object.entries(manifest.versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', ') || 'not known',
    ],
    [
      'Code',
      git === null
        ? 'not known'
        : `${git.commit.slice(0, 12)}${git.dirty ? ', with changes that were not committed' : ''}`,
    ],
    ['Date', html`<time datetime="${manifest.created}">${manifest.created}</time>`],
  ];
}
