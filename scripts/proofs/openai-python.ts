/** The stock Python client of the OpenAI API against the service: whole, streamed, broken off, refused. */
import { join } from 'node:path';
import { chunkText, llmStandIn, raw } from '../../service/testing/llm-stand-in.ts';
import { keep, python, ROOT, run, startProofService } from './setup.ts';

export async function proveOpenaiPython(): Promise<boolean> {
  const bin = await python(['openai==3.57.0']);
  const keys = { ASKDOCS_API_KEYS: 'first-key-1' };
  const model = await llmStandIn(raw([chunkText('It is ')], 'cut'));
  const good = await startProofService(keys);
  const broken = await startProofService({
    ...keys,
    ASKDOCS_LLM_PROVIDER: 'llamacpp',
    ASKDOCS_LLM_BASE_URL: model.url,
    ASKDOCS_LLM_MAX_RETRIES: '0',
  });
  try {
    const env = { BASE_URL: good.url, BROKEN_URL: broken.url };
    const { code, output } = await run(join(bin, 'python'), [join(ROOT, 'scripts/proofs/openai_client.py')], env);
    keep('openai-python', output);
    return code === 0;
  } finally {
    await Promise.all([good.close(), broken.close(), model.close()]);
  }
}
