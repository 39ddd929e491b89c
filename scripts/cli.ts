/** Runs one citty command tree strictly: unknown commands and options are refused with a sentence. */
import { stripVTControlCharacters } from 'node:util';
import { type ArgDef, type CommandDef, renderUsage, runCommand } from 'citty';
import { CodedError, type ErrorCode } from '../service/contract.ts';

/** Exit codes beside the gate's verdicts (0 to 3), as sysexits numbers them. */
export const EXIT = { usage: 64, unavailable: 69, internal: 70, interrupted: 130 } as const;

// A tree holds commands of many argument types; only their names are looked at here.
type Command = CommandDef<Record<string, ArgDef>>;

const exitOf: Partial<Record<ErrorCode, number>> = {
  bad_input: EXIT.usage,
  bad_config: EXIT.usage,
  not_found: EXIT.usage,
  internal: EXIT.internal,
  cancelled: EXIT.interrupted,
};

/** Returns the exit code; never throws. */
export async function runCli(root: Command, argv: string[], err: { write(text: string): unknown }): Promise<number> {
  try {
    if (argv.length === 1 && ['--version', '-V'].includes(argv[0] ?? '')) {
      process.stdout.write(`${(await settle(root.meta))?.version}\n`);
      return 0;
    }
    const { command, parent, path, rest } = await resolve(root, argv);
    const subCommands = await namesOf(command);
    if (asksForHelp(rest) || (subCommands.length > 0 && rest.length === 0)) {
      process.stdout.write(`${plainUnlessShown(await renderUsage(documented(command), parent))}\n`);
      return 0;
    }
    if (subCommands.length > 0) throw unknownCommand(path, rest[0] ?? '', subCommands);
    refuseUnknown(command, path, rest);
    const { result } = await runCommand(command, { rawArgs: rest });
    return typeof result === 'number' ? result : 0;
  } catch (error) {
    return report(error, err);
  }
}

async function resolve(root: Command, argv: string[]) {
  let command = root;
  let parent: Command | undefined;
  const path = ['askdocs'];
  let rest = argv;
  for (;;) {
    const next = rest[0];
    const subs = (await settle(command.subCommands)) as Record<string, Command> | undefined;
    if (next === undefined || subs === undefined || !Object.hasOwn(subs, next)) break;
    parent = { ...command, meta: { name: path.join(' ') } };
    command = await settle(subs[next] as Command);
    path.push(next);
    rest = rest.slice(1);
  }
  return { command, parent, path: path.join(' '), rest };
}

async function settle<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof value === 'function' ? await (value as () => T | Promise<T>)() : await value;
}

async function namesOf(command: Command): Promise<string[]> {
  return Object.keys((await settle(command.subCommands)) ?? {});
}

function asksForHelp(rest: string[]): boolean {
  const end = rest.indexOf('--');
  return rest.slice(0, end === -1 ? rest.length : end).some((word) => word === '--help' || word === '-h');
}

/** The options as the documentation spells them; both spellings are accepted. */
function documented(command: Command): Command {
  const args = Object.entries((command.args ?? {}) as Record<string, ArgDef>);
  return {
    ...command,
    args: Object.fromEntries(args.map(([name, def]) => [def.type === 'positional' ? name : kebab(name), def])),
  };
}

/** Colours are for terminals whose user did not decline them. */
function plainUnlessShown(text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? text : stripVTControlCharacters(text);
}

function unknownCommand(path: string, given: string, known: string[]): CodedError {
  return new CodedError(
    'bad_input',
    `${path} has no command "${given}"; there are ${known.join(', ')}. Try ${path} --help.`,
  );
}

function refuseUnknown(command: Command, path: string, rest: string[]): void {
  const defs = Object.entries((command.args ?? {}) as Record<string, ArgDef>);
  const known = new Map(
    defs.flatMap(([name, def]) => [name, kebab(name), ...aliases(def)].map((n) => [n, def] as const)),
  );
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (word === '--') return;
    if (!/^-[^\d]/.test(word)) continue;
    const [flag = '', inline] = word.replace(/^--?/, '').split('=', 2);
    const def = known.get(flag) ?? (flag.startsWith('no-') ? known.get(flag.slice(3)) : undefined);
    if (def === undefined || def.type === 'positional') {
      throw new CodedError('bad_input', `${path} has no option ${word.split('=')[0]}. Try ${path} --help.`);
    }
    if (def.type === 'boolean' || inline !== undefined) continue;
    const value = rest[at + 1];
    if (value === undefined || /^--?[a-z]/i.test(value)) {
      throw new CodedError('bad_input', `The option ${word} of ${path} wants a value. Try ${path} --help.`);
    }
    at++;
  }
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function aliases(def: ArgDef): string[] {
  return 'alias' in def && def.alias ? [def.alias].flat() : [];
}

/** As a shell has it for SIGINT. */
const INTERRUPTED = 130;

function report(error: unknown, err: { write(text: string): unknown }): number {
  if (error instanceof CodedError) {
    err.write(`askdocs: ${error.message}\n`);
    return exitOf[error.code] ?? EXIT.unavailable;
  }
  if (error instanceof Error && error.name === 'CLIError') {
    err.write(`askdocs: ${error.message} Try askdocs --help.\n`);
    return EXIT.usage;
  }
  // Ctrl-C in the middle of a request: nothing went wrong.
  if (error instanceof Error && error.name === 'AbortError') {
    err.write('askdocs: stopped before it was done.\n');
    return INTERRUPTED;
  }
  err.write(
    `askdocs: something unforeseen went wrong: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.internal;
}
