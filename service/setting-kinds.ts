/** What a setting may be: parsers of one environment value each. Pure. */
import { z } from 'zod';

/** Parses one value; `undefined` stands for a variable that is not set or empty. */
export type Kind<T> = z.ZodType<T, string | undefined>;

export const text = (fallback: string): Kind<string> => z.string().default(fallback);
export const optionalText: Kind<string | undefined> = z.string().optional();
export const secretText: Kind<string | undefined> = z.string().min(16).optional();
const isHttp = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
export const url = (fallback: string): Kind<string> =>
  z
    .string()
    .refine(isHttp)
    .transform((value) => value.replace(/\/+$/, ''))
    .default(fallback);
export const optionalUrl: Kind<string | undefined> = z.string().refine(isHttp).optional();

/** What stands between commas; empty places are left out. */
export function list(item: RegExp): Kind<readonly string[]> {
  return z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine((items) => items.every((part) => item.test(part)))
    .default([]) as unknown as Kind<readonly string[]>;
}

export function oneOf<const T extends string>(first: T, ...others: T[]): Kind<T> {
  return z.enum([first, ...others]).default(first) as unknown as Kind<T>;
}

export function decimal(fallback: number, min: number, max: number): Kind<number> {
  const inRange = (value: number) => value >= min && value <= max;
  return z
    .string()
    .regex(/^-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?$/i)
    .transform(Number)
    .refine(inRange)
    .default(fallback);
}

/** A part of one, as a decimal or as a fraction: 0.5 or 1/2. */
export const share: Kind<number> = z
  .string()
  .regex(/^(?:0?\.\d+|1(?:\.0+)?|[1-9]\d{0,3}\/[1-9]\d{0,3})$/)
  .transform((value) => {
    const [part = '', of = '1'] = value.split('/');
    return Number(part) / Number(of);
  })
  .refine((value) => value > 0 && value <= 1)
  .default(1);

export function whole(fallback: number, min: number, max: number): Kind<number> {
  return decimal(fallback, min, max).refine(Number.isInteger) as Kind<number>;
}

export function flag(fallback: boolean): Kind<boolean> {
  const words: Record<string, boolean> = {
    true: true,
    '1': true,
    yes: true,
    on: true,
    false: false,
    '0': false,
    no: false,
    off: false,
  };
  return z
    .string()
    .toLowerCase()
    .refine((word) => Object.hasOwn(words, word))
    .transform((word) => words[word] === true)
    .default(fallback);
}

/** Words divided by spaces; single or double quotes keep spaces within one. */
export const commandLine: Kind<readonly string[] | undefined> = z
  .string()
  .refine((line) => (line.match(/"/g)?.length ?? 0) % 2 === 0)
  .transform((line) =>
    [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2')),
  )
  .optional();
