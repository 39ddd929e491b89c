import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelFile } from './model-file.ts';

it('names and hashes the file, and refuses one that is not there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'askdocs-model-'));
  const path = join(folder, 'a.gguf');
  writeFileSync(path, 'abc');
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(await modelFile(path)()).toEqual({ name: 'a.gguf', sha256 });
  expect(await modelFile(undefined)()).toBeNull();
  expect(() => modelFile(join(folder, 'b.gguf'))).toThrow(/ASKDOCS_LLM_GGUF is ".*b\.gguf"; there is no such file/);
  rmSync(folder, { recursive: true });
});
