/** Enough of a Dockerfile's syntax to hold ours against what it promises. */
export interface Instruction {
  name: string;
  /** Flags such as --from=x are kept apart. */
  flags: string[];
  /** Of the JSON form its items, else the words. */
  args: string[];
  text: string;
}

/** The stages in order; what stands before the first FROM is left out. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  const stages: Instruction[][] = [];
  for (const line of lines.filter((text) => text.trim() !== '')) {
    const instruction = parse(line.trim());
    if (instruction.name === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

/** What ENV sets. */
export function envOf(stage: readonly Instruction[]): Record<string, string> {
  const pairs = stage.filter(({ name }) => name === 'ENV').flatMap(({ args }) => args);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function parse(line: string): Instruction {
  const [name = '', ...words] = line.split(/\s+/);
  const flags = words.filter((word) => word.startsWith('--'));
  const text = line.slice(name.length).trim();
  const json = /\[.*\]$/.exec(text)?.[0];
  const args = json === undefined ? words.filter((word) => !word.startsWith('--')) : (JSON.parse(json) as string[]);
  return { name: name.toUpperCase(), flags, args, text };
}
