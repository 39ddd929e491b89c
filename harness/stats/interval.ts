/** A confidence interval and how it was made, in words fit for a report. */
export interface Interval {
  low: number;
  high: number;
  method: string;
}

/** The level of every interval unless a caller says otherwise. */
export const CONFIDENCE = 0.95;
