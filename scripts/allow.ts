/** What `--allow` lets through. */
import { ALLOW_KINDS, type AllowKind } from '../harness/gate/sides.ts';
import { CodedError } from '../service/contract.ts';

export function allowedKinds(text: string): AllowKind[] {
  return text
    .split(',')
    .filter((kind) => kind !== '')
    .map((kind) => {
      const known = ALLOW_KINDS.find((name) => name === kind);
      if (known === undefined)
        throw new CodedError('bad_input', `--allow takes ${ALLOW_KINDS.join(', ')}, not "${kind}"`);
      return known;
    });
}
