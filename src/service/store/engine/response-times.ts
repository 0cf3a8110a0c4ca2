/**
 * Response times of many results in little room, which can be added up: how many, their sum, least and most, and a
 * histogram whose classes are 2 % wide, so that a percentile read off it is at most 1 % wrong. Pure.
 */

/** Microseconds. Serialisable as it is. */
export interface Times {
  readonly count: number;
  readonly sum: number;
  /** 0 where nothing was measured. */
  readonly least: number;
  readonly most: number;
  /** How many fell into each class; class n holds what lies in (1.02ⁿ⁻¹, 1.02ⁿ], class 0 all up to 1 µs. */
  readonly classes: Readonly<Record<string, number>>;
}

export const NO_TIMES: Times = { count: 0, sum: 0, least: 0, most: 0, classes: {} };

const WIDTH = Math.log(1.02);

const classOf = (micros: number): number => (micros <= 1 ? 0 : Math.ceil(Math.log(micros) / WIDTH));
/** What stands for a class: as far, in proportion, from its one end as from the other. */
const middleOf = (number: number): number => (number === 0 ? 1 : (2 * 1.02 ** number) / (1 + 1.02));

/** The times of some measurements, in microseconds. */
export function timesOf(measured: readonly number[]): Times {
  const classes: Record<string, number> = {};
  let [sum, least, most] = [0, Number.POSITIVE_INFINITY, 0];
  for (const micros of measured) {
    const name = String(classOf(micros));
    classes[name] = (classes[name] ?? 0) + 1;
    sum += micros;
    least = Math.min(least, micros);
    most = Math.max(most, micros);
  }
  return measured.length === 0 ? NO_TIMES : { count: measured.length, sum, least, most, classes };
}

/** Both together, in whichever order. */
export function addedTimes(one: Times, other: Times): Times {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  const classes: Record<string, number> = { ...one.classes };
  for (const [name, count] of Object.entries(other.classes)) classes[name] = (classes[name] ?? 0) + count;
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    least: Math.min(one.least, other.least),
    most: Math.max(one.most, other.most),
    classes,
  };
}

/** The time that this share of all did not exceed (nearest rank), at most 1 % wrong; undefined where there is none. */
export function percentile(times: Times, share: number): number | undefined {
  if (times.count === 0) return undefined;
  let left = Math.max(1, Math.ceil(share * times.count));
  const classes = Object.entries(times.classes)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([one], [other]) => one - other);
  for (const [number, count] of classes) {
    left -= count;
    if (left <= 0) return Math.min(times.most, Math.max(times.least, middleOf(number)));
  }
  return times.most;
}
