/** What a check or a comparison found wrong, each one sentence, with the place it is about. */

export interface Finding {
  /** `invalid`: records that cannot be trusted. `stale`: records of something else than what is there now. `floor`: not good enough. */
  kind: 'invalid' | 'stale' | 'floor';
  message: string;
  /** Where to look: a file as the user names it, and a line of it. */
  file?: string | undefined;
  line?: number | undefined;
  /** The cases it is about, with their lines in `file`. */
  cases?: CasePlace[] | undefined;
}

export interface CasePlace {
  id: string;
  line: number | undefined;
}

/** Exit codes of every gate command. */
export const GATE_EXIT = { pass: 0, regression: 1, inconclusive: 2, invalid: 3 } as const;

/** What cannot be trusted says nothing about quality, so it outranks a floor. */
export function exitOf(findings: readonly Finding[]): number {
  if (findings.some(({ kind }) => kind !== 'floor')) return GATE_EXIT.invalid;
  return findings.length > 0 ? GATE_EXIT.regression : GATE_EXIT.pass;
}

/** GitHub workflow commands: an annotation on the line of each case a finding is about, or one for the finding alone. */
export function annotations(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => {
    const { cases = [], kind, message } = finding;
    const title = `gate: ${kind}`;
    const own =
      cases.length === 1 ? [] : [command({ file: cases.length > 0 ? undefined : finding.file, title }, message)];
    return [
      ...own,
      ...cases.map(({ id, line }) =>
        command({ file: finding.file, line, title }, cases.length === 1 ? message : `${id}: ${message}`),
      ),
    ];
  });
}

/** The first ids, and how many more there are. */
export function listCases(cases: readonly CasePlace[], most = 8): string {
  const more = cases.length > most ? ` and ${cases.length - most} more` : '';
  return `${cases
    .slice(0, most)
    .map(({ id }) => id)
    .join(', ')}${more}`;
}

function command(
  where: { file?: string | undefined; line?: number | undefined; title: string },
  message: string,
): string {
  const properties = Object.entries(where)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::error ${properties.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
