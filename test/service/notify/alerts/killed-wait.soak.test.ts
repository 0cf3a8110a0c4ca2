/** Alerts that wait, for a dependency or for others of their group, over kill -9: a real receiver gets each exactly once. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import { openStore, type Store, type StoreLocation } from '../../../../src/service/store/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serveWith, type TestServer } from '../../../support/http.ts';
import { killedProcesses } from '../../../support/killed.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { runCheck, type WaitOrder } from './killed-wait.ts';
import { GOOD } from './outcomes.ts';
import { alertingService, type Death } from './self-killing-service.ts';

const START = Date.UTC(2026, 10, 21, 8);
/** Longer than an alert waits, and shorter than that plus a minute. */
const WAIT_MS = 80_000;
/** Claims of a dead process have ended by then. */
const RESTART_MS = 200_000;

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'killed-wait.ts'));

type Check = { readonly name: string; readonly dependsOn?: readonly string[]; readonly groupId?: number };

/** A store with a Slack channel; `create` adds checks that alert it. */
async function fill(location: StoreLocation, receiver: TestServer) {
  const clock = createManualClock(START);
  const store = await openStore(location, { clock, random: systemRandom });
  const { id: accountId } = await store.accounts.create('test');
  const channel = await store.alertChannels.create(accountId, {
    ...{ type: 'SLACK', config: { url: receiver.url } },
  });
  async function create(check: Check): Promise<string> {
    const body = { ...check, request: { query: 'example.org' }, heartbeat: {}, script: '' };
    const { id: checkId } = await store.checks.create(accountId, {
      type: 'DNS',
      body: { ...body, retryStrategy: null, ...byHand(START), activated: true } as never,
    });
    const to = [{ channelId: channel.id, activated: true }];
    await store.subscriptions.set(accountId, { checkId }, to);
    return checkId;
  }
  return { clock, store, accountId, create };
}

/** A check whose failure waits for a run of the check that it depends on. */
async function holdAlert(location: StoreLocation, receiver: TestServer, receivers: WaitOrder['receivers']) {
  const { clock, store, accountId, create } = await fill(location, receiver);
  const router = await create({ name: 'Router' });
  const shop = await create({ name: 'Shop', dependsOn: [router] });
  const service = await alertingService(store, receivers, {}, clock, GOOD);
  await runCheck(service, clock, accountId, router);
  await service.stop();
  await store.close();
  return [shop];
}

/** Two checks of a group of three, whose failures wait for the third. */
async function holdBundle(location: StoreLocation, receiver: TestServer) {
  const { store, accountId, create } = await fill(location, receiver);
  const { id: groupId } = await store.groups.create(accountId, {
    ...{ name: 'Shop', retryStrategy: 'FALLBACK' as const },
  });
  const ids: string[] = [];
  for (const name of ['Cart', 'Search', 'Pay']) ids.push(await create({ name, groupId }));
  await store.close();
  return ids.slice(0, 2);
}

/** `early`: the text after a death in the first transaction, before which only the first check has run. */
const SCENARIOS = {
  'an alert that waits for a dependency': {
    ...{ fill: holdAlert, text: 'Failing: Shop', early: 'Failing: Shop' },
  },
  'a bundle of alerts': {
    ...{ fill: holdBundle, text: '2 checks of Shop are failing', early: 'Failing: Cart' },
  },
} as const;
type Scenario = keyof typeof SCENARIOS;

/** `waiting`: no time passes after the runs. `end`: all is done. */
const POINTS: readonly (readonly [string, Death, number])[] = [
  ['waiting', {}, 0],
  ...[1, 2, 3].flatMap((number) =>
    [false, true].map(
      (isCommitted) =>
        [
          `at the ${isCommitted ? 'end' : 'commit'} of transaction ${number}`,
          { transaction: { number, isCommitted } },
          WAIT_MS,
        ] as const,
    ),
  ),
  ['end', {}, WAIT_MS],
];

async function survives(location: StoreLocation, scenario: Scenario, death: Death, waitMs: number) {
  const receiver = await serveWith((_, response) => answer(response, {}));
  const receivers = { smtpPort: 1, smsUrl: receiver.url };
  const { fill: prepare, text, early } = SCENARIOS[scenario];
  const prepared = await prepare(location, receiver, receivers);
  // The first transaction follows the first run: on a slow machine a second run would begin before it.
  const checkIds = death.transaction?.number === 1 ? prepared.slice(0, 1) : prepared;
  const order: WaitOrder = { ...{ location, checkIds, now: START + 60_000, waitMs }, death, receivers };
  await killedAfter(Number.POSITIVE_INFINITY, JSON.stringify(order));

  const clock = createManualClock(START + 60_000 + RESTART_MS);
  // On Postgres, three services take over.
  const stores = await Promise.all(
    Array.from({ length: 'url' in location ? 3 : 1 }, () =>
      openStore(location, { clock, random: systemRandom }),
    ),
  );
  const [store] = stores as [Store];
  const written = () => store.db.selectFrom('outbox').select(['state', 'alert_type']).execute();
  const wasSending = (await written()).some(({ state }) => state === 'SENDING');
  const services = await Promise.all(stores.map((each) => alertingService(each, receivers, {}, clock)));
  await eventually(async () => {
    await clock.advance(1000);
    for (const service of services) await service.awaitDeliveries();
    expect(await written()).toEqual([{ state: 'SENT', alert_type: 'ALERT_FAILURE' }]);
  });
  // Nothing follows.
  for (let passed = 0; passed < WAIT_MS; passed += 1000) await clock.advance(1000);
  expect(await written()).toHaveLength(1);
  for (const service of services) await service.stop();
  for (const each of stores) await each.close();
  const texts = receiver.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  expect(new Set(texts)).toEqual(new Set([death.transaction?.number === 1 ? early : text]));
  expect(new Set(receiver.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  // A message whose answer was not recorded is sent again, under its key.
  expect(texts.length).toBeLessThanOrEqual(wasSending ? 2 : 1);
}

const CASES = (Object.keys(SCENARIOS) as Scenario[]).flatMap((scenario) =>
  POINTS.map(([point, death, waitMs]) => [scenario, point, death, waitMs] as const),
);
const NAME = '%s reaches its receiver once if the process is killed: %s';

describe('on SQLite', () => {
  it.each(CASES)(NAME, async (scenario, _, death, waitMs) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    await survives({ path: file }, scenario, death, waitMs);
  });
});

describe('on Postgres', () => {
  let server: Postgres | undefined;
  beforeAll(async () => {
    server = await openPostgres();
  });

  it.each(CASES)(NAME, async (scenario, _, death, waitMs) => {
    const url = (await server?.createDatabase()) ?? '';
    await survives({ url }, scenario, death, waitMs);
  });
});
