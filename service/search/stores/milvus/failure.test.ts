import { expect, it } from 'vitest';
import { parseAddress } from './address.ts';
import { ageOf, newBuild } from './collections.ts';
import { asFailure, isMissing, Refused } from './failure.ts';

const address = parseAddress('milvus://127.0.0.1:19530/docs');

it('an answer that the client throws whole is told by its reason, and known for what it is', () => {
  const answer = { status: { error_code: 'CollectionNotExists', reason: "collection 'a' does not exist", code: 100 } };
  const failure = asFailure(answer, address);
  expect(failure.message).toBe("The engine of milvus://127.0.0.1:19530/docs failed: collection 'a' does not exist");
  expect(failure.cause).toBeInstanceOf(Refused);
  expect(isMissing(failure)).toBe(true);
});

it('the name of a build tells when it was begun', () => {
  const age = ageOf(newBuild('my_docs'), 'my_docs');
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(10_000);
});
