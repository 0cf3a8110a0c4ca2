/** Alerts that time brings, on a service whose clock the test moves: also when the service was not there meanwhile. */
import { expect, it } from 'vitest';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD } from './outcomes.ts';
import { overAll, own, scene } from './scene.ts';

const MINUTE = 60_000;
const FAILURE = overAll('ALERT_FAILURE');
const REMINDER = overAll('ALERT_FAILURE_REMAIN');

/** After five minutes, then reminders every two of them. */
const timed = (amount: 0 | 2 = 0) =>
  own({
    escalationType: 'TIME_BASED',
    timeBasedEscalation: { minutesFailingThreshold: 5 },
    reminders: { amount, interval: 2 },
  });

async function clocked(fields = timed()) {
  const clock = createManualClock();
  return { clock, at: await scene(fields, { clock }) };
}

it('escalates at its minute, though the service was started again meanwhile and no run comes', async () => {
  const { clock, at } = await clocked();
  await at.run(BAD);
  await clock.advance(2 * MINUTE);
  const start = await at.stop();
  await start();
  await clock.advance(3 * MINUTE - 1000);
  expect(await at.alerts()).toEqual([]);
  await clock.advance(1000);
  expect(await at.alerts()).toEqual(FAILURE);
  await eventually(() => expect(at.receiver.requests).toHaveLength(2));
  await at.mail.received(1);
});

it('tells at its start, once, what was due while it was not there', async () => {
  const { clock, at } = await clocked();
  await at.run(BAD);
  const start = await at.stop();
  clock.step(60 * MINUTE);
  await start();
  await clock.advance(1000);
  expect(await at.alerts()).toEqual(FAILURE);
  await clock.advance(10 * MINUTE);
  expect(await at.alerts()).toEqual(FAILURE);
});

it('forgets no failed run over a start: what recovered in time alerts nobody', async () => {
  const { clock, at } = await clocked();
  await at.run(BAD);
  await (await at.stop())();
  await clock.advance(4 * MINUTE);
  await at.run(GOOD);
  await clock.advance(10 * MINUTE);
  expect(await at.alerts()).toEqual([]);
});

it('reminds as often as settings say, counted over a start', async () => {
  const { clock, at } = await clocked(timed(2));
  await at.run(BAD);
  await clock.advance(5 * MINUTE);
  await clock.advance(2 * MINUTE);
  expect(await at.alerts()).toEqual([...FAILURE, ...REMINDER]);
  await (await at.stop())();
  await clock.advance(2 * MINUTE - 1000);
  expect(await at.alerts()).toHaveLength(6);
  await clock.advance(1000);
  expect(await at.alerts()).toEqual([...FAILURE, ...REMINDER, ...REMINDER]);
  await clock.advance(10 * MINUTE);
  expect(await at.alerts()).toHaveLength(9);
  await at.run(GOOD);
  expect((await at.alerts()).slice(9)).toEqual(overAll('ALERT_RECOVERY'));
});
