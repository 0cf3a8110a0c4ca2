/** A started group, whose checks go in their order and so many at once, over crashes at every statement and over what is cancelled. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import type { SessionRecord } from '../../../../src/service/store/engine/sessions.ts';
import type { Store } from '../../../../src/service/store/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { runs } from '../../../support/sampled.ts';
import { BAD, createHarness, type Finding, type Harness, START } from '../harness.ts';
import { crashingStore } from './crashing.ts';

const RUNS = runs(3, 15);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const CHECKS = 5;
const CONCURRENCY = 2;
/** What a process does from the start of a group to its end, in statements: more than this is never reached. */
const MOST_STATEMENTS = 130;

/** A group of checks whose runs take so many seconds each, the last made first: only `groupOrder` tells how they go. */
async function groupOf(
  at: Harness,
  fields: object = {},
  concurrency = CONCURRENCY,
): Promise<{ groupId: number; ids: string[] }> {
  const groupId = await at.group({ concurrency });
  const ids: string[] = [];
  for (let n = CHECKS - 1; n >= 0; n -= 1) {
    ids.unshift(await at.check({ name: `${n}`, groupId, groupOrder: n, tags: [TAG], ...fields }));
  }
  return { groupId, ids };
}

/** How the checks of a group are started together. */
const HOW = ['as a group', 'by tag', 'by ids', 'as a test'] as const;
type How = (typeof HOW)[number];
const TAG = 'of the group';

async function startGroup(
  at: Harness,
  groupId: number,
  how: How = 'as a group',
): Promise<readonly { readonly checkSessionId: string }[]> {
  const { accountId, engine } = at;
  const checkId = (await at.store.checks.byGroup(accountId, groupId)).map(({ id }) => id);
  const target = how === 'by ids' ? { checkId: checkId.reverse() } : { matchTags: [[TAG]] };
  if (how === 'as a group') return engine.startGroup({ accountId, groupId, runSource: 'GROUP_RUN_ALL' });
  if (how !== 'as a test') return engine.startSessions({ accountId, target, runSource: 'TRIGGER_API' });
  await engine.testSessions.start({ accountId, target, name: 'a test', runLocation: 'eu-west-1' });
  return (await sessionsOf(at)).map(({ id }) => ({ checkSessionId: id }));
}

/** All sessions, those of tests too, in the order of their batch. */
async function sessionsOf(at: Harness): Promise<SessionRecord[]> {
  const ids = await at.store.db.selectFrom('check_sessions').select('id').orderBy('batch_place').execute();
  const rows = await engineStore(at.store).sessions.byIds(ids.map(({ id }) => id));
  return rows.sort((one, other) => (one.batch_place ?? 0) - (other.batch_place ?? 0));
}

/** When each session of the batch had its place: from its first attempt to its end, in the order of the batch. */
async function turnsOf(at: Harness) {
  const turns = [];
  for (const row of await sessionsOf(at)) {
    const results = await engineStore(at.store).results.ofSessions([row.id]);
    const from = Math.min(...results.map(({ started_at }) => started_at));
    const finals = results.filter(({ result_type }) => result_type === 'FINAL').length;
    turns.push({ row, from, until: row.stopped_at ?? Number.POSITIVE_INFINITY, finals });
  }
  return turns;
}

/** How many had a place at once, at most. */
function mostAtOnce(turns: readonly { readonly from: number; readonly until: number }[]): number {
  return Math.max(
    0,
    ...turns.map(({ from }) => turns.filter((other) => other.from <= from && from < other.until).length),
  );
}

/** An engine whose runs take three seconds each. */
async function slowHarness(findings: readonly Finding[] = []): Promise<Harness> {
  const left = [...findings];
  const good = { hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false };
  const outcome = { ...good, isNetworkError: false, responseTime: 1, errors: [], details: {} };
  return createHarness({
    runners: {
      async DNS(check, { clock }, signal) {
        await clock.sleep((check as { name: string }).name === 'hangs' ? 60 * MINUTE : 3 * SECOND, signal);
        return { ...outcome, ...left.shift() };
      },
    },
  });
}

async function crashed(dies: number, restMs: number, how: How): Promise<void> {
  const at = await slowHarness([BAD, {}, BAD, BAD]);
  try {
    const { groupId } = await groupOf(at, { retryStrategy: { maxRetries: 1, baseBackoffSeconds: 10 } });
    const mortal = crashingStore(at.store, dies);
    const process = at.engineOver(mortal.store);
    await process.start().catch(() => {});
    at.engine = process;
    const acknowledged = await startGroup(at, groupId, how).catch(() => []);
    await at.clock.advance(MINUTE);
    void process.stop().catch(() => {});
    await at.clock.advance(restMs);
    at.engine = at.engineOver(at.store);
    await at.engine.start();
    await at.clock.advance(3 * MINUTE);
    const turns = await turnsOf(at);
    // All or nothing was planned, and what was acknowledged was.
    expect([0, CHECKS]).toContain(turns.length);
    if (acknowledged.length > 0) expect(turns).toHaveLength(CHECKS);
    expect(turns.map(({ row }) => row.check_name)).toEqual(turns.map((_, n) => `${n}`));
    expect(turns.map(({ finals }) => finals)).toEqual(turns.map(() => 1));
    for (const { row } of turns) expect(['PASSED', 'FAILED', 'TIMED_OUT']).toContain(row.status);
    expect(turns.map(({ from }) => from)).toEqual(turns.map(({ from }) => from).sort((a, b) => a - b));
    expect(mostAtOnce(turns)).toBeLessThanOrEqual(CONCURRENCY);
    expect(await engineStore(at.store).runs.countWaiting()).toBe(0);
  } finally {
    await at.close();
  }
}

