import { expect, it } from 'vitest';
import { readProfile } from './profile-read.ts';

it('adds up busy time by part, and by function of ours with all it calls', () => {
  const frame = (functionName: string, url: string) => ({ functionName, url });
  const nodes = [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 3] },
    { id: 2, callFrame: frame('(idle)', '') },
    { id: 3, callFrame: frame('finish', 'file:///x/service/answer.ts'), children: [4, 5] },
    { id: 4, callFrame: frame('parse', 'file:///x/node_modules/zod/core.js') },
    { id: 5, callFrame: frame('finish', 'file:///x/service/answer.ts') },
  ];
  const shares = readProfile(JSON.stringify({ nodes, samples: [2, 3, 4, 5], timeDeltas: [9_000_000, 1e6, 2e6, 1e6] }));
  expect(shares.busySeconds).toBe(4);
  expect(shares.self).toEqual([
    ['service/answer.ts', 0.5],
    ['zod', 0.5],
  ]);
  // Counted once, though it stands twice in one stack.
  expect(shares.within).toEqual([['finish (service/answer.ts)', 1]]);
});
