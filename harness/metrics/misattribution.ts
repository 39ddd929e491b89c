/**
 * Misattribution = |stated facts whose sentence cites only passages without the fact, while another passage shown has it| /
 * |stated facts whose sentence cites something|. Null when no cited sentence states a labelled fact. Smallest n: 1 such fact.
 * Reference: attribution errors of Liu et al. 2023 (Evaluating Verifiability in Generative Search Engines).
 */
import { stripCitations } from '../../service/citations.ts';
import type { Answered } from './answered.ts';
import { statesFact } from './facts.ts';

export function misattribution(item: Answered): number | null {
  let cited = 0;
  let wrong = 0;
  for (const fact of item.case.key_facts) {
    const stating = item.claims.filter(
      (claim) => claim.citations.length > 0 && statesFact(stripCitations(claim.text), fact),
    );
    if (stating.length === 0) continue;
    cited += 1;
    const holders = item.shown.filter((source) => statesFact(source.text, fact)).map((source) => source.n);
    const attributed = stating.some((claim) => claim.citations.some((n) => holders.includes(n)));
    if (!attributed && holders.length > 0) wrong += 1;
  }
  return cited === 0 ? null : wrong / cited;
}
