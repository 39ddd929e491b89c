import { defineCommand } from 'citty';
import { expect, test, vi } from 'vitest';
import { CodedError } from '../service/contract.ts';
import { runCli } from './cli.ts';

const root = defineCommand({
  meta: { name: 'askdocs', version: '1.2.3', description: 'the root' },
  subCommands: {
    add: defineCommand({
      meta: { name: 'add' },
      args: {
        path: { type: 'positional', required: true, description: 'what to add' },
        count: { type: 'string', description: 'how many' },
        live: { type: 'boolean', description: 'live' },
        dryRun: { type: 'boolean', description: 'dry' },
      },
      run: ({ args }) => (args.count === '3' ? 2 : 0),
    }),
    gate: defineCommand({
      meta: { name: 'gate' },
      subCommands: {
        fail: defineCommand({
          run: () => {
            throw new CodedError('bad_input', 'The file x is missing; give another.');
          },
        }),
        stopped: defineCommand({
          run: () => AbortSignal.abort().throwIfAborted(),
        }),
        crash: defineCommand({
          run: () => {
            throw new TypeError('boom');
          },
        }),
      },
    }),
  },
});

async function run(...argv: string[]) {
  let err = '';
  const code = await runCli(root, argv, { write: (text) => (err += text) });
  return { code, err };
}

test.each([
  [['addd'], /has no command "addd"; there are add, gate/],
  [['gate', 'x'], /askdocs gate has no command "x"/],
  [['add', 'p', '--cout', '3'], /askdocs add has no option --cout/],
  [['add', 'p', '-x'], /no option -x/],
  [['add', 'p', '--count'], /--count of askdocs add wants a value/],
  [['add'], /path/i],
  [['gate', 'fail'], /^askdocs: The file x is missing; give another\.\n$/],
])('wrong use %j: one sentence and 64', async (argv, message) => {
  const { code, err } = await run(...argv);
  expect(err).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(64);
});

test('a command returns its exit code; values may stand behind = or a space', async () => {
  expect(await run('add', 'p', '--count', '3')).toEqual({ code: 2, err: '' });
  expect(await run('add', 'p', '--count=3', '--live', '--dry-run')).toEqual({ code: 2, err: '' });
  expect(await run('add', 'p', '--no-live')).toEqual({ code: 0, err: '' });
});

test('a bug is 70 and shows its stack', async () => {
  const { code, err } = await run('gate', 'crash');
  expect(code).toBe(70);
  expect(err).toContain('TypeError: boom');
});

test('a command that was stopped is 130, and no bug', async () => {
  const { code, err } = await run('gate', 'stopped');
  expect(code).toBe(130);
  expect(err).toBe('askdocs: stopped before it was done.\n');
});

test('help has no colours where nobody sees them', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await run('--help');
  const shown = write.mock.calls.map(([text]) => String(text)).join('');
  write.mockRestore();
  expect(shown).toMatch(/USAGE askdocs add\|gate/);
});

test.each(['--version', '-V'])('%s prints the version alone', async (flag) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await run(flag)).toEqual({ code: 0, err: '' });
  const shown = write.mock.calls.map(([text]) => String(text)).join('');
  write.mockRestore();
  expect(shown).toBe('1.2.3\n');
});

test('a version is asked of the whole, not of one command', async () => {
  expect((await run('gate', '--version')).code).toBe(64);
});

test('help names options as the documentation spells them; both spellings are taken', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const help = await run('add', '--help');
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('');
  write.mockRestore();
  expect(help.code).toBe(0);
  expect(text).toContain('--dry-run');
  expect(text).not.toContain('dryRun');
  expect((await run('add', 'p', '--count', '3', '--dryRun')).code).toBe(2);
});
