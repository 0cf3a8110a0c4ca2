/** What a check costs where 1, 2 and 4 services share a Postgres: at a steady load, and where all checks are due at once. */
import { setTimeout as delay } from 'node:timers/promises';
import budgets from '../budgets.json';
import { until } from '../engine/world.ts';
import type { Row } from '../gate/table.ts';
import type { Cluster, ScalingWorld } from './world.ts';

const SERVICES = [1, 2, 4];

/** The same load as the steady part of `bench:engine`. At 40/s, the fixed cost of a service (10 ms/s) outweighs its checks. */
const PER_SECOND = 200;
const PERIOD_S = 10;
const WARM_S = 20;
const STEADY_S = 16;
const BURST = 2000;

interface Cost {
  readonly perSecond: number;
  /** For each check: ms on the processor of the services and of Postgres, statements, bytes of WAL. */
  readonly servicesMs: number;
  readonly postgresMs: number;
  readonly statements: number;
  readonly walBytes: number;
  readonly deadlocks: number;
}

/** What the checks cost that end while `wait` lasts. */
async function costWhile(cluster: Cluster, wait: () => Promise<void>): Promise<Cost> {
  const [before, cpu, ended, began] = [
    await cluster.work(),
    cluster.cpu(),
    await cluster.ended(),
    performance.now(),
  ];
  await wait();
  const seconds = (performance.now() - began) / 1000;
  const [after, checks] = [await cluster.work(), (await cluster.ended()) - ended];
  return {
    perSecond: checks / seconds,
    servicesMs: ((cluster.cpu() - cpu) * 1000) / checks,
    postgresMs: ((after.cpu - before.cpu) * 1000) / checks,
    statements: (after.statements - before.statements) / checks,
    walBytes: (after.walBytes - before.walBytes) / checks,
    deadlocks: after.deadlocks - before.deadlocks,
  };
}

async function compared(what: string, measure: (services: number) => Promise<Cost>): Promise<Row[]> {
  const rows: Row[] = [];
  let one: Cost | undefined;
  for (const services of SERVICES) {
    const cost = await measure(services);
    one ??= cost;
    const name = `${what}, ${services} ${services === 1 ? 'service' : 'services'}`;
    const times = (cost.servicesMs + cost.postgresMs) / (one.servicesMs + one.postgresMs);
    const note =
      `services ${cost.servicesMs.toFixed(2)} ms, Postgres ${cost.postgresMs.toFixed(2)} ms, ` +
      `${cost.statements.toFixed(2)} statements, ${cost.walBytes.toFixed(0)} bytes of WAL, ${cost.deadlocks} deadlocks`;
    rows.push(
      { what: `${name}: throughput`, value: cost.perSecond, unit: '/s' },
      {
        what: `${name}: processor of a check, one service = 1`,
        value: times,
        unit: '',
        note,
        ...budgets.scaling.processorOfOne,
      },
    );
  }
  return rows;
}

export const measureSteady = (world: ScalingWorld): Promise<readonly Row[]> =>
  compared('Steady load', async (services) => {
    const schedule = { frequency: 0, frequencyOffset: PERIOD_S };
    const cluster = await world.start(services, PER_SECOND * PERIOD_S, schedule, null);
    try {
      await delay(WARM_S * 1000);
      return await costWhile(cluster, () => delay(STEADY_S * 1000));
    } finally {
      await cluster.stop();
    }
  });

export const measureBurst = (world: ScalingWorld): Promise<readonly Row[]> =>
  compared('All due at once', async (services) => {
    const due = Date.now() - 1000;
    const schedule = { frequency: 1440, frequencyOffset: 1 };
    const cluster = await world.start(services, BURST, schedule, due);
    try {
      return await costWhile(cluster, () =>
        until(async () => (await cluster.ended()) >= BURST, 250, 120_000),
      );
    } finally {
      await cluster.stop();
    }
  });
