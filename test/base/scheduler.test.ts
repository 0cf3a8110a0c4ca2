/** The timekeeper wakes for what is due, also where the machine's clock was set while it slept. */
import { afterEach, expect, it } from 'vitest';
import { type Scheduler, startScheduler } from '../../src/base/scheduler.ts';
import { createManualClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';

const MINUTE = 60_000;
let timekeeper: Scheduler | undefined;
afterEach(() => timekeeper?.stop());

/** A timekeeper that has nothing to do, and how often it looked. */
async function asleep(next: (now: number) => number | null = () => null) {
  const clock = createManualClock();
  const looks: number[] = [];
  timekeeper = startScheduler({
    clock,
    step: async () => {
      looks.push(clock.now());
      return false;
    },
    nextInstant: async () => next(clock.now()),
    onError: (message) => expect.unreachable(message),
  });
  await clock.advance(0);
  expect(looks).toHaveLength(1);
  return { clock, looks, dueAt: timekeeper.dueAt };
}

it.each([
  ['stands', 0],
  ['was set forward by less than the sleep', 5000],
  ['was set forward past the end of the sleep', 10 * MINUTE],
  ['was set back', -10 * MINUTE],
])('is woken by what is due now while the clock %s', async (_, ms) => {
  const { clock, looks, dueAt } = await asleep();
  clock.step(ms);
  dueAt(clock.now());
  await clock.advance(0);
  expect(looks).toHaveLength(2);
});

it.each([0, 10 * MINUTE, -10 * MINUTE])(
  'is woken by what is due before the sleep ends, and by nothing later, after a step of %i ms',
  async (ms) => {
    const { clock, looks, dueAt } = await asleep((now) => now + 20_000);
    clock.step(ms);
    dueAt(clock.now() + 25_000);
    await clock.advance(0);
    expect(looks).toHaveLength(1);
    dueAt(clock.now() + 15_000);
    await clock.advance(0);
    expect(looks).toHaveLength(2);
  },
);

it('does at once what came due while it did something else, and rests only before what stays due', async () => {
  const clock = createManualClock();
  const looks: number[] = [];
  const start = clock.now();
  let next = start;
  timekeeper = startScheduler({
    clock,
    step: async () => {
      looks.push(clock.now() - start);
      // A step takes 30 ms; what is due next comes meanwhile, twice, then a little later, and then stays due.
      await clock.sleep(30);
      if (looks.length <= 3) next = start + 40 * looks.length - 20;
      return false;
    },
    nextInstant: async () => next,
    onError: (message) => expect.unreachable(message),
  });
  await clock.advance(500);
  expect(looks).toEqual([0, 30, 60, 100]);
  await clock.advance(1000);
  expect(looks).toEqual([0, 30, 60, 100, 1130]);
});

it('rests for a second where what is due could not be done, whatever else comes due, and tries again', async () => {
  const clock = createManualClock();
  const looks: number[] = [];
  const failed: string[] = [];
  timekeeper = startScheduler({
    clock,
    async step() {
      looks.push(clock.monotonic());
      if (looks.length < 3) throw new Error('the disk is full');
      return false;
    },
    nextInstant: async () => null,
    onError: (message) => failed.push(message),
  });
  await clock.advance(0);
  timekeeper.dueAt(clock.now());
  await clock.advance(999);
  expect(looks).toEqual([0]);
  await clock.advance(1001);
  expect(looks).toEqual([0, 1000, 2000]);
  expect(failed).toHaveLength(2);
  await clock.advance(29_000);
  expect(looks).toHaveLength(3);
});

it('waits for more work before each step, unless the last one left some', async () => {
  const clock = createManualClock();
  const course: string[] = [];
  timekeeper = startScheduler({
    clock,
    coalesce: async () => void course.push('wait'),
    step: async () => course.push('step') < 4,
    nextInstant: async () => null,
    onError: (message) => expect.unreachable(message),
  });
  await clock.advance(0);
  await eventually(() => expect(course).toEqual(['wait', 'step', 'step', 'step']));
  timekeeper.dueAt(clock.now());
  await eventually(() => expect(course.slice(4)).toEqual(['wait', 'step']));
});
