/** gate.json: which runs stand for the project, what they must reach, and how large a drop is tolerated in a comparison. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { CodedError } from '../../service/contract.ts';
import { metricInfo } from '../metrics/catalog.ts';
import { writeJson } from '../run.ts';

const knownMetric = z.string().refine((name) => metricInfo(name) !== undefined, 'is not a metric of askdocs');

const floorSchema = z
  .strictObject({
    metric: knownMetric,
    /** `overall`, `kind:factual`, `split:test`, … */
    slice: z.string().default('overall'),
    at_least: z.number().min(0).max(1).optional(),
    at_most: z.number().min(0).max(1).optional(),
    /** Why this bound, where the rule of `gate floors` did not make it. */
    reason: z.string().optional(),
  })
  .superRefine((floor, context) => {
    const wanted = metricInfo(floor.metric)?.direction === 'lower' ? 'at_most' : 'at_least';
    const other = wanted === 'at_most' ? 'at_least' : 'at_most';
    if (floor[wanted] === undefined || floor[other] !== undefined) {
      context.addIssue({ code: 'custom', path: [wanted], message: `${floor.metric} is bounded by ${wanted} alone` });
    }
  });
export type Floor = z.infer<typeof floorSchema>;

const noiseSchema = z.strictObject({
  /** Largest gap between the means of any two runs of the same code. */
  gap: z.number().min(0),
  /** Variance of whole runs beyond the noise of their cases. */
  tau2: z.number().min(0),
  /** Mean variance of one case over its runs. */
  within: z.number().min(0),
  /** How many runs it was taken from. */
  runs: z.number().int().min(2),
});
export type Noise = z.infer<typeof noiseSchema>;

const gateSchema = z.strictObject({
  v: z.literal(1),
  /** The cases as they are now; each baseline must have been asked exactly these. */
  cases: z.string(),
  baselines: z
    .array(z.strictObject({ run: z.string(), floors: z.array(floorSchema).default([]) }))
    .min(1, 'names no run to check'),
  /** The metrics that gate a comparison, and the largest drop of each that is tolerated. */
  margins: z.record(knownMetric, z.number().gt(0).max(1)),
  /** By metric, from `gate noise --write`. */
  noise: z.record(knownMetric, noiseSchema).default({}),
});
export type GateConfig = z.infer<typeof gateSchema>;

/** Margins where there is no gate.json: those of docs/ci.md. */
export const DEFAULT_MARGINS: GateConfig['margins'] = {
  context_recall: 0.05,
  key_fact_recall: 0.05,
  right_decision: 0.05,
  faithfulness: 0.05,
};

export interface LoadedGate {
  path: string;
  config: GateConfig;
  /** A path of gate.json as seen from the working directory. */
  at(path: string): string;
}

/** Throws `bad_input` with a sentence that names the file and the field. */
export function loadGate(path: string): LoadedGate {
  if (!existsSync(path)) {
    throw new CodedError('bad_input', `${path} does not exist; name the gate file with --gate, docs/ci.md shows one`);
  }
  const result = gateSchema.safeParse(parseJson(path));
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new CodedError('bad_input', `${path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  return { path, config: result.data, at: (inside) => resolve(dirname(path), inside) };
}

/** Keeps the file as it is but for the parts given. */
export function updateGate(path: string, change: Partial<GateConfig>): void {
  writeJson(path, { ...(parseJson(path) as object), ...change });
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new CodedError('bad_input', `${path} is not valid JSON: ${String(cause)}`, { cause });
  }
}
