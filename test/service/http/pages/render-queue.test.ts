/** Cold pages are rendered one at a time, in turns, and no more of them wait than the queue holds. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRenderQueue } from '../../../../src/service/http/pages/render-queue.ts';
import { makeBoardCheck, makeDashboard } from './dashboards-world.ts';
import { get, startWorld, type World } from './world.ts';

describe('the queue', () => {
  it('runs one piece at a time, in turns by page, also after a failure', async () => {
    const queue = createRenderQueue();
    const order: string[] = [];
    let running = 0;
    const piece = (page: string, name: string) =>
      queue(page, async () => {
        running += 1;
        expect(running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        order.push(name);
        if (name === 'a2') throw new Error('broken');
        return name;
      });
    const all = [piece('a', 'a1'), piece('a', 'a2'), piece('a', 'a3'), piece('b', 'b1'), piece('c', 'c1')];
    const settled = await Promise.allSettled(all);
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    expect(settled.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    ]);
    expect(await piece('a', 'a4')).toBe('a4');
  });

  it('refuses more pieces than may wait, of one page before those of others', async () => {
    const queue = createRenderQueue();
    let finish = () => {};
    const blocking = queue(
      'first',
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const fill = (page: string) => Array.from({ length: 60 }, () => queue(page, async () => page));
    const pieces = ['a', 'b', 'c', 'd', 'e'].map((page) => Promise.allSettled(fill(page)));
    finish();
    await blocking;
    const refused = (await Promise.all(pieces)).map(
      (each) => each.filter(({ status }) => status === 'rejected').length,
    );
    expect(refused).toEqual([10, 10, 10, 10, 60]);
    expect(await queue('e', async () => 'free again')).toBe('free again');
  });
});

describe('a dashboard', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
    for (const name of ['Home', 'Cart', 'Search'])
      await makeBoardCheck(world, { name, status: 'passing', days: 2, typicalMs: 100 });
    await makeDashboard(world, 'many');
  });
  afterAll(() => world.close());

  const ZONES = Intl.supportedValuesOf('timeZone').slice(0, 40);
  const etagsOf = (answers: readonly Response[]) =>
    new Set(answers.map(({ headers }) => headers.get('etag')));

  it('reads its checks once for all zones, sorts, filters and pages of a moment', async () => {
    const lists = vi.spyOn(world.store.checkOverview, 'list');
    const all = (queries: readonly string[]) =>
      Promise.all(queries.map((query) => get(world, `/dashboards/many?${query}`)));
    const zoned = await all(ZONES.map((zone) => `tz=${zone}`));
    expect(new Set(zoned.map(({ status }) => status))).toEqual(new Set([200]));
    expect(etagsOf(zoned).size).toBe(ZONES.length);
    await all(['sort=status', 'sort=availability', 'sort=response', 'status=failing', 'status=passing']);
    expect(etagsOf(await all(['', 'page=2', 'page=3', 'page=999', 'page=x'])).size).toBe(1);
    expect(lists).toHaveBeenCalledTimes(1);
    world.step(10_000);
    await all(['', 'sort=status']);
    expect(lists).toHaveBeenCalledTimes(2);
    lists.mockRestore();
  });
});
