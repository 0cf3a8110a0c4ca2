/**
 * Measures pages that people look at: `npm run bench:pages [days]`, with a year of roll-ups if none is named. Dashboards of
 * 10, 100 and 1,000 checks, and a status page of 50 services with 90 days of incidents, each beside a bare fastify answer of
 * the same size. Each request finds an expired cache; "first" is the first one of the service.
 */
import { cpus } from 'node:os';
import fastify from 'fastify';
import { systemClock } from '../../src/base/clock.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';
import { printTable, quantile, type Row } from '../gate/table.ts';
import { fillPast } from './past.ts';

const SIZES = [10, 100, 1000] as const;
const SERVICES = 50;
const ROUNDS = 30;
const YEAR_DAYS = 365;
/** Targets of a page: server time and size. */
const MOST_MS = 100;
const MOST_BYTES = 1_000_000;
const HOUR_MS = 3_600_000;

interface World extends TestService {
  readonly step: (ms: number) => void;
}

async function fill({ store, accountId }: World, now: number, days: number): Promise<void> {
  await store.transaction(async (tx) => {
    for (let index = 0; index < Math.max(...SIZES); index += 1) {
      const tags = SIZES.filter((size) => index < size).map((size) => `of-${size}`);
      const { id } = await tx.checks.create(accountId, {
        type: 'URL',
        body: {
          ...{ name: `Check ${index + 1} of the shop`, activated: true, tags, script: '' },
          request: { url: `https://shop.example.com/${index}` },
        },
      });
      await tx.checks.setStatuses(new Map([[id, index % 50 === 7 ? 'failing' : 'passing']]));
    }
    for (const size of SIZES)
      await tx.dashboards.create(accountId, {
        header: `${size} checks`,
        customUrl: `of-${size}`,
        tags: [`of-${size}`],
        paginate: false,
      });
    const services: { id: string }[] = [];
    for (let index = 0; index < SERVICES; index += 1) {
      const { id } = await tx.services.create(accountId, { name: `Service ${index + 1}` });
      services.push({ id });
    }
    for (let index = 0; index < 90; index += 1) {
      const at = (hours: number) => new Date(now - index * 24 * HOUR_MS - hours * HOUR_MS).toISOString();
      const update = (status: 'RESOLVED' | 'INVESTIGATING', created_at: string) => ({
        ...{ id: `${index}-${status}`, status, description: 'We look for the cause.', created_at },
        notifySubscribers: false,
      });
      await tx.incidents.create(accountId, {
        ...{ name: 'Orders fail', severity: 'MAJOR', lastUpdateStatus: 'RESOLVED' },
        services: services.slice(index % SERVICES, (index % SERVICES) + 1),
        incidentUpdates: [update('RESOLVED', at(1)), update('INVESTIGATING', at(2))],
      });
    }
    await tx.statusPages.create(accountId, {
      ...{ name: 'Shop', url: 'shop' },
      cards: [{ id: 'card', name: 'Shop', services, createdAt: now, updatedAt: null }],
    } as Parameters<typeof tx.statusPages.create>[1]);
  });
  await fillPast(store, accountId, now, days);
}

interface Answer {
  readonly ms: number;
  /** CPU time of this process, client included: other programs on the machine do not change it. */
  readonly cpuMs: number;
  readonly text: string;
}

async function request(url: string): Promise<Answer> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000, text };
}

async function measure(world: World, what: string, path: string): Promise<readonly Row[]> {
  const first = await request(world.url + path);
  const bytes = Buffer.byteLength(first.text);
  const bare = fastify();
  bare.get('/', async (_, reply) => reply.type('text/html; charset=utf-8').send(first.text));
  const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 });
  const [answers, bareAnswers]: [Answer[], Answer[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    // No page is cached for so long.
    world.step(10_000);
    answers.push(await request(world.url + path));
    bareAnswers.push(await request(bareUrl));
  }
  await bare.close();
  const median = (of: readonly Answer[], name: 'ms' | 'cpuMs') =>
    quantile(
      of.map((answer) => answer[name]),
      0.5,
    );
  return [
    { what: `${what}, first`, value: first.ms, unit: 'ms' },
    {
      ...{ what, value: median(answers, 'ms'), unit: 'ms', most: MOST_MS },
      note: `processor ${median(answers, 'cpuMs').toFixed(1)} ms; bare fastify ${median(bareAnswers, 'ms').toFixed(1)} ms, processor ${median(bareAnswers, 'cpuMs').toFixed(1)} ms`,
    },
    { what: `${what}, size`, value: bytes, unit: 'bytes', most: MOST_BYTES },
  ];
}

export async function main([given = String(YEAR_DAYS)]: readonly string[]): Promise<number> {
  const days = Number(given);
  if (!Number.isInteger(days) || days < 1) {
    console.error(`The number of days is 1 or more, not ${given}.`);
    return 2;
  }
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${days} days of roll-ups`,
  );
  // Half past an hour: the current hour has results that are not rolled up.
  let offset = HOUR_MS / 2 - (systemClock.now() % HOUR_MS);
  const now = () => systemClock.now() + offset;
  const service = await startTestService({ clock: { ...systemClock, now } });
  const world: World = {
    ...service,
    step: (ms) => {
      offset += ms;
    },
  };
  try {
    const began = performance.now();
    await fill(world, now(), days);
    console.log(`Filled in ${Math.round((performance.now() - began) / 1000)} s`);
    const rows: Row[] = [];
    for (const size of SIZES)
      rows.push(...(await measure(world, `dashboard of ${size} checks`, `/dashboards/of-${size}`)));
    rows.push(...(await measure(world, `status page of ${SERVICES} services`, '/status/shop')));
    return printTable(rows) ? 1 : 0;
  } finally {
    await world.close();
  }
}
