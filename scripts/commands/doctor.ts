/** `askdocs doctor`: is everything there that the settings ask for, and what to do where it is not. */
import { defineCommand } from 'citty';
import packageJson from '../../package.json' with { type: 'json' };
import type { Check } from '../doctor/check.ts';
import { examine } from '../doctor/examine.ts';
import { readEnvironment } from '../environment.ts';
import { createProgress } from '../progress.ts';
import { formatArg, printJson } from '../tables.ts';

export const doctorCommand = defineCommand({
  meta: {
    name: 'doctor',
    description:
      'Look at Node, settings, index, embedder, model, port, disk and k6, and say what to do. Exit code: 0 nothing fails, 1 something does.',
  },
  args: {
    db: {
      type: 'string',
      description: 'Index to look at (default: ASKDOCS_MCP_DB, or data/docs.db)',
      valueHint: 'FILE',
    },
    format: formatArg,
  },
  async run({ args }) {
    const env = readEnvironment();
    const progress = createProgress();
    progress.update(0, 1, 'starting the search server, asking the model');
    const checks = await examine(args.db === undefined ? env : { ...env, ASKDOCS_MCP_DB: args.db });
    progress.end();
    const failed = checks.filter(({ level }) => level === 'fail').length;
    if (args.format === 'json') printJson({ version: packageJson.version, ok: failed === 0, checks });
    else process.stdout.write(checksText(checks));
    return failed === 0 ? 0 : 1;
  },
});

function checksText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ level, name, found, todo }) => [
    `${level.padEnd(4)}  ${name.padEnd(width)}  ${found}`,
    ...(todo === null ? [] : [`${' '.repeat(width + 8)}${todo}`]),
  ]);
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length;
  return `${lines.join('\n')}\n\n${count('ok')} ok, ${count('warn')} to know, ${count('fail')} to mend.\n`;
}
