/** 1 when an answer cites a number no source has, else 0; null for refusals and errors. The rate is over answers. Smallest n: 1 answer. */
import type { Answered } from './answered.ts';

export function citesOutOfRange(item: Answered): number | null {
  return item.spoke ? Number(item.invalid.length > 0) : null;
}
