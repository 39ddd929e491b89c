/**
 * `npm run bench [-- NAME...]`: runs every benchmark of package.json (`bench:NAME`), one after another, and prints one
 * table of ratios with the goal of each. What a benchmark prints itself goes to stderr. Exit 1 when a goal is missed.
 */
import { spawn } from 'node:child_process';
import packageJson from '../package.json' with { type: 'json' };
import { allMet, benchTable, type Outcome, readRows } from './bench/read.ts';

const PREFIX = 'bench:';
const all = Object.keys(packageJson.scripts).flatMap((name) =>
  name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [],
);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}; there are ${all.join(', ')}.\n`);
  process.exit(64);
}

const outcomes: Outcome[] = [];
for (const name of wanted.length > 0 ? wanted : all) {
  process.stderr.write(`\n== npm run ${PREFIX}${name}\n`);
  outcomes.push(await run(name));
}
process.stdout.write(`${benchTable(outcomes)}\n`);
process.exitCode = allMet(outcomes) ? 0 : 1;

async function run(name: string): Promise<Outcome> {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', PREFIX + name], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stderr.write(text);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { name, rows: readRows(output), code, seconds: (performance.now() - started) / 1000 };
}
