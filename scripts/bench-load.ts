/**
 * `npm run bench:load [-- --result FILE]`: the goals of the load test, on a committed result or, with --run, on a fresh
 * sweep against the stand-in (needs k6). One ratio a line; exit 1 when one misses its goal.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadRatios } from '../loadtest/goals.ts';
import { resultSchema } from '../loadtest/result.ts';

const { values } = parseArgs({
  options: { result: { type: 'string', default: 'loadtest/results/stand-in.json' }, run: { type: 'boolean' } },
});
if (values.run) {
  const script = fileURLToPath(new URL('../loadtest/run.ts', import.meta.url));
  const args = [
    '--import',
    import.meta.resolve('tsx'),
    script,
    '--stand-in',
    '--duration',
    '120',
    '--name',
    'stand-in',
  ];
  execFileSync(process.execPath, args, { stdio: ['ignore', process.stderr, process.stderr] });
}
if (!existsSync(values.result)) {
  process.stderr.write(
    `There is no result ${values.result}; make one with npm run loadtest -- --stand-in, or name it with --result.\n`,
  );
  process.exit(64);
}
const ratios = loadRatios(resultSchema.parse(JSON.parse(readFileSync(values.result, 'utf8'))));
for (const { what, ratio, sign, goal, met, detail } of ratios) {
  process.stdout.write(
    `${what.padEnd(60)} ${ratio.toFixed(3)}  ${sign} ${goal}: ${met ? 'holds' : 'MISSED'}  (${detail})\n`,
  );
}
process.exitCode = ratios.every(({ met }) => met) ? 0 : 1;