it('ends every check of a started group once and in order, wherever the process dies', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: MOST_STATEMENTS }),
      fc.constantFrom(0, 20 * SECOND, 5 * MINUTE, 3 * 60 * MINUTE),
      fc.constantFrom(...HOW),
      crashed,
    ),
    { numRuns: RUNS },
  );
});

it.each(HOW)(
  'goes in its order, no more at once than its concurrency, where it is started %s',
  async (how) => {
    const at = await slowHarness();
    try {
      await at.engine.start();
      const { groupId } = await groupOf(at);
      const alone = await at.check({ name: 'in no group', tags: ['another'] });
      await startGroup(at, groupId, how);
      await at.start(alone);
      await at.clock.advance(MINUTE);
      const turns = (await turnsOf(at)).filter(({ row }) => row.check_id !== alone);
      expect(turns.map(({ row, from }) => [row.check_name, row.status, from - START])).toEqual(
        [0, 0, 3, 3, 6].map((second, n) => [`${n}`, 'PASSED', second * SECOND]),
      );
    } finally {
      await at.close();
    }
  },
);

it('lets the others come where one hangs to its deadline, one is cancelled, and one waits for an agent that is not there', async () => {
  const at = await slowHarness();
  try {
    await at.engine.start();
    const groupId = await at.group({ concurrency: 1 });
    const inGroup = { groupId, tags: [TAG] };
    const place = { locations: [], privateLocations: ['nowhere'] };
    await at.check({ ...inGroup, name: 'nowhere', groupOrder: 0, ...place });
    await at.check({ ...inGroup, name: 'hangs', groupOrder: 1 });
    await at.check({ ...inGroup, name: 'cancelled', groupOrder: 2 });
    await at.check({ ...inGroup, name: 'good', groupOrder: 3 });
    const [nowhere, , cancelled] = await startGroup(at, groupId, 'by tag');
    await at.engine.cancelSession(at.accountId, cancelled?.checkSessionId ?? '');
    await at.clock.advance(20 * MINUTE);
    const turns = await turnsOf(at);
    expect(turns.map(({ row }) => [row.check_name, row.status])).toEqual([
      ['nowhere', 'FAILED'],
      ['hangs', 'FAILED'],
      ['cancelled', 'CANCELLED'],
      ['good', 'PASSED'],
    ]);
    const result = (await at.read(nowhere?.checkSessionId ?? '')).results[0];
    expect(result).toMatchObject({ hasErrors: true, aborted: true });
    expect(await engineStore(at.store).runs.countWaiting()).toBe(0);
  } finally {
    await at.close();
  }
});

it.each([
  [
    'a check that waits is cancelled',
    (at: Harness, session: string) => at.engine.cancelSession(at.accountId, session),
  ],
  [
    'a check that waits is deleted',
    (at: Harness, _: string, check: string) => at.engine.deleteCheck(at.accountId, check, async () => {}),
  ],
])('lets no more go at once where %s', async (_, take) => {
  const at = await slowHarness();
  try {
    await at.engine.start();
    const { groupId, ids } = await groupOf(at);
    const started = await startGroup(at, groupId);
    await at.clock.advance(SECOND);
    await take(at, started[3]?.checkSessionId ?? '', ids[3] ?? '');
    await at.clock.advance(MINUTE);
    await eventually(async () => {
      const turns = await turnsOf(at);
      expect(turns.map(({ row }) => row.status)).toEqual([
        'PASSED',
        'PASSED',
        'PASSED',
        'CANCELLED',
        'PASSED',
      ]);
      expect(mostAtOnce(turns.filter((_turn, n) => n !== 3))).toBe(CONCURRENCY);
    });
  } finally {
    await at.close();
  }
});

it('lets those go that wait behind a check that was started while it was being deleted', async () => {
  const at = await slowHarness();
  try {
    await at.engine.start();
    const { groupId, ids } = await groupOf(at, {}, 1);
    let started: readonly { readonly checkSessionId: string }[] = [];
    // Nothing was open when the deletion looked: the group starts before what it then writes.
    const transaction: Store['transaction'] = async (work, options) => {
      if (started.length === 0) started = await startGroup(at, groupId);
      return at.store.transaction(work, options);
    };
    const deleting = at.engineOver(Object.assign(Object.create(at.store) as Store, { transaction }));
    const first = ids[0] ?? '';
    await deleting.deleteCheck(at.accountId, first, (tx) => tx.checks.delete(at.accountId, first));
    expect(started).toHaveLength(CHECKS);
    expect(await at.engine.getSession(at.accountId, started[0]?.checkSessionId ?? '')).toBeUndefined();
    await at.clock.advance(MINUTE);
    await eventually(async () => {
      const turns = await turnsOf(at);
      expect(turns.map(({ row }) => [row.check_name, row.status])).toEqual(
        [1, 2, 3, 4].map((n) => [`${n}`, 'PASSED']),
      );
    });
  } finally {
    await at.close();
  }
});

it('gives each check its time from when its turn comes', async () => {
  const at = await slowHarness();
  try {
    await at.engine.start();
    const { groupId } = await groupOf(at);
    const started = await startGroup(at, groupId);
    await at.clock.advance(4 * SECOND);
    const ids = started.map(({ checkSessionId }) => checkSessionId);
    const rows = await engineStore(at.store).sessions.byIds(ids);
    const deadlines = ids.map((id) => (rows.find((row) => row.id === id)?.ends_by ?? START) - START);
    // Claimed within 6 minutes, 30 s at the most, and one minute more; counted from its turn.
    const time = 7.5 * MINUTE;
    expect(deadlines).toEqual([0, 0, 3 * SECOND + time, 3 * SECOND + time, 24 * 60 * MINUTE]);
  } finally {
    await at.close();
  }
});
