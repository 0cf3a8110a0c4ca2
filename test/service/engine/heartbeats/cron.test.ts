/** Heartbeats that are expected at the times of a cron expression, on a clock of the test's own. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestService } from '../../../support/service.ts';
import { createHeartbeat, MINUTE, ping, resultsOf, verdictsOf, type Watch, watch } from './support.ts';

const HOUR = 60 * MINUTE;
const nightly = { cron: '30 2 * * *', timezone: 'Europe/Berlin', grace: 30, graceUnit: 'minutes' } as const;
const hourly = { ...nightly, cron: '30 * * * *' } as const;
let scene: Watch;
let at: TestService;
beforeEach(async () => {
  scene = watch({ path: join(await temporaryFolder(), 'sonde.db') });
});
afterEach(() => scene.stopAll());

/** Lets time go on to an instant. */
async function until(time: string): Promise<void> {
  for (let left = Date.parse(time) - scene.clock.now(); left > 0; left = Date.parse(time) - scene.clock.now())
    await scene.clock.advance(Math.min(left, 10 * MINUTE)).then(() => scene.pass(0));
  await scene.pass(1000);
}
async function startAt(time: string): Promise<void> {
  scene.clock.step(Date.parse(time) - scene.clock.now());
  at = await scene.start();
}
const dueAt = async (id: string) =>
  (
    (await call(at, contract.getCheck, { params: { id } })) as contract.ResponseOf<
      typeof contract.createHeartbeatCheck
    >
  ).heartbeat?.dueAt;

describe('a heartbeat with a cron expression', () => {
  it.each([
    // The clock is set forward at 1:00 UTC: 2:30 is 3:00.
    ['2026-03-28T01:35:00Z', '2026-03-29T01:30:00.000Z'],
    // It is set back at 1:00 UTC: 2:30 comes first at 0:30.
    ['2026-10-24T00:35:00Z', '2026-10-25T01:00:00.000Z'],
    ['2026-11-28T01:35:00Z', '2026-11-29T02:00:00.000Z'],
    // A clock that is ahead by seconds: the ping counts for 2:30.
    ['2026-11-28T01:29:50Z', '2026-11-29T02:00:00.000Z'],
    // Much too early, it does not.
    ['2026-11-28T01:20:00Z', '2026-11-28T02:00:00.000Z'],
  ])('that was pinged at %s is due by %s', async (pingedAt, due) => {
    await startAt(pingedAt);
    const { id, url } = await createHeartbeat(at, { heartbeat: nightly });
    await ping(at, url);
    expect(await dueAt(id)).toBe(due);
  });

  it('fails after each of its times and the grace period, and recovers', async () => {
    await startAt('2026-11-28T01:40:00Z');
    const { id, url } = await createHeartbeat(at, { heartbeat: hourly });
    await ping(at, url);
    await until('2026-11-28T02:59:00Z');
    expect(await verdictsOf(at, id)).toEqual([true]);
    await until('2026-11-28T03:01:00Z');
    expect(await verdictsOf(at, id)).toEqual([true, false]);
    expect((await resultsOf(at, id))[1]?.errors?.[0]).toContain(
      'no ping received for 2026-11-28T02:30:00.000Z (30 * * * *, Europe/Berlin), within a grace period of 30 minutes',
    );
    await ping(at, url);
    expect(await verdictsOf(at, id)).toEqual([true, false, true]);
    expect(await dueAt(id)).toBe('2026-11-28T04:00:00.000Z');
  });

  it('keeps its due time at a change of its name, and follows another expression', async () => {
    await startAt('2026-11-28T01:40:00Z');
    const { id, url } = await createHeartbeat(at, { heartbeat: hourly });
    await ping(at, url);
    await scene.clock.advance(HOUR);
    const update = (body: object) => call(at, contract.updateHeartbeatCheck, { params: { id }, body });
    // Expected already: the change of a name gives no more time.
    await update({ name: 'renamed' });
    expect(await dueAt(id)).toBe('2026-11-28T03:00:00.000Z');
    await update({ heartbeat: { ...hourly, cron: '0 12 * * *' } });
    expect(await dueAt(id)).toBe('2026-11-28T11:30:00.000Z');
    await update({ heartbeat: { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'minutes' } });
    expect(await dueAt(id)).toBe('2026-11-28T03:40:00.000Z');
  });

  it('needs a valid expression and time zone, or a period', async () => {
    await startAt('2026-11-28T01:40:00Z');
    const refused = async (heartbeat: object) => {
      const body = { name: 'h', heartbeat: { grace: 1, graceUnit: 'hours', ...heartbeat } } as never;
      const answer = await ask(at, contract.createHeartbeatCheck, { body });
      return [answer.status, JSON.stringify(answer.body)];
    };
    expect(await refused({ cron: '61 * * * *' })).toEqual([400, expect.stringContaining('minute: 61')]);
    expect(await refused({ cron: '@daily', timezone: 'Europe/Berln' })).toEqual([
      400,
      expect.stringContaining('did you mean Europe/Berlin?'),
    ]);
    expect(await refused({})).toEqual([
      400,
      expect.stringContaining('required unless heartbeat.cron is set'),
    ]);
    expect((await refused({ cron: '@daily' }))[0]).toBe(201);
  });
});
