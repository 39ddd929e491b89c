/** The table of a result, in Markdown. */
import type { Percentiles } from './k6/summary.ts';
import type { Point, Result } from './result.ts';

const HEAD = [
  'users',
  'limit',
  'pause s',
  'answers/s',
  'over theory',
  'ttft P50',
  'ttft P95',
  'answer P50',
  'answer P95',
  'wait P95',
  'longest / median wait of a user',
  'rejected',
  'failed',
  'prompt tokens evaluated',
  'cached',
];

export function resultTable(result: Result): string {
  const rows = result.points.map((point) => `| ${pointCells(point).join(' | ')} |`);
  return [`| ${HEAD.join(' | ')} |`, `|${HEAD.map(() => '---:').join('|')}|`, ...rows].join('\n');
}

/** The page of a result: what was measured on what, the table, what its columns mean. */
export function resultPage(result: Result): string {
  const { hardware: h, versions: v, model: m, settings: s, rates: r } = result;
  return `# Load test ${result.name}

${result.date}, ${h.cpu}, ${h.cores} cores, ${h.memory_gib} GiB, ${h.platform}; Node ${v.node}, k6 ${v.k6}, askdocs ${v.askdocs}.
Model's server: ${result.target}${v.llama === '' ? '' : ` ${v.llama}`}, ${m.name}, ${m.slots} slots of ${m.context ?? 'unknown'} tokens;
a step lasts ${r.stepMs.toFixed(1)} ms + ${r.slotMs.toFixed(1)} ms a slot that generates + ${(1000 / r.prefillPerSecond).toFixed(2)} ms a prompt token.
${s.durationS} s a point, ${s.edgeS} s left out at either end, ${s.warmUpQuestions} questions before; ${s.questions} questions, at most ${s.maxTokens} tokens an answer, ${s.topK} passages, retrieval ${s.retrieval}.

${resultTable(result)}

Times in ms, as the service reports them (ttft) or k6 clocks them (answer: the request that was answered; wait: from the first try to
the answer, refusals included). Theory: these steps with every slot always at work and no time between answers. Prompt tokens are means per answer.
`;
}

function pointCells({ users, limit, pauseS, answersPerS, theoryPerS, k6 }: Point): string[] {
  const ms = (value: number | undefined) => (value === undefined ? '' : Math.round(value).toString());
  const pair = (values: Percentiles | null) => [ms(values?.p50), ms(values?.p95)];
  const evaluated = k6.promptTokens === null ? undefined : k6.promptTokens - (k6.cachedTokens ?? 0);
  return [
    `${users}`,
    `${limit}`,
    `${pauseS}`,
    answersPerS.toFixed(3),
    theoryPerS === null ? '' : (answersPerS / theoryPerS).toFixed(3),
    ...pair(k6.ttftMs),
    ...pair(k6.answerMs),
    ms(k6.waitMs?.p95),
    unfairness(k6.waitByUser)?.toFixed(2) ?? '',
    `${k6.rejected}`,
    `${k6.failed + k6.broken}`,
    ms(evaluated),
    ms(k6.cachedTokens ?? undefined),
  ];
}

/** The longest mean wait of a user over the median user's; null with fewer than two users. */
export function unfairness(waitByUser: readonly (number | null)[]): number | null {
  const known = waitByUser.filter((wait) => wait !== null).toSorted((a, b) => a - b);
  const half = known.length >> 1;
  const median = known.length % 2 === 1 ? known[half] : ((known[half - 1] ?? 0) + (known[half] ?? 0)) / 2;
  const longest = known.at(-1);
  return known.length < 2 || !median || longest === undefined ? null : longest / median;
}
