/** Ratios with their goals, printed as `npm run bench` reads them. */
interface Goal {
  what: string;
  measured: number;
  sign: '<=' | '>=';
  bound: number;
}

export const atMost = (what: string, measured: number, bound: number): Goal => ({ what, measured, sign: '<=', bound });
export const atLeast = (what: string, measured: number, bound: number): Goal => ({ what, measured, sign: '>=', bound });

/** Prints one line each; true when all are met. */
export function printGoals(goals: readonly Goal[]): boolean {
  const met = ({ measured, sign, bound }: Goal) => (sign === '<=' ? measured <= bound : measured >= bound);
  for (const goal of goals) {
    const { what, measured, sign, bound } = goal;
    console.log(`${what.padEnd(60)} ${measured.toFixed(4)}  ${sign} ${bound}: ${met(goal) ? 'holds' : 'MISSED'}`);
  }
  return goals.every(met);
}
