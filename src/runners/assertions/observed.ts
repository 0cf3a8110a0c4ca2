/**
 * Tells data that sonde read whole from data that it cut, could not decode or did not wait for. Assertions accept only
 * the first kind (`subject.ts`), so that no comparison, above all no negative one, holds because of missing data.
 * The values are JSON, so that they can travel to the evaluator process.
 */

/** A value that sonde read whole. */
export interface Complete<Value> {
  readonly complete: Value;
}

/** The part of a value that sonde read, for storage and display. */
export interface Incomplete<Value> {
  readonly part: Value;
  /** Why the rest is missing, as a sentence without a full stop. */
  readonly incomplete: string;
}

export type Observed<Value> = Complete<Value> | Incomplete<Value>;

export const complete = <Value>(value: Value): Complete<Value> => ({ complete: value });

export const incomplete = <Value>(part: Value, why: string): Incomplete<Value> => ({ part, incomplete: why });

export const isComplete = <Value>(observed: Observed<Value>): observed is Complete<Value> =>
  'complete' in observed;

/** Returns what was read, complete or not: for storage and display, never for assertions. */
export const partOf = <Value>(observed: Observed<Value>): Value =>
  isComplete(observed) ? observed.complete : observed.part;
