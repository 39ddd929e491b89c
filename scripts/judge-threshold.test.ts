import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { GradedPair } from '../harness/grade.ts';
import { llmJudge } from '../harness/judges/llm.ts';
import { calibrationOf, checkCalibration, readThreshold, writeCalibration } from './judge-threshold.ts';

const judge = (weights?: string) =>
  llmJudge({
    baseUrl: 'http://localhost',
    model: 'm',
    secret: 's',
    ...(weights === undefined ? {} : { identity: { sha256: weights } }),
  }).info;

function graded(label: 'faithful' | 'unfaithful', score: number): GradedPair {
  const ruling = { status: 'judged', supported: score >= 0.5, score, reason: null } as const;
  return { pair: { context: 'c', claim: `${label} ${score}`, label }, ruling };
}

const PAIRS = [graded('faithful', 0.3), graded('faithful', 0.4), graded('unfaithful', 0.1), graded('unfaithful', 0.2)];

function file(): string {
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-threshold-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, 'threshold.json');
}

test('a threshold is calibrated, written, and read again for the same judge', () => {
  const path = file();
  const calibration = calibrationOf(judge('aa'), PAIRS);
  expect(calibration).toMatchObject({ threshold: 0.3, balanced_accuracy: 1, model: 'm', pairs: { n: 4 } });
  if (calibration !== null) writeCalibration(path, calibration);
  const read = readThreshold(path);
  expect(read.threshold).toBe(0.3);
  expect(() => checkCalibration(read.calibration, judge('aa'))).not.toThrow();
});

test('it is refused for other weights, and one label alone calibrates nothing', () => {
  const calibration = calibrationOf(judge('aa'), PAIRS);
  expect(() => checkCalibration(calibration, judge('bb'))).toThrow('calibrate again');
  expect(() => checkCalibration(calibration, judge())).toThrow('calibrate again');
  expect(calibrationOf(judge('aa'), PAIRS.slice(0, 2))).toBeNull();
});

test.each(['2', '-1', 'no such file', ''])('neither a number nor a file: "%s"', (given) => {
  expect(() => readThreshold(given)).toThrow('--judge-threshold takes a number from 0 to 1');
});

test('a file of something else is refused', () => {
  const path = file();
  writeFileSync(path, '{"threshold": 0.4}');
  expect(() => readThreshold(path)).toThrow('--write-threshold wrote');
});

test('weights of another hash are another judge', () => {
  expect(judge('aa').fingerprint).not.toBe(judge('bb').fingerprint);
  expect(judge('aa').prompt_hash).toBe(judge('bb').prompt_hash);
});
