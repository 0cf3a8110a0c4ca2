/** Scheduled runs: on the grid, each once, and a missed one recorded. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { eventually } from '../../support/eventually.ts';
import { createHarness, type Harness, START } from './harness.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Every minute, 30 s past it. */
const MINUTELY = { frequency: 1, frequencyOffset: 5 } as const;

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
});
afterEach(() => at.close());

/** When scheduled sessions of a check started, in seconds since the start of the test, and in which state they are. */
async function sessionsOf(checkId: string): Promise<(readonly [seconds: number, status: string])[]> {
  const { entries } = await at.engine.listSessions({ accountId: at.accountId, checkId, limit: 100 });
  return entries
    .map(({ startedAt, status }) => [(Date.parse(startedAt) - START) / SECOND, status] as const)
    .sort(([one], [other]) => one - other);
}
const ranAt = async (checkId: string) => (await sessionsOf(checkId)).map(([seconds]) => seconds);
const missedOf = (checkId: string) => engineStore(at.store).schedule.missedTicksOf(checkId);
const nextOf = async (checkId: string) => (await at.store.checks.get(at.accountId, checkId))?.nextRunAt;

describe('the schedule', () => {
  it('starts exactly one session a tick, on the grid, however long runs take', async () => {
    await at.engine.start();
    const check = await at.check(MINUTELY);
    at.target.hang();
    await at.clock.advance(40 * SECOND);
    await at.clock.advance(5 * SECOND);
    at.target.letGo();
    await at.clock.advance(4 * MINUTE);
    await eventually(async () => expect(await ranAt(check)).toEqual([30, 90, 150, 210, 270]));
    expect((await at.engine.listSessions({ accountId: at.accountId })).entries[0]).toMatchObject({
      runSource: 'SCHEDULER',
    });
    expect((await at.engine.status()).lateness).toEqual({ count: 5, sum: 0, max: 0 });
  });

  it('starts all that are due at one instant at that instant, however many', async () => {
    const ids = await Promise.all(Array.from({ length: 250 }, () => at.check(MINUTELY)));
    await at.engine.start();
    await at.clock.advance(40 * SECOND);
    const { sessions } = engineStore(at.store);
    const { rows } = await sessions.list({ accountId: at.accountId, limit: 1000 });
    expect(rows).toHaveLength(ids.length);
    expect(rows.filter(({ started_at }) => started_at !== START + 30 * SECOND)).toEqual([]);
  });

  it('runs a check of frequency 0 every offset seconds', async () => {
    await at.engine.start();
    const check = await at.check({ frequency: 0, frequencyOffset: 20 });
    await at.clock.advance(MINUTE);
    await eventually(async () => expect(await ranAt(check)).toHaveLength(3));
    const [first = 0, ...others] = await ranAt(check);
    expect(others.map((seconds) => Math.round((seconds - first) * 1000))).toEqual([20_000, 40_000]);
  });

  it('spreads checks that name no offset, and gives each the same one after every change', async () => {
    await at.engine.start();
    const ids = await Promise.all(
      Array.from({ length: 30 }, () => at.check({ frequency: 60, frequencyOffset: undefined })),
    );
    const ticks = await Promise.all(ids.map(nextOf));
    expect(new Set(ticks).size).toBeGreaterThan(20);
    const [id = ''] = ids;
    await engineStore(at.store).schedule.advance(id, ticks[0] ?? null, null);
    await at.engine.rescheduleChecks([id]);
    expect(await nextOf(id)).toBe(ticks[0]);
  });

  it('follows a change of the check at once', async () => {
    await at.engine.start();
    const check = await at.check({ frequency: 60, frequencyOffset: 300 });
    await at.clock.advance(MINUTE);
    const record = await at.store.checks.get(at.accountId, check);
    if (record?.type !== 'DNS') throw new Error('the check is gone');
    await at.store.checks.replace(at.accountId, check, {
      type: 'DNS',
      body: { ...record.body, frequency: 1, frequencyOffset: 5 },
    });
    await at.engine.rescheduleChecks([check]);
    await at.clock.advance(MINUTE);
    await eventually(async () => expect(await ranAt(check)).toEqual([90]));
  });

  it('does not run what is deactivated, by itself or by its group, and takes it up again without arrears', async () => {
    await at.engine.start();
    const off = await at.check({ ...MINUTELY, activated: false });
    const groupId = await at.group({ activated: false });
    const grouped = await at.check({ ...MINUTELY, groupId });
    await at.clock.advance(3 * MINUTE);
    expect(await nextOf(off)).toBeNull();
    await at.store.groups.replace(at.accountId, groupId, { name: 'a group', activated: true });
    await at.engine.rescheduleChecks([grouped]);
    await at.clock.advance(MINUTE);
    await eventually(async () => expect(await ranAt(grouped)).toEqual([210]));
    expect(await ranAt(off)).toEqual([]);
    expect(await missedOf(grouped)).toEqual([]);
  });

  it('pauses what a maintenance window means, by tag or all of it, and runs it by hand all the same', async () => {
    await at.engine.start();
    const window = (more: object) =>
      at.store.maintenanceWindows.create(at.accountId, {
        name: 'moving',
        startsAt: new Date(START).toISOString(),
        endsAt: new Date(START + 2 * MINUTE).toISOString(),
        repeatUnit: null,
        ...more,
      });
    await window({ tags: ['cellar', 'by name'] });
    const tagged = await at.check({ ...MINUTELY, name: 'tagged', tags: ['cellar'] });
    const named = await at.check({ ...MINUTELY, name: 'by name' });
    const free = await at.check({ ...MINUTELY, name: 'free' });
    await at.clock.advance(3 * MINUTE);
    await eventually(async () => expect(await ranAt(free)).toEqual([30, 90, 150]));
    await eventually(async () => expect(await ranAt(tagged)).toEqual([150]));
    await eventually(async () => expect(await ranAt(named)).toEqual([150]));
    expect(await missedOf(tagged)).toEqual([]);
    await window({ pauseAllChecks: true, endsAt: new Date(START + 3_600_000).toISOString() });
    await at.clock.advance(2 * MINUTE);
    expect(await ranAt(free)).toEqual([30, 90, 150]);
    expect((await at.run(free)).status).toBe('PASSED');
  });

  it('records ticks that it was not there for as missed, and runs only the last, which is less than a period late', async () => {
    await at.engine.start();
    const check = await at.check(MINUTELY);
    await at.clock.run(at.engine.stop());
    await at.clock.advance(10 * MINUTE + 45 * SECOND);
    await at.kill();
    await at.engine.start();
    await eventually(async () => expect(await sessionsOf(check)).toEqual([[645, 'PASSED']]));
    expect(await missedOf(check)).toMatchObject([
      { first: START + 30 * SECOND, last: START + 570 * SECOND, ticks: 10 },
    ]);
    const { counters, lateness } = await at.engine.status();
    expect(counters.missedTicks).toBe(10);
    expect(lateness).toEqual({ count: 1, sum: 15_000, max: 15_000 });
    await at.clock.advance(MINUTE);
    await eventually(async () => expect(await ranAt(check)).toEqual([645, 690]));
  });

  it('does not run a tick twice where the clock is set back', async () => {
    await at.engine.start();
    const check = await at.check(MINUTELY);
    await at.clock.advance(MINUTE);
    at.clock.step(-50 * SECOND);
    await engineStore(at.store).schedule.advance(check, (await nextOf(check)) ?? null, START + 30 * SECOND);
    await at.clock.advance(50 * SECOND);
    await eventually(async () => expect(await nextOf(check)).toBe(START + 90 * SECOND));
    expect(await ranAt(check)).toEqual([30]);
    expect(at.errors).toEqual([]);
  });

  it('gives a check a tick that was created just before the process ended', async () => {
    const body = { name: 'new', request: { query: 'example.org' }, heartbeat: {}, script: '', ...MINUTELY };
    const { id } = await at.store.checks.create(at.accountId, { type: 'DNS', body });
    await at.engine.start();
    expect(await nextOf(id)).toBe(START + 30 * SECOND);
  });

  it('goes on after a step that failed', async () => {
    await at.close();
    let fails = true;
    at = await createHarness({
      onEnded: async () => {
        if (fails) throw new Error('the disk is full');
      },
    });
    await at.engine.start();
    const check = await at.check(MINUTELY);
    await at.clock.advance(40 * SECOND);
    await eventually(() => expect(at.errors).not.toEqual([]));
    expect(await sessionsOf(check)).toEqual([[30, 'STARTED']]);
    fails = false;
    await at.clock.advance(MINUTE);
    await eventually(async () => {
      const sessions = await sessionsOf(check);
      expect(sessions.map(([, status]) => status)).toEqual(['PASSED', 'PASSED']);
    });
  });
});
