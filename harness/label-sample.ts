/** Grading at a terminal: one claim with its passages at a time; every grade is on disk before the next claim is shown. */
import type { AgreementSample } from './agreement.ts';

export interface Labelling {
  sample: AgreementSample;
  /** Null at the end of input. */
  ask(question: string): Promise<string | null>;
  show(text: string): void;
  save(sample: AgreementSample): void;
}

/** Returns how many claims are left. */
export async function labelSample({ sample, ask, show, save }: Labelling): Promise<number> {
  const items = [...sample.items];
  const left = () => items.filter((item) => item.label === null).length;
  show(
    'Do the passages, taken alone, support all of the sentence? y yes, n no, with a reason behind it if you like; b back to the one before, q leave (all is kept).',
  );
  let at = items.findIndex((item) => item.label === null);
  while (at >= 0 && at < items.length) {
    const item = items[at];
    if (item === undefined) break;
    show(`\n(${at + 1} of ${items.length}) ${item.case_id}`);
    for (const passage of item.passages) show(`--- [${passage.citation}]\n${passage.context}`);
    show(`---\n${item.claim}`);
    const line = (await ask('Supported? [y/n/b/q] '))?.trim();
    if (line === undefined) return left();
    const [said, remark] = parts(line);
    if (said === 'q') return left();
    if (said === 'b') {
      at = Math.max(0, at - 1);
      continue;
    }
    if (said !== 'y' && said !== 'n') continue;
    items[at] = { ...item, label: said === 'y' ? 'faithful' : 'unfaithful', ...(remark === '' ? {} : { remark }) };
    save({ ...sample, items });
    const next = items.findIndex((other, index) => index > at && other.label === null);
    at = next < 0 ? items.findIndex((other) => other.label === null) : next;
  }
  return left();
}

/** `n the passage is about another option`: the grade, and why. */
function parts(line: string): [said: string, remark: string] {
  const [said = '', ...rest] = line.split(/\s+/);
  return [said.toLowerCase(), rest.join(' ')];
}
