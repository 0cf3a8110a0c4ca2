/** Heartbeats of services over Postgres: of one, and of two that share the database. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { promisesOfHeartbeats } from './contract.ts';
import { createHeartbeat, MINUTE, ping, verdictsOf, watch } from './support.ts';

describe('heartbeats of services over Postgres', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await openPostgres();
  });
  const location = async () => ({ url: await server.createDatabase() });
  promisesOfHeartbeats(location);

  /** Two services over one database, and a heartbeat that was pinged at the first. */
  async function two(on?: ReturnType<typeof createManualClock>) {
    const scene = watch(await location());
    onTestFinished(scene.stopAll);
    const one = await scene.start();
    const made = await createHeartbeat(one);
    await ping(one, made.url);
    return { ...scene, ...made, one, other: await scene.start(on) };
  }

  it('a miss is recorded once, and a ping counts at whichever it comes', async () => {
    const { pass, id, url, one, other } = await two();
    await pass(5 * MINUTE);
    expect((await ping(other, url)).status).toBe(200);
    await pass(5 * MINUTE + 30_000);
    expect(await verdictsOf(one, id)).toEqual([true, true]);
    await pass(MINUTE);
    expect(await verdictsOf(one, id)).toEqual([true, true, false]);
    // A period after the look that found it missed, which may have been half a minute late.
    await pass(5.75 * MINUTE);
    expect(await verdictsOf(other, id)).toEqual([true, true, false, false]);
    await Promise.all([ping(one, url), ping(other, url), ping(one, url)]);
    expect(await verdictsOf(one, id)).toEqual([true, true, false, false, true]);
  });

  it('many that are due at once are each missed once', async () => {
    const { pass, one } = await two();
    const many = await Promise.all(Array.from({ length: 30 }, () => createHeartbeat(one)));
    await Promise.all(many.map(({ url }) => ping(one, url)));
    await pass(7 * MINUTE);
    for (const { id } of many) expect(await verdictsOf(one, id)).toEqual([true, false]);
  });

  it('one that starts over and over puts no miss off for ever', async () => {
    const { pass, start, stop, id, one, other } = await two();
    let restarted = other;
    await pass(5 * MINUTE);
    for (let times = 0; times < 10; times += 1) {
      await stop(restarted);
      restarted = await start();
      await pass(40_000);
    }
    expect(await verdictsOf(one, id)).toContain(false);
  });

  it('what both were away for is held against nobody, however close together they start again', async () => {
    const { pass, start, stop, clock, id, url, one, other } = await two();
    await pass(5.5 * MINUTE);
    await Promise.all([stop(one), stop(other)]);
    await clock.advance(40_000);
    const [again] = await Promise.all([start(), start()]);
    // Neither knows yet whether the other was there: nobody looks.
    for (const ms of [30_000, 25_000]) {
      await clock.advance(ms);
      for (let turn = 0; turn < 20; turn += 1) await again.store.heartbeats.nextDue();
    }
    await ping(again, url);
    expect(await verdictsOf(again, id)).toEqual([true, true]);
    await pass(6 * MINUTE);
    expect(await verdictsOf(again, id)).toEqual([true, true]);
    await pass(MINUTE);
    expect(await verdictsOf(again, id)).toEqual([true, true, false]);
  });

  it('one whose clock is set leaves alone what the other measures', async () => {
    const own = createManualClock();
    const { id, one } = await two(own);
    const { heartbeats } = one.store;
    const before = await heartbeats.byCheck(id);
    for (const ms of [-60 * MINUTE, 60 * MINUTE - 5000, 4000]) {
      own.step(ms);
      const set = own.now();
      // Until it has looked.
      await eventually(async () => {
        await own.advance(1000);
        const looked = (await heartbeats.lastSearch()) ?? 0;
        expect([looked >= set, looked <= own.now()]).toEqual([true, true]);
      });
    }
    expect((await heartbeats.byCheck(id))?.dueAt).toBe(before?.dueAt);
  });
});
