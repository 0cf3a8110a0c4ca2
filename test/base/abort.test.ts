/** What is no longer waited for once a signal is aborted. */
import { expect, test } from 'vitest';
import { raceWithAbort } from '../../src/base/abort.ts';

const never = new Promise<never>(() => {});

test('gives what the work comes to, good or bad', async () => {
  const { signal } = new AbortController();
  expect(await raceWithAbort(Promise.resolve(1), signal)).toBe(1);
  await expect(raceWithAbort(Promise.reject(new Error('bad')), signal)).rejects.toThrow('bad');
});

test('rejects with the reason as soon as the signal is aborted, before or meanwhile, also where the work fails later', async () => {
  const controller = new AbortController();
  let fail = (_error: Error): void => {};
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const waiting = [never, late].map((work) => raceWithAbort(work, controller.signal));
  controller.abort(new Error('enough'));
  for (const each of waiting) await expect(each).rejects.toThrow('enough');
  fail(new Error('later'));
  await expect(raceWithAbort(Promise.resolve(1), controller.signal)).rejects.toThrow('enough');
});
