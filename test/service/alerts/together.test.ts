/** Sessions of a check whose results are committed together: each has its say in alerts, in the order in which they started. */
import { expect, it } from 'vitest';
import { until } from '../engine/harness.ts';
import { BAD, GOOD } from './outcomes.ts';
import { overAll, own, scene } from './scene.ts';

const TWICE = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } } as const;

it('counts each of two failed runs whose results come at once', async () => {
  const at = await scene(own(TWICE));
  const [first, second] = await atOnce(at, [BAD, BAD]);
  expect([first?.status, second?.status]).toEqual(['FAILED', 'FAILED']);
  await until(async () => expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE')));
});

it('lets the one that started last say how the check is, whichever result came first', async () => {
  const at = await scene();
  await at.run(BAD);
  await atOnce(at, [BAD, GOOD], 'backwards');
  await until(async () =>
    expect(await at.alerts()).toEqual([...overAll('ALERT_FAILURE'), ...overAll('ALERT_RECOVERY')]),
  );
  expect((await at.store.checks.get(at.accountId, at.check.id))?.status).toBe('passing');
});

it('tells of a failure and of its recovery where nothing was remembered of the check before', async () => {
  const at = await scene();
  await atOnce(at, [BAD, GOOD]);
  await until(async () =>
    expect(await at.alerts()).toEqual([...overAll('ALERT_FAILURE'), ...overAll('ALERT_RECOVERY')]),
  );
});

/** Starts a session for each outcome, one after the other, and lets all of their results come in one turn. */
async function atOnce(
  at: Awaited<ReturnType<typeof scene>>,
  outcomes: readonly (typeof GOOD)[],
  order: 'forwards' | 'backwards' = 'forwards',
) {
  const answers: (() => void)[] = [];
  const left = [...outcomes];
  at.finds(
    () =>
      new Promise((resolve) => {
        const outcome = left.shift() ?? GOOD;
        answers.push(() => resolve(outcome));
      }),
  );
  const ids: string[] = [];
  for (const _ of outcomes) {
    ids.push(await at.start());
    await until(() => expect(answers).toHaveLength(ids.length));
  }
  for (const answer of order === 'forwards' ? answers : answers.reverse()) answer();
  return Promise.all(ids.map((id) => at.ended(id)));
}
