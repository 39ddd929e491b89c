/**
 * How often a judge says yes where a person does (sensitivity), and no where a person does (specificity), each with its Wilson interval.
 * Smallest n: 1 item of that kind; without one the rate is null, not 0.
 */
import type { Table2x2 } from './kappa.ts';
import { wilson } from './wilson.ts';

export interface Rate {
  k: number;
  n: number;
  rate: number | null;
  low: number;
  high: number;
}

/** Rows: the judge says yes, no. Columns: the person says yes, no. */
export function sensitivitySpecificity([[a, b], [c, d]]: Table2x2): { sensitivity: Rate; specificity: Rate } {
  return { sensitivity: rateOf(a, a + c), specificity: rateOf(d, b + d) };
}

/** The other direction: how often a yes (PPV) and a no (NPV) of the judge is right. */
export function predictiveValues([[a, b], [c, d]]: Table2x2): { ppv: Rate; npv: Rate } {
  return { ppv: rateOf(a, a + b), npv: rateOf(d, c + d) };
}

function rateOf(k: number, n: number): Rate {
  return { k, n, rate: n === 0 ? null : k / n, ...wilson(k, n) };
}
