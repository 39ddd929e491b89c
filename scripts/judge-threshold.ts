/** A threshold of the llm judge with what it was calibrated on, in a file: it holds for that model and prompt only. */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { bestThreshold, type GradedPair } from '../harness/grade.ts';
import { hashOf } from '../harness/hash.ts';
import type { JudgeInfo } from '../harness/schema.ts';
import { CodedError } from '../service/contract.ts';

const calibrationSchema = z.object({
  v: z.literal(1),
  threshold: z.number().min(0).max(1),
  model: z.string(),
  prompt_hash: z.string(),
  /** Of the model's file or server; as in the judge's settings. */
  weights: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  pairs: z.object({ n: z.number().int(), hash: z.string() }),
  /** On these same pairs: an upper bound of what to expect elsewhere. */
  balanced_accuracy: z.number(),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/** Null when the pairs cannot tell: no scores, or one label only. */
export function calibrationOf(judge: JudgeInfo, graded: readonly GradedPair[]): Calibration | null {
  const best = bestThreshold(graded);
  if (best === null) return null;
  const used = graded.filter(({ pair, ruling }) => pair.label !== undefined && ruling.score !== null);
  const { weights } = z.object({ weights: calibrationSchema.shape.weights }).parse(judge.settings);
  return {
    v: 1,
    threshold: best.threshold,
    model: judge.model,
    prompt_hash: judge.prompt_hash,
    ...(weights === undefined ? {} : { weights }),
    pairs: { n: used.length, hash: hashOf(used.map(({ pair }) => [pair.context, pair.claim, pair.label])) },
    balanced_accuracy: Math.round(best.balancedAccuracy * 1e4) / 1e4,
  };
}

export function writeCalibration(path: string, calibration: Calibration): void {
  writeFileSync(path, `${JSON.stringify(calibration, null, 2)}\n`);
}

/** `given` is a number from 0 to 1, or such a file. */
export function readThreshold(given: string): { threshold: number; calibration: Calibration | null } {
  const value = Number(given);
  if (given.trim() !== '' && value >= 0 && value <= 1) return { threshold: value, calibration: null };
  const parsed = calibrationSchema.safeParse(parseFile(given));
  if (parsed.success) return { threshold: parsed.data.threshold, calibration: parsed.data };
  throw new CodedError(
    'bad_input',
    `--judge-threshold takes a number from 0 to 1, or a file that askdocs judge --write-threshold wrote, not "${given}"`,
  );
}

/** Refuses a threshold that was calibrated for another judge. */
export function checkCalibration(calibration: Calibration | null, judge: JudgeInfo): void {
  if (calibration === null) return;
  const { weights } = judge.settings;
  const isSame =
    calibration.model === judge.model &&
    calibration.prompt_hash === judge.prompt_hash &&
    hashOf(calibration.weights ?? null) === hashOf(weights ?? null);
  if (isSame) return;
  throw new CodedError(
    'bad_input',
    `the threshold was calibrated for ${calibration.model} with another prompt or other weights than ${judge.model} here has; calibrate again with askdocs judge --write-threshold`,
  );
}

function parseFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
