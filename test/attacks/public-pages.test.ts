/** Readers without a key who ask for many pages, zones, sorts and filters at once: one queue renders, and zones share a body. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { makeBoardCheck, makeDashboard } from '../service/http/pages/dashboards-world.ts';
import { get, makePage, makeServices, startWorld, type World } from '../service/http/pages/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ isStill: true });
  for (const name of ['Home', 'Cart'])
    await makeBoardCheck(world, { name, status: 'passing', days: 2, typicalMs: 100 });
  const services = await makeServices(world, ['Orders']);
  for (const name of ['one', 'two']) {
    await makeDashboard(world, name);
    await makePage(world, `status-${name}`, services);
  }
});
afterAll(() => world.close());
afterEach(() => vi.restoreAllMocks());

const ZONES = Intl.supportedValuesOf('timeZone').slice(0, 30);
const VIEWS = [
  'sort=status',
  'sort=availability',
  'sort=response',
  'status=failing',
  'status=passing',
  'page=1',
];

/** What holds the watched methods up, so that others can run meanwhile. */
let othersArrive = Promise.resolve();

/** Resolves when the service has received this number of requests and has started to look for their pages. */
function arrivalOf(requests: number): Promise<void> {
  const { server } = world.service.app;
  let seen = 0;
  return new Promise((resolve) => {
    server.on('request', async function count() {
      seen += 1;
      if (seen !== requests) return;
      server.off('request', count);
      for (let turn = 0; turn < 100; turn += 1) await new Promise((next) => setImmediate(next));
      resolve();
    });
  });
}

/** Counts the calls of a method of the store, and how many are under way with others of `running`. */
function watch<Name extends string>(
  target: Readonly<Record<Name, (...args: never[]) => Promise<unknown>>>,
  name: Name,
  running = { now: 0, most: 0 },
) {
  const original = target[name].bind(target);
  let calls = 0;
  vi.spyOn(target as Record<string, (...args: never[]) => Promise<unknown>>, name).mockImplementation(
    async (...args) => {
      calls += 1;
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await othersArrive;
      try {
        return await original(...args);
      } finally {
        running.now -= 1;
      }
    },
  );
  return { calls: () => calls, running };
}

const ask = (paths: readonly string[]) => Promise.all(paths.map((path) => get(world, path)));

it('reads a dashboard once for all zones, sorts and filters of a moment', async () => {
  world.step(60_000);
  const lists = watch(world.store.checkOverview, 'list');
  const paths = VIEWS.flatMap((view) => ZONES.map((zone) => `/dashboards/one?${view}&tz=${zone}`));
  // The queue holds fifty pieces of a page.
  for (let index = 0; index < paths.length; index += 40) {
    const answers = await ask(paths.slice(index, index + 40));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  }
  expect(lists.calls()).toBe(1);
});

it('reads a status page once for all zones and formats', async () => {
  world.step(60_000);
  const views = watch(world.store.services, 'byIds');
  const answers = await ask([
    ...ZONES.map((zone) => `/status/status-one?tz=${zone}`),
    ...['/status/status-one', '/status/status-one/status.json', '/status/status-one/feed.atom'],
  ]);
  expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  expect(views.calls()).toBe(1);
});

it('has one queue for the cold pages of all', async () => {
  world.step(60_000);
  const running = { now: 0, most: 0 };
  const lists = watch(world.store.checkOverview, 'list', running);
  const views = watch(world.store.services, 'byIds', running);
  othersArrive = arrivalOf(4);
  await ask(['/dashboards/one', '/status/status-one', '/dashboards/two', '/status/status-two']);
  expect([lists.calls(), views.calls(), running.most]).toEqual([2, 2, 1]);
});
