/** Measures a steady load, a restart with due checks, and memory. */
import { setTimeout as delay } from 'node:timers/promises';
import { engineStore } from '../../src/service/store/engine/index.ts';
import budgets from '../budgets.json';
import { peakMemory, residentMemory } from '../gate/process.ts';
import { quantile, type Row } from '../gate/table.ts';
import { withBlackbox } from './blackbox.ts';
import { dnsCheck, KINDS } from './kinds.ts';
import { steadyLoad } from './load.ts';
import type { Targets } from './targets.ts';
import { type BenchService, type Filled, filledStore, untilEnded } from './world.ts';

const MANY = 10_000;
const PER_SECOND = 200;
/** Duration of the steady load in s, and of the warm-up before it: V8 compiles in the first minute. */
const STEADY_S = 40;
const WARM_S = 40;
const MEMORY_S = 75;

/** Runs `work` with a service on the store, stops it, reads the store with `read`, and removes it. */
async function over<T, R>(
  filled: Filled,
  work: (service: BenchService) => Promise<T>,
  read: (measured: T) => Promise<R>,
): Promise<R> {
  try {
    const service = await filled.start();
    const measured = await work(service).finally(() => service.stop());
    return await read(measured);
  } finally {
    await filled.remove();
  }
}

/** Returns how long after its tick the first attempt of each scheduled session began, in ms. */
export async function startDelays(filled: Filled, from: number, to: number): Promise<readonly number[]> {
  const store = await filled.open();
  try {
    return await engineStore(store).schedule.startDelays(from, to);
  } finally {
    await store.close();
  }
}

/** 200 checks a second for 40 s, beside as many probes of blackbox_exporter. */
export async function measureSteady(targets: Targets): Promise<readonly Row[]> {
  const every10s = { frequency: 0, frequencyOffset: 10 };
  const filled = await filledStore(PER_SECOND * 10, () => ({
    check: dnsCheck(targets.names, every10s),
    nextRunAt: null,
  }));
  const { cpu, late } = await over(
    filled,
    async (service) => {
      await delay(WARM_S * 1000);
      const [from, before] = [Date.now(), service.cpu()];
      await delay(STEADY_S * 1000);
      return { from, to: Date.now(), cpu: service.cpu() - before };
    },
    async ({ from, to, cpu }) => ({ cpu, late: await startDelays(filled, from, to) }),
  );
  const peer = await withBlackbox(KINDS.dns, targets, async (blackbox) => {
    const before = blackbox.cpu();
    await steadyLoad(blackbox.url, PER_SECOND, STEADY_S);
    return (blackbox.cpu() - before) / (PER_SECOND * STEADY_S);
  });
  const each = cpu / late.length;
  const note = `${(each * MANY).toFixed(2)} s and ${(peer * MANY).toFixed(2)} s for ${MANY}`;
  return [
    { what: 'Steady DNS checks', value: late.length / STEADY_S, unit: '/s', ...budgets.dns.steadyRate },
    {
      ...{ what: 'Steady DNS checks, blackbox_exporter = 1', value: each / peer, unit: '' },
      ...{ ...budgets.dns.steadyOfBlackbox, note },
    },
    { what: 'Lateness of the query, median', value: quantile(late, 0.5), unit: 'ms' },
    {
      ...{ what: 'Lateness of the query, p99', value: quantile(late, 0.99), unit: 'ms' },
      ...budgets.dns.latenessP99,
    },
  ];
}

/** Returns when the last session of a tick before `until` started. Both are in ms since the epoch. */
async function lastStart(filled: Filled, until: number): Promise<number> {
  const store = await filled.open();
  try {
    const { last } = await store.db
      .selectFrom('check_sessions')
      .select(({ fn }) => fn.max('started_at').as('last'))
      .where('scheduled_at', '<', until)
      .executeTakeFirstOrThrow();
    return Number(last);
  } finally {
    await store.close();
  }
}

/** A restart with 10,000 checks whose ticks have passed. */
export async function measureRestart({ names }: Targets): Promise<readonly Row[]> {
  const missed = Date.now() - 10 * 60_000;
  const filled = await filledStore(MANY, (place) => ({
    check: dnsCheck(names, { frequency: 5 }),
    nextRunAt: missed + place,
  }));
  const began = Date.now();
  const { listening, armed } = await over(
    filled,
    async (service) => {
      const listening = Date.now();
      await untilEnded(service, MANY);
      return listening;
    },
    async (listening) => ({ listening, armed: await lastStart(filled, listening) }),
  );
  return [
    { what: 'From the start to listening, 10,000 due checks', value: (listening - began) / 1000, unit: 's' },
    {
      ...{ what: 'From listening until the last due check started', value: (armed - listening) / 1000 },
      ...{ unit: 's', ...budgets.dns.armedIn },
    },
  ];
}

/** Memory of a service with this many checks that run every minute. */
async function measureMemory({ names }: Targets, count: number, most: number): Promise<Row> {
  const filled = await filledStore(count, () => ({
    check: dnsCheck(names, { frequency: 1 }),
    nextRunAt: null,
  }));
  return over(
    filled,
    async (service) => {
      await delay(MEMORY_S * 1000);
      const note = `${Math.round(peakMemory(service.pid) ?? 0)} MB at most`;
      const value = residentMemory(service.pid) ?? Number.NaN;
      return { what: `Memory with ${count} checks a minute`, value, unit: 'MB', most, note };
    },
    async (row) => row,
  );
}

export const measureMemories = async (targets: Targets): Promise<readonly Row[]> => [
  await measureMemory(targets, 0, budgets.memory.idle.most),
  await measureMemory(targets, 1000, budgets.memory.checks1000.most),
  await measureMemory(targets, MANY, budgets.memory.checks10000.most),
];
