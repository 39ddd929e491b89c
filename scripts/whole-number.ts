import { CodedError } from '../service/contract.ts';

export function wholeNumber(option: string, given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= 1000) return value;
  throw new CodedError('bad_input', `${option} takes a whole number from 1 to 1000, not "${given}"`);
}
