/** Sessions of a check whose results are committed together: each has its say in alerts, in the order in which they started. */
import { expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD, OURS } from './outcomes.ts';
import { overAll, own, scene } from './scene.ts';

const TWICE = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } } as const;

it('counts each of two failed runs whose results come at once', async () => {
  const at = await scene(own(TWICE));
  const [first, second] = await atOnce(at, [BAD, BAD]);
  expect([first?.status, second?.status]).toEqual(['FAILED', 'FAILED']);
  await eventually(async () => expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE')));
});

it('lets the one that started last say how the check is, whichever result came first', async () => {
  const at = await scene();
  await at.run(BAD);
  await atOnce(at, [BAD, GOOD], 'backwards');
  await eventually(async () =>
    expect(await at.alerts()).toEqual([...overAll('ALERT_FAILURE'), ...overAll('ALERT_RECOVERY')]),
  );
  expect((await at.store.checks.get(at.accountId, at.check.id))?.status).toBe('passing');
});

it('tells of a failure and of its recovery where nothing was remembered of the check before', async () => {
  const at = await scene();
  await atOnce(at, [BAD, GOOD]);
  await eventually(async () =>
    expect(await at.alerts()).toEqual([...overAll('ALERT_FAILURE'), ...overAll('ALERT_RECOVERY')]),
  );
});

it('lets one that started later and says nothing of the target take no failure from the one before', async () => {
  const at = await scene();
  const [first, second] = await atOnce(at, [BAD, OURS], 'backwards', 'apart');
  expect([first?.status, second?.status]).toEqual(['FAILED', 'FAILED']);
  await eventually(async () => expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE')));
});

it('lets one that started later and has ended have the last word', async () => {
  const at = await scene();
  await atOnce(at, [BAD, GOOD], 'backwards', 'apart');
  expect(await at.alerts()).toEqual([]);
});

/** Starts a session for each outcome, one after the other, and lets all of their results come in one turn, or one by one. */
async function atOnce(
  at: Awaited<ReturnType<typeof scene>>,
  outcomes: readonly (typeof GOOD)[],
  order: 'forwards' | 'backwards' = 'forwards',
  how: 'together' | 'apart' = 'together',
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
    await eventually(() => expect(answers).toHaveLength(ids.length));
  }
  const said = answers.map((answer, place) => ({ answer, id: ids[place] ?? '' }));
  for (const { answer, id } of order === 'forwards' ? said : said.reverse()) {
    answer();
    if (how === 'apart') await at.ended(id);
  }
  return Promise.all(ids.map((id) => at.ended(id)));
}
