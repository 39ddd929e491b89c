/** Schemathesis against the published OpenAPI document: valid and invalid input, methods, headers, well over 2,000 cases. */
import { join } from 'node:path';
import { keep, python, ROOT, run, startProofService } from './setup.ts';

/** For each operation with input that varies; in all over 2,000 cases, whose number the output tells. */
const EXAMPLES = 600;

export async function proveSchemathesis(): Promise<boolean> {
  const bin = await python(['schemathesis==4.32.5']);
  // More slots than workers, so that no honest request meets a 503.
  const service = await startProofService({ ASKDOCS_MAX_CONCURRENT: '64' });
  try {
    const args = [
      '--config-file',
      join(ROOT, 'scripts', 'proofs', 'schemathesis.toml'),
      'run',
      `${service.url}/openapi.json`,
      '--url',
      service.url,
      '--max-examples',
      String(EXAMPLES),
      '--checks',
      'all',
      '--workers',
      '2',
      '--seed',
      '20261202',
      '--generation-database',
      'none',
      '--no-color',
    ];
    const { code, output } = await run(join(bin, 'schemathesis'), args);
    keep('schemathesis', output, service.url);
    return code === 0;
  } finally {
    await service.close();
  }
}
