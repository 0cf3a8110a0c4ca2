/** DNS checks from their tick to their session's end: how many, what they cost, how late they start. */
import { setTimeout as delay } from 'node:timers/promises';
import { engineStore } from '../../src/service/store/engine/index.ts';
import type { Knot } from '../../test/support/dns/knot.ts';
import { peakMemory, residentMemory } from '../gate/process.ts';
import { quantile, type Row } from '../gate/table.ts';
import { peerAtSteadyLoad } from './peers.ts';
import { type BenchService, dnsCheck, type Filled, filledStore, until } from './world.ts';

const MANY = 10_000;
const MOST_CPU_S = 8;
const MOST_LATE_MS = 50;
const MOST_ARMED_S = 5;
const MOST_MEMORY_MB = 150;
/** How long a steady load is looked at, in s, and how long before: a service runs for months, V8 compiles in its first minute. */
const STEADY_S = 40;
const WARM_S = 40;

/** Runs `work` over a service on a store of so many checks, and removes both. */
async function over<T>(
  filling: Promise<Filled>,
  work: (filled: Filled, service: BenchService, began: number) => Promise<T>,
): Promise<T> {
  const filled = await filling;
  const began = performance.now();
  const service = await filled.start();
  try {
    return await work(filled, service, began);
  } finally {
    await service.stop();
    await filled.remove();
  }
}

const ended = async (service: BenchService) => (await service.counts()).sessions_ended_total ?? 0;

/** All at once: every check is due at the start and next in a day. */
export async function measureBurst(names: Knot): Promise<readonly Row[]> {
  const due = Date.now() - 1000;
  const filling = filledStore(MANY, () => ({
    check: dnsCheck(names, { frequency: 1440, frequencyOffset: 1 }),
    nextRunAt: due,
  }));
  return over(filling, async (_, service) => {
    const [began, cpu] = [performance.now(), service.cpu()];
    await until(async () => (await ended(service)) >= MANY, 250, 300_000);
    const seconds = (performance.now() - began) / 1000;
    return [
      { what: 'DNS checks end to end, as fast as it can', value: MANY / seconds, unit: '/s' },
      { what: 'Processor for 10,000 of them', value: service.cpu() - cpu, unit: 's', most: MOST_CPU_S },
      { what: 'Memory at most, meanwhile', value: peakMemory(service.pid) ?? Number.NaN, unit: 'MB' },
    ];
  });
}

const PER_SECOND = 200;

/** 200 checks a second: 2,000 of them, each every 10 s; blackbox_exporter beside them, as what waking up costs is the machine's. */
export async function measureSteady(names: Knot): Promise<readonly Row[]> {
  const filling = filledStore(PER_SECOND * 10, () => ({
    check: dnsCheck(names, { frequency: 0, frequencyOffset: 10 }),
    nextRunAt: null,
  }));
  const filled = await filling;
  const service = await filled.start();
  await delay(WARM_S * 1000);
  const [from, cpu, before] = [Date.now(), service.cpu(), await ended(service)];
  await delay(STEADY_S * 1000);
  const [used, done, to] = [service.cpu() - cpu, (await ended(service)) - before, Date.now()];
  await service.stop();
  const late = await latenessBetween(filled, from, to);
  await filled.remove();
  const note = `${late.length} starts`;
  const each = (used / done) * 10_000;
  const peer = await peerAtSteadyLoad(names, PER_SECOND, STEADY_S);
  return [
    { what: 'DNS checks at a steady load', value: done / STEADY_S, unit: '/s', least: 190 },
    { what: 'Processor for 10,000 of them', value: each, unit: 's', most: MOST_CPU_S },
    ...(peer === undefined ? [] : [besidePeer(each, peer)]),
    { what: 'Lateness of the query, half of them', value: quantile(late, 0.5), unit: 'ms', note },
    {
      ...{ what: 'Lateness of the query, 99 of 100', value: quantile(late, 0.99), unit: 'ms' },
      most: MOST_LATE_MS,
    },
  ];
}

const besidePeer = (own: number, peer: number): Row => ({
  what: 'As a share of blackbox_exporter at that load',
  value: own / peer,
  unit: '',
  note: `${peer.toFixed(1)} s; it schedules and stores nothing`,
});

/** How long after its tick the first attempt of each scheduled session began, in ms. */
async function latenessBetween(filled: Filled, from: number, to: number): Promise<number[]> {
  const store = await filled.open();
  try {
    const { schedule } = engineStore(store);
    return await schedule.startDelays(from, to);
  } finally {
    await store.close();
  }
}

/** So many checks that run every minute: the memory once they have run for a while. */
export async function measureMemory(names: Knot, count: number, most?: number): Promise<readonly Row[]> {
  const filling = filledStore(count, () => ({ check: dnsCheck(names, { frequency: 1 }), nextRunAt: null }));
  return over(filling, async (_, service) => {
    await delay(75_000);
    const what = `Memory of ${count} checks that run each minute`;
    const note = `${await ended(service)} sessions, ${Math.round(peakMemory(service.pid) ?? 0)} MB at most`;
    const value = residentMemory(service.pid) ?? Number.NaN;
    return [{ what, value, unit: 'MB', note, ...(most === undefined ? {} : { most }) }];
  });
}

/** After a restart: every check has its next tick, and what was missed is recorded. */
export async function measureRestart(names: Knot): Promise<readonly Row[]> {
  const missed = Date.now() - 10 * 60_000;
  const filling = filledStore(MANY, (place) => ({
    check: dnsCheck(names, { frequency: 5 }),
    nextRunAt: missed + place,
  }));
  return over(filling, async (_, service, began) => {
    const listening = (performance.now() - began) / 1000;
    await until(async () => ((await service.counts()).sessions_started_total ?? 0) >= MANY, 50, 120_000);
    const armed = (performance.now() - began) / 1000;
    return [
      { what: 'From the start to listening, 10,000 checks that were due', value: listening, unit: 's' },
      { what: 'From the start to all of them armed', value: armed, unit: 's', most: MOST_ARMED_S },
    ];
  });
}

export const measureMemories = async (names: Knot): Promise<readonly Row[]> => [
  ...(await measureMemory(names, 1000, MOST_MEMORY_MB)),
  ...(await measureMemory(names, MANY)),
];
