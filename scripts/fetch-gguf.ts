/**
 * Fetches the model that the compose stack answers with: resumes what broke off, checks the SHA-256, puts the file in
 * place only when it is right. From MODEL_URL, MODEL_SHA256 and MODEL_FILE: tsx scripts/fetch-gguf.ts
 */

import { fetchFile, orderFrom } from './pinned-file.ts';
import { createProgress } from './progress.ts';

try {
  const order = orderFrom(process.env);
  const progress = createProgress();
  const fetched = await fetchFile(order, progress.update);
  progress.end(fetched ? `${order.file} is complete, and its SHA-256 as wanted.` : `${order.file} is there already.`);
} catch (error) {
  console.error(`fetch-gguf: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 69;
}
