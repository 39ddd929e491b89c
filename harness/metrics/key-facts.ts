/**
 * Key-fact recall = |vital facts the answer states| / |vital facts|. A refusal or a failure of an answerable question scores 0; questions
 * that must be refused have no score. Extra facts are counted the same way, apart. Smallest n: 1 fact.
 * Reference: nugget recall of TREC question answering (Voorhees 2003), vital and okay nuggets told apart.
 */
import { isAnswerable } from '../schema.ts';
import type { Answered } from './answered.ts';
import { statesFact } from './facts.ts';

export function keyFactRecall(item: Answered, vital = true): number | null {
  const facts = item.case.key_facts.filter((fact) => fact.vital === vital);
  if (!isAnswerable(item.case) || facts.length === 0) return null;
  return facts.filter((fact) => statesFact(item.text, fact)).length / facts.length;
}
