import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCliIn } from '../testing/run-cli.ts';

test.each([[['index', '.']], [['doctor']]])(
  '%j reads the file .env like the service: an embedder named there is the one that is wanted',
  async (args) => {
    const dir = mkdtempSync(join(tmpdir(), 'askdocs-dotenv-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'a.md'), '# A\n\nText.\n');
    writeFileSync(join(dir, '.env'), 'ASKDOCS_EMBED_MODEL=nobody-has-this\n');
    const { code, out, err } = await runCliIn(dir, args);
    expect(code).toBeGreaterThan(0);
    expect(out + err).toContain('There is no embedder nobody-has-this');
    // The environment wins over the file.
    expect((await runCliIn(dir, ['index', '.'], { ASKDOCS_EMBED_MODEL: 'none' })).code).toBe(0);
  },
);
