/** The watchdog says when the engine makes no progress, and when it does again. */
import { expect, it } from 'vitest';
import { createWatchdog } from '../../../../src/service/engine/schedule/watchdog.ts';
import { createManualClock } from '../../../support/clock.ts';

function held() {
  let letGo = () => {};
  const work = () =>
    new Promise<void>((resolve) => {
      letGo = resolve;
    });
  return { work, letGo: () => letGo() };
}

it('names a step of the schedule that fails, until one succeeds', async () => {
  const dog = createWatchdog(createManualClock());
  expect(dog.progress().problem).toBeUndefined();
  await expect(dog.trackStep(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(dog.progress().problem).toBe('checks that are due cannot be started');
  await dog.trackStep(async () => {});
  expect(dog.progress().problem).toBeUndefined();
});

it.each([
  ['step', 'trackStep', 'checks that are due cannot be started'],
  ['store', 'trackStore', 'results are waiting to be stored'],
] as const)('names a %s that does not end', async (_, kind, problem) => {
  const clock = createManualClock();
  const dog = createWatchdog(clock);
  const { work, letGo } = held();
  const done = dog[kind](work);
  await clock.advance(5000);
  expect(dog.progress().problem).toBeUndefined();
  await clock.advance(1);
  expect(dog.progress().problem).toBe(problem);
  letGo();
  await done;
  expect(dog.progress().problem).toBeUndefined();
});

it('knows when a tick was claimed and a result stored last', async () => {
  const clock = createManualClock();
  const dog = createWatchdog(clock);
  expect(dog.progress()).toMatchObject({ lastTickClaimedAt: null, lastResultStoredAt: null });
  dog.recordClaim();
  const claimed = clock.now();
  await clock.advance(1000);
  await dog.trackStore(async () => {});
  expect(dog.progress()).toMatchObject({ lastTickClaimedAt: claimed, lastResultStoredAt: claimed + 1000 });
});
