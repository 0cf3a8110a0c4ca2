/** How results are rolled up and removed, whatever database is underneath. */
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import {
  createArtifactFiles,
  isArtifactId,
  type StoredArtifact,
} from '../../../../src/service/engine/artifacts/artifact-files.ts';
import { removeBatch, rollUpBatch } from '../../../../src/service/engine/retention/retention.ts';
import { claimedRuns } from '../../../../src/service/engine/sessions/agent-port.ts';
import {
  aggregateResults,
  PERIODS,
  type Period,
  periodStart,
} from '../../../../src/service/store/engine/rollup-periods.ts';
import type { RollUpRecord } from '../../../../src/service/store/engine/rollups.ts';
import type { StoreLocation } from '../../../../src/service/store/index.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { goneInstance, leave } from '../../../support/left-files.ts';
import { DAY, HOUR, type ResultsWorld, resultsWorld, type Written } from './support.ts';

const PICTURE = {
  ...{ kind: 'screenshot' as const, name: 'cart.png', contentType: 'image/png' },
  contents: Buffer.from('a picture'),
};
const REPORT = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, isCancelled: false, responseTime: 1, errors: [], details: {} },
  ...{ startedAt: 0, stoppedAt: 0 },
};
const START = Date.parse('2026-08-01T00:00:00Z');

async function rollUpAll(at: ResultsWorld, now: number): Promise<void> {
  while (await rollUpBatch(at.engine, now));
}
async function removeAll(at: ResultsWorld, before: number): Promise<void> {
  while (await removeBatch(at.engine, before));
}

/** How many raw results the check has. */
export async function rawResults(at: ResultsWorld): Promise<number> {
  const filter = { accountId: at.accountId, checkId: at.checkId, resultType: 'ALL', limit: 10_000 } as const;
  return (await at.engine.results.list(filter, 0)).length;
}

export async function listed(
  at: ResultsWorld,
  period: Period,
  limit = 1000,
  more = {},
): Promise<RollUpRecord[]> {
  const rows: RollUpRecord[] = [];
  let after: string | undefined;
  do {
    const filter = { accountId: at.accountId, checkId: at.checkId, period, limit, after, ...more };
    const page = await at.engine.snapshot(({ rollUps }) => rollUps.list(filter));
    rows.push(...page.rows);
    after = page.nextId ?? undefined;
  } while (after !== undefined);
  return rows;
}

/** What the roll-ups must say of results, worked out from all of them at once. */
function expected(results: readonly Written[], period: Period): RollUpRecord[] {
  const groups = new Map<string, Written[]>();
  for (const result of results) {
    if (result.type === 'ATTEMPT' || result.test !== undefined) continue;
    const name = `${periodStart(period, result.at)} ${result.location}`;
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  return [...groups]
    .map(([name, of]) => {
      const [startsAt = '', location = ''] = name.split(' ');
      const rows = of.map(({ kind, micros = 1000 }) => ({
        has_failures: Number(kind === 'failed'),
        has_errors: Number(kind === 'errors'),
        is_degraded: Number(kind === 'degraded'),
        is_cancelled: Number(kind === 'cancelled'),
        response_time_us: micros,
      }));
      return { startsAt: Number(startsAt), location, ...aggregateResults(rows) };
    })
    .sort((a, b) => b.startsAt - a.startsAt || (a.location < b.location ? 1 : -1));
}

const written = fc.record({
  at: fc.nat(60 * 24).map((hour) => START + hour * HOUR + ((hour * 7919) % HOUR)),
  location: fc.constantFrom('eu-west-1', 'us-east-1', 'Cellar-2'),
  kind: fc.constantFrom('passed', 'degraded', 'failed', 'errors', 'cancelled'),
  micros: fc.option(fc.nat(5_000_000)),
  type: fc.constantFrom('FINAL', 'FINAL', 'ATTEMPT'),
} as const);
/** Results come in, in any order; the wall clock stands anywhere; in between hours are rolled up and results removed. */
const deeds = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: written.map((result) => ({ does: 'write' as const, result })) },
    { weight: 2, arbitrary: fc.nat(70 * 24).map((hour) => ({ does: 'roll up' as const, hour })) },
    { weight: 1, arbitrary: fc.nat(70 * 24).map((hour) => ({ does: 'remove' as const, hour })) },
    { weight: 1, arbitrary: fc.nat(70 * 24).map((hour) => ({ does: 'die' as const, hour })) },
  ),
  { maxLength: 25 },
);

