/** `npm run prove NAME`: other people's programs against the service; what they print is kept in docs/proofs. */
import { CodedError } from '../service/contract.ts';
import { proveMcpInspector } from './proofs/mcp-inspector.ts';
import { proveNginx } from './proofs/nginx.ts';
import { proveOpenaiPython } from './proofs/openai-python.ts';
import { proveReplicas } from './proofs/replicas.ts';
import { proveSchemathesis } from './proofs/schemathesis.ts';
import { proveSearchInspector } from './proofs/search-inspector.ts';

const PROOFS: Record<string, () => Promise<boolean>> = {
  schemathesis: proveSchemathesis,
  'openai-python': proveOpenaiPython,
  nginx: proveNginx,
  replicas: proveReplicas,
  'mcp-inspector': proveMcpInspector,
  'search-inspector': proveSearchInspector,
};

const names = process.argv.slice(2);
for (const name of names.length === 0 ? Object.keys(PROOFS) : names) {
  const prove = PROOFS[name];
  if (prove === undefined) {
    throw new CodedError('bad_input', `There is no proof ${name}; there are ${Object.keys(PROOFS).join(', ')}.`);
  }
  const held = await prove();
  console.log(`${name}: ${held ? 'holds' : 'does not hold'}`);
  if (!held) process.exitCode = 1;
}
