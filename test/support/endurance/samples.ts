/** How much the service holds over time: samples between two restarts, and whether they lie flat. Pure but for the reading. */
import { readdirSync, readFileSync, statSync } from 'node:fs';

/** One look from outside. */
export interface Sample {
  /** Ms on a clock that only runs forward. */
  readonly at: number;
  readonly rssMb: number;
  readonly descriptors: number;
}

/** One look from inside, after a collection of garbage. */
export interface Probe {
  readonly at: number;
  readonly heapMb: number;
  /** Of all maps and sets; of all lists; all objects. */
  readonly entries: number;
  readonly items: number;
  readonly objects: number;
  /** Timers, sockets and requests that are open. */
  readonly resources: number;
}

/** A stretch of time in which nothing was restarted and the load stayed the same. */
export interface Stretch {
  readonly samples: readonly Sample[];
  readonly probes: readonly Probe[];
  /** Sessions that ended meanwhile, a minute. */
  readonly sessionsPerMinute: number;
}

/** Undefined where there is no such process. */
export function look(pid: number, at: number): Sample | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (kib === undefined) return undefined;
    return { at, rssMb: Number(kib) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}

/** Megabytes of a file; 0 where there is none. */
export function megabytes(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1024 ** 2;
}

/** Growth a minute: the median of the slopes between all pairs (Theil and Sen), which single peaks do not move. */
export function slopeOf(points: readonly { readonly at: number; readonly value: number }[]): number {
  const slopes = points.flatMap((one, place) =>
    points.slice(place + 1).map((other) => ((other.value - one.value) / (other.at - one.at)) * 60_000),
  );
  return median(slopes);
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** What may grow, by how much a minute, and what did: the worst of the stretches. */
export interface Flatness {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly perMinute: number;
  readonly bound: number;
  readonly unit: string;
}

/** Fewer points than these say nothing. */
const FEWEST = 5;
/** So much of each session may stay, in entries, items and objects: none, but for what comes and goes. */
const PER_SESSION = 0.4;
/**
 * Less growth than this over a whole stretch is none: in a short one what comes and goes weighs more. A list of a hundred
 * results that is just being answered has thousands of items and objects.
 */
const LEAST = {
  ...{ entries: 200, items: 5000, objects: 10_000 },
  ...{ resources: 15, descriptors: 15, rss: 15, heap: 4 },
};
const RSS_MB_PER_MINUTE = 1;
const HEAP_MB_PER_MINUTE = 0.15;

export function flatness(stretches: readonly Stretch[]): Flatness[] {
  const rows: Flatness[] = [];
  stretches.forEach(({ samples, probes, sessionsPerMinute }, place) => {
    const add = (
      what: string,
      unit: string,
      points: readonly { readonly at: number; readonly value: number }[],
      perMinute: number,
      least: number,
    ) => {
      const [first, last] = [points[0], points.at(-1)];
      if (points.length < FEWEST || first === undefined || last === undefined) return;
      const third = Math.max(1, Math.floor(points.length / 3));
      rows.push({
        ...{ what: `${what}, stretch ${place + 1}`, unit, perMinute: slopeOf(points) },
        from: median(points.slice(0, third).map(({ value }) => value)),
        to: median(points.slice(-third).map(({ value }) => value)),
        bound: Math.max(perMinute, least / ((last.at - first.at) / 60_000)),
      });
    };
    const outside = (field: 'rssMb' | 'descriptors') =>
      samples.map((sample) => ({ at: sample.at, value: sample[field] }));
    const inside = (field: Exclude<keyof Probe, 'at'>) =>
      probes.map((probe) => ({ at: probe.at, value: probe[field] }));
    const kept = sessionsPerMinute * PER_SESSION;
    add('RSS', 'MB', outside('rssMb'), RSS_MB_PER_MINUTE, LEAST.rss);
    add('open files', '', outside('descriptors'), 1, LEAST.descriptors);
    add('heap', 'MB', inside('heapMb'), HEAP_MB_PER_MINUTE, LEAST.heap);
    add('entries of maps and sets', '', inside('entries'), kept, LEAST.entries);
    add('items of lists', '', inside('items'), kept, LEAST.items);
    add('objects', '', inside('objects'), kept * 3, LEAST.objects);
    add('timers and sockets', '', inside('resources'), 1, LEAST.resources);
  });
  return rows;
}