export function keepingContract(place: () => Promise<StoreLocation>, runs: number): void {
  let at: ResultsWorld;
  beforeEach(async () => {
    at = await resultsWorld(await place(), START);
  });
  afterEach(() => at.close());

  describe('roll-ups', () => {
    it('count every final result once, whatever comes late, whatever the clock does, and where it died', async () => {
      const own = async (given: typeof deeds extends fc.Arbitrary<infer D> ? D : never) => {
        await at.store.checks.delete(at.accountId, at.checkId);
        await at.close();
        at = await resultsWorld(location, START);
        const results: Written[] = [];
        for (const deed of given) {
          if (deed.does === 'write') {
            results.push(deed.result);
            await at.write(deed.result);
          } else if (deed.does === 'roll up') await rollUpBatch(at.engine, START + deed.hour * HOUR);
          else if (deed.does === 'remove') await removeAll(at, START + deed.hour * HOUR);
          else await dieWhileRollingUp(at, START + deed.hour * HOUR);
          for (const period of PERIODS) expect(await listed(at, period)).toEqual(expected(results, period));
        }
        await rollUpAll(at, START + 100 * DAY);
        await removeAll(at, START + 100 * DAY);
        for (const period of PERIODS) expect(await listed(at, period, 3)).toEqual(expected(results, period));
        expect(await rawResults(at)).toBe(0);
      };
      await at.close();
      const location = await place();
      at = await resultsWorld(location, START);
      await fc.assert(fc.asyncProperty(deeds, own), { numRuns: runs });
    });

    it('leave an hour that is not over, and count it in answers all the same', async () => {
      await at.write({ at: START + 5 });
      expect(await rollUpBatch(at.engine, START + HOUR - 1)).toBe(false);
      expect(await listed(at, 'HOUR')).toMatchObject([{ startsAt: START, passed: 1 }]);
      expect(await rollUpBatch(at.engine, START + HOUR)).toBe(true);
      expect(await listed(at, 'HOUR')).toMatchObject([{ startsAt: START, passed: 1 }]);
    });

    it('can be asked for by time and location', async () => {
      for (const hour of [0, 1, 2, 3]) await at.write({ at: START + hour * HOUR, location: 'eu-west-1' });
      await at.write({ at: START + HOUR, location: 'us-east-1' });
      for (const rolledUp of [false, true]) {
        if (rolledUp) await rollUpAll(at, START + DAY);
        const some = await listed(at, 'HOUR', 1, { from: START + HOUR, to: START + 3 * HOUR });
        expect(some.map(({ startsAt, location }) => [(startsAt - START) / HOUR, location])).toEqual([
          [2, 'eu-west-1'],
          [1, 'us-east-1'],
          [1, 'eu-west-1'],
        ]);
        expect(await listed(at, 'DAY', 1, { location: 'us-east-1' })).toMatchObject([
          { startsAt: START, passed: 1 },
        ]);
      }
    });

    it('go with their check', async () => {
      await at.write({ at: START });
      await rollUpAll(at, START + DAY);
      await at.store.checks.delete(at.accountId, at.checkId);
      expect(await listed(at, 'DAY')).toEqual([]);
    });
  });

  describe('retention', () => {
    it('removes no result that is not rolled up', async () => {
      await at.write({ at: START });
      await removeAll(at, START + DAY);
      expect(await listed(at, 'HOUR')).toMatchObject([{ passed: 1 }]);
      expect(await at.engine.sessions.list({ accountId: at.accountId, limit: 10 })).toMatchObject({
        rows: [{ status: 'PASSED' }],
      });
    });

    it('takes sessions with the last of their results, test sessions with the last of their sessions', async () => {
      const test = crypto.randomUUID();
      await at.engine.testSessions.insert({
        ...{ id: test, account_id: at.accountId, name: 't', status: 'PASSED', metadata: null },
        ...{ started_at: START, stopped_at: START },
      });
      await at.write({ at: START, test });
      const { sessionId: half } = await at.write({ at: START });
      await at.write({ at: START, session: half, storedAt: START + 2 * DAY });
      const { sessionId: whole } = await at.write({ at: START });
      const { sessionId: open } = await at.write({ at: START, open: true });
      await rollUpAll(at, START + DAY);
      await removeAll(at, START + DAY);
      const left = async () =>
        (await at.engine.sessions.byIds([half, whole, open])).map(({ id }) => id).sort();
      expect(await left()).toEqual([half, open].sort());
      expect(await at.engine.testSessions.get(at.accountId, test)).toBeUndefined();
      await removeAll(at, START + 3 * DAY);
      expect(await left()).toEqual([open]);
    });

    it('takes the pictures and traces of results with them, and files that never had one', async () => {
      const folder = await temporaryFolder();
      const files = createArtifactFiles({
        ...{ folder, clock: at.clock, random: systemRandom, referenced: at.engine.artifacts.existing },
        rows: at.engine.artifacts,
        claimed: claimedRuns(at.engine.runs),
        onError: (message, error) => {
          throw new Error(message, { cause: error });
        },
      });
      const signal = new AbortController().signal;
      async function kept(): Promise<readonly StoredArtifact[]> {
        const place = files.places.open();
        const artifacts = await leave({ files: place }, [PICTURE, PICTURE]);
        const report = await files.store({ ...REPORT, artifacts });
        await place.close();
        return report.stored ?? [];
      }
      /** A result with two files, as the engine writes them: the files first. */
      async function withFiles(storedAt: number): Promise<string[]> {
        const left = await kept();
        const { id } = await at.write({ at: storedAt });
        await at.engine.artifacts.insert(
          left.map(({ contentType, ...one }) => ({
            ...{ ...one, content_type: contentType, account_id: at.accountId, result_id: id },
          })),
        );
        return left.map((one) => one.id);
      }
      const [old, young] = [await withFiles(START), await withFiles(START + 2 * DAY)];
      const [orphan = '', fresh = ''] = (await kept()).map(({ id }) => id);
      for (const id of [...old, ...young, orphan])
        await utimes(join(folder, id.slice(0, 2), id), 1_700_000_000, 1_700_000_000);
      const lying = async () =>
        (await readdir(folder, { recursive: true }))
          .map((path) => basename(path))
          .filter((name) => isArtifactId(name));

      const killed = join(folder, 'runs', await goneInstance());
      await mkdir(killed, { recursive: true });
      await writeFile(join(killed, 'half'), 'half');
      await files.sweep(signal);
      expect(new Set(await lying())).toEqual(new Set([...old, ...young, fresh]));
      // What a service was taking out of a cell as it was killed.
      expect(await readdir(join(folder, 'runs'))).toEqual([]);
      await rollUpAll(at, START + 10 * DAY);
      await removeAll(at, START + DAY);
      expect(await at.engine.artifacts.existing([...old, ...young])).toEqual(new Set(young));
      await files.sweep(signal);
      expect(new Set(await lying())).toEqual(new Set([...young, fresh]));
      expect(await files.open(old[0] ?? '')).toBeUndefined();
      const opened = await files.open(young[0] ?? '');
      expect(opened && (await buffer(opened.stream))).toEqual(PICTURE.contents);

      // With their check at once.
      await at.store.checks.delete(at.accountId, at.checkId);
      await files.sweep(signal);
      expect(await lying()).toEqual([fresh]);
    });

    it('removes error groups that are as old, but for those that somebody archived', async () => {
      const { young, archived = '' } = await recordGroups(at, {
        ...{ old: [START], young: [START + 2 * DAY], archived: [START] },
      });
      await at.engine.errorGroups.archive(at.accountId, archived, { archived_for_ever: 1 });
      await removeAll(at, START + DAY);
      const page = { limit: 10, offset: 0 };
      const ids = (await at.engine.errorGroups.list(at.accountId, at.checkId, page)).map(({ id }) => id);
      expect(ids.sort()).toEqual([young, archived].sort());
    });

    it('records many failures at once, each hash in one group with its first and last time', async () => {
      const names = Array.from({ length: 70 }, (_, index) => `error ${index}`);
      const seen = Object.fromEntries(names.map((name) => [name, [START + 5, START, START + 9]]));
      const first = await recordGroups(at, seen);
      expect(new Set(Object.values(first)).size).toBe(70);
      expect(await recordGroups(at, { 'error 3': [START + 20] })).toEqual({ 'error 3': first['error 3'] });
      expect(await at.engine.errorGroups.get(at.accountId, first['error 3'] ?? '')).toMatchObject({
        ...{ first_seen: START, last_seen: START + 20 },
      });
      expect(await recordGroups(at, {})).toEqual({});
    });
  });
}

/** Records failures by their hash with the times they were seen; returns the groups' ids by hash. */
async function recordGroups(at: ResultsWorld, seen: Readonly<Record<string, readonly number[]>>) {
  const failures = Object.entries(seen).flatMap(([hash, times]) =>
    times.map((seenAt) => ({
      ...{ accountId: at.accountId, checkId: at.checkId, hash, raw: hash, cleaned: hash, seenAt },
    })),
  );
  const ids = await at.engine.errorGroups.record(failures);
  return Object.fromEntries([...ids].map(([key, id]) => [key.slice(at.checkId.length + 1), id]));
}

/** Rolls up as the keeper does, and dies before the commit. */
async function dieWhileRollingUp(at: ResultsWorld, now: number): Promise<void> {
  const hours = await at.engine.rollUps.pendingHours(periodStart('HOUR', now), 20);
  const dying = at.engine.atomically(async (data) => {
    for (const hour of hours) await data.rollUps.rollUp(hour);
    throw new Error('killed');
  });
  await expect(dying).rejects.toThrow('killed');
}
