/** Measures answers about a whole account: metrics, statuses and the home page, and reads while checks run. */
import { setTimeout as delay } from 'node:timers/promises';
import budgets from '../budgets.json';
import { quantile, type Row } from '../gate/table.ts';
import { dnsCheck } from './kinds.ts';
import type { Targets } from './targets.ts';
import { type BenchService, type Filled, filledStore, untilEnded } from './world.ts';

const SCRAPED = 1000;
const SCRAPES = 60;
const SCRAPE_EVERY_MS = 15_000;
const MANY = 10_000;
const VIEWS = 40;
const LISTS = 5;
const PING_EVERY_MS = 5;
const PER_SECOND = 200;
const WARM_MS = 30_000;
const READS = 1000;
const READ_EVERY_MS = 20;

type Headers = Readonly<Record<string, string>>;

/** Sends a request. Returns its duration in ms, and the size of the answer. @throws Error unless the status is 200. */
async function read(url: string, headers: Headers) {
  const began = performance.now();
  const answer = await fetch(url, { headers });
  const body = await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  return { ms: performance.now() - began, bytes: body.byteLength };
}

/** Returns the processor time of the service for each of many equal requests, in ms, and the size of an answer. */
async function costOf(service: BenchService, path: string, headers: Headers, requests: number) {
  const send = async () => {
    let bytes = 0;
    for (let sent = 0; sent < requests; sent += 1) ({ bytes } = await read(service.url + path, headers));
    return bytes;
  };
  await send();
  const before = service.cpu();
  const bytes = await send();
  return { ms: ((service.cpu() - before) * 1000) / requests, bytes };
}

const keyOf = ({ key }: Filled): Headers => ({ authorization: `Bearer ${key}` });

/** Runs `work` with a service whose checks have each run once. */
async function afterOneRun(
  { names }: Targets,
  checks: number,
  work: (service: BenchService, filled: Filled, cookie: string) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const filled = await filledStore(checks, () => ({
    check: dnsCheck(names, { frequency: 1440, frequencyOffset: 1 }),
    nextRunAt: Date.now() - 1000,
  }));
  try {
    const store = await filled.open();
    const [key] = await store.keys.list(filled.accountId);
    const { token } = await store.signIns.createSession(key?.id ?? '', 3_600_000);
    await store.close();
    const service = await filled.start({}, ['--metrics-checks', String(checks)]);
    try {
      await untilEnded(service, checks);
      return await work(service, filled, `sonde_session=${token}`);
    } finally {
      await service.stop();
    }
  } finally {
    await filled.remove();
  }
}

const measureMetrics = (targets: Targets): Promise<readonly Row[]> =>
  afterOneRun(targets, SCRAPED, async (service, filled) => {
    const { ms, bytes } = await costOf(service, '/metrics', keyOf(filled), SCRAPES);
    const note = `${((ms / SCRAPE_EVERY_MS) * 100).toFixed(2)} % of a core every 15 s; ${(bytes / 1e6).toFixed(1)} MB`;
    return [
      {
        what: `/metrics of ${SCRAPED} checks, processor`,
        value: ms,
        unit: 'ms',
        ...budgets.account.metrics,
        note,
      },
    ];
  });

/** Returns the longest wait of a small request while `work` runs, in ms. */
async function longestWait({ url }: BenchService, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const worked = work().finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    longest = Math.max(longest, (await read(`${url}/ready`, {})).ms);
    await delay(PING_EVERY_MS);
  }
  await worked;
  return longest;
}

const measureMany = (targets: Targets): Promise<readonly Row[]> =>
  afterOneRun(targets, MANY, async (service, filled, cookie) => {
    const home = await costOf(service, '/', { cookie, accept: 'text/html' }, VIEWS);
    const waits: number[] = [];
    for (let list = 0; list < LISTS; list += 1) {
      const statuses = () => read(`${service.url}/v1/check-statuses`, keyOf(filled));
      waits.push(await longestWait(service, statuses));
    }
    return [
      { what: `Home page of ${MANY} checks, processor`, value: home.ms, unit: 'ms', ...budgets.account.home },
      {
        what: `Home page of ${MANY} checks, size`,
        value: home.bytes,
        unit: 'bytes',
        ...budgets.account.homeSize,
      },
      {
        ...{ what: `Wait of another request for ${MANY} statuses`, value: quantile(waits, 0.5), unit: 'ms' },
        ...budgets.account.statusesWait,
      },
    ];
  });

/** Reads of a check and of sessions while 200 checks a second run. */
async function measureBusy({ names }: Targets): Promise<readonly Row[]> {
  const filled = await filledStore(PER_SECOND * 10, () => ({
    check: dnsCheck(names, { frequency: 0, frequencyOffset: 10 }),
    nextRunAt: null,
  }));
  try {
    const service = await filled.start();
    try {
      await delay(WARM_MS);
      const listed = await fetch(`${service.url}/v1/checks?limit=1`, { headers: keyOf(filled) });
      const [check] = (await listed.json()) as readonly { readonly id: string }[];
      const paths = [`/v1/checks/${check?.id}`, '/v2/check-sessions?limit=20'];
      const taken: number[] = [];
      for (let sent = 0; sent < READS; sent += 1) {
        const path = paths[sent % paths.length] ?? '';
        taken.push((await read(service.url + path, keyOf(filled))).ms);
        await delay(READ_EVERY_MS);
      }
      return [
        {
          ...{ what: `Reads at ${PER_SECOND} checks/s, p99`, value: quantile(taken, 0.99), unit: 'ms' },
          ...{ ...budgets.account.busyP99, note: `median ${quantile(taken, 0.5).toFixed(1)} ms` },
        },
      ];
    } finally {
      await service.stop();
    }
  } finally {
    await filled.remove();
  }
}

export const measureAccount = async (targets: Targets): Promise<readonly Row[]> => [
  ...(await measureMetrics(targets)),
  ...(await measureMany(targets)),
  ...(await measureBusy(targets)),
];
