/** One answer taken apart, for the tests of metrics. */
import type { Passage } from '../../service/contract.ts';
import { type Answered, takeApart } from '../metrics/answered.ts';
import { answerHash, sealed } from '../run.ts';
import { type AnswerRecord, type Case, SCHEMA_VERSION } from '../schema.ts';
import { refuse, say } from './fake-service.ts';

export function recordOf(item: Case, outcome: { says: string; from: Passage[] } | 'refusal' | 'error'): AnswerRecord {
  const events = outcome === 'refusal' || outcome === 'error' ? refuse() : say(outcome.says, outcome.from);
  const sources = events[0]?.event === 'sources' && outcome !== 'error' ? events[0].data.sources : [];
  const answer = events[2]?.event === 'done' && outcome !== 'error' ? events[2].data : null;
  const error =
    outcome === 'error' ? ({ stage: 'generation', code: 'generation_failed', message: 'gone' } as const) : null;
  return sealed({
    v: SCHEMA_VERSION,
    case_id: item.id,
    run: 1,
    case_hash: '0'.repeat(32),
    status: answer === null ? ('error' as const) : ('answered' as const),
    answer,
    sources,
    error,
    client: { ttft_ms: 1, total_ms: 2, attempts: 1, token_events: 1 },
    answer_hash: answerHash({ answer, sources, error }),
  });
}

export function answered(item: Case, outcome: Parameters<typeof recordOf>[1]): Answered {
  return takeApart(item, recordOf(item, outcome));
}
