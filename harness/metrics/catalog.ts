/** Every metric by name: what it is called for people, which way is better, and whether one answer scores only 0 or 1. */
export interface MetricInfo {
  name: string;
  title: string;
  direction: 'higher' | 'lower';
  /** One score is 0 or 1, never between: with one repetition its interval is Wilson's. */
  binary: boolean;
  about: 'retrieval' | 'answer' | 'citation' | 'faithfulness';
}

export const METRICS: readonly MetricInfo[] = [
  metric('recall@1', 'retrieval recall@1', 'higher', false, 'retrieval'),
  metric('recall@3', 'retrieval recall@3', 'higher', false, 'retrieval'),
  metric('recall@5', 'retrieval recall@5', 'higher', false, 'retrieval'),
  metric('success@1', 'retrieval Success@1', 'higher', true, 'retrieval'),
  metric('success@5', 'retrieval Success@5', 'higher', true, 'retrieval'),
  metric('ndcg@10', 'retrieval nDCG@10', 'higher', false, 'retrieval'),
  metric('mrr@10', 'retrieval MRR@10', 'higher', false, 'retrieval'),
  metric('context_recall', 'context recall', 'higher', false, 'answer'),
  metric('key_fact_recall', 'key-fact recall', 'higher', false, 'answer'),
  metric('extra_fact_recall', 'extra-fact recall', 'higher', false, 'answer'),
  metric('right_decision', 'right to answer or refuse', 'higher', true, 'answer'),
  metric('wrong_refusal', 'wrong refusals', 'lower', true, 'answer'),
  metric('wrong_answer', 'wrongly answered', 'lower', true, 'answer'),
  metric('service_error', 'service errors', 'lower', true, 'answer'),
  metric('citation_out_of_range', 'answers citing out of range', 'lower', true, 'citation'),
  metric('citation_precision', 'citation precision', 'higher', false, 'citation'),
  metric('citation_recall', 'citation recall', 'higher', false, 'citation'),
  metric('misattribution', 'misattributed facts', 'lower', false, 'citation'),
  metric('citation_support', 'citations that support', 'higher', false, 'faithfulness'),
  metric('faithfulness', 'faithfulness', 'higher', false, 'faithfulness'),
];

/** Looks a metric up; `faithfulness@llm` is that of a further judge. */
export function metricInfo(name: string): MetricInfo | undefined {
  const [base, judge] = splitJudge(name);
  const found = METRICS.find((item) => item.name === base);
  if (found === undefined || judge === null) return found;
  return { ...found, name, title: `${found.title} (judge ${judge})` };
}

function splitJudge(name: string): [string, string | null] {
  const match = /^(faithfulness|citation_support)@(.+)$/.exec(name);
  return match === null ? [name, null] : [match[1] ?? name, match[2] ?? null];
}

function metric(
  name: string,
  title: string,
  direction: MetricInfo['direction'],
  binary: boolean,
  about: MetricInfo['about'],
): MetricInfo {
  return { name, title, direction, binary, about };
}
