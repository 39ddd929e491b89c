/** Reads the options of the load test's commands; each refusal names the option, what was given and what it takes. */
import { CodedError } from '../service/contract.ts';

export function numberOf(option: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (given.trim() !== '' && value >= least && value <= most) return value;
  throw new CodedError('bad_input', `${option} takes a number from ${least} to ${most}, not "${given}".`);
}

/** `1,4,16` */
export function listOf(option: string, given: string): number[] {
  const values = given.split(',').map(Number);
  if (values.every((value) => Number.isInteger(value) && value >= 1 && value <= 1000)) return values;
  throw new CodedError('bad_input', `${option} takes whole numbers from 1 to 1000, such as 1,4,16, not "${given}".`);
}

/** `limit=2,4,8`; nothing: no limits. */
export function sweptLimits(given: string | undefined): number[] {
  if (given === undefined) return [];
  const match = /^limit=(.*)$/.exec(given);
  if (match === null) throw new CodedError('bad_input', `--sweep takes limit=2,4,8, not "${given}".`);
  return listOf('--sweep limit', match[1] ?? '');
}
