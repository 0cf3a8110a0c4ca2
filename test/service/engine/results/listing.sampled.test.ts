/** The result listings: every branch and edge of the window of 6 hours, filters, and pages that stand still while results come. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_LINKS } from '../../../../src/service/engine/sessions/capability.ts';
import {
  createSessionReader,
  type SessionReader,
} from '../../../../src/service/engine/sessions/session-reader.ts';
import { runs } from '../../../support/sampled.ts';
import { HOUR, type ResultsWorld, resultsWorld, type Written } from './support.ts';

const NOW = Date.parse('2026-11-21T18:00:00Z');
const second = (ms: number) => Math.floor(ms / 1000);

let folder: string;
let at: ResultsWorld;
let read: SessionReader;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-listing-'));
  at = await resultsWorld({ path: join(folder, 'store.db') }, NOW);
  read = createSessionReader(at.engine, at.clock, NO_LINKS);
});
afterEach(async () => {
  await at.close();
  rmSync(folder, { recursive: true, force: true });
});

const query = () => ({ accountId: at.accountId, checkId: at.checkId, limit: 100 });
/** The hours before (-) and after now at which the listed results started. */
async function hours(window: { from?: number; to?: number }): Promise<number[]> {
  const listed = await read.results.list({ ...query(), ...window });
  return listed.map(({ startedAt }) => (Date.parse(startedAt ?? '') - NOW) / HOUR);
}

describe('the window of 6 hours', () => {
  beforeEach(async () => {
    for (const hour of [-12, -8, -7, -6, -5, -2, -1, 0, 1, 4, 5]) await at.write({ at: NOW + hour * HOUR });
  });

  it.each<[what: string, window: { from?: number; to?: number }, hours: number[]]>([
    ['neither: the last 6 hours up to now', {}, [0, -1, -2, -5]],
    ['only to: the 6 hours before it, without it', { to: second(NOW - HOUR) }, [-2, -5, -6, -7]],
    ['only from: the 6 hours after it, with it', { from: second(NOW - 7 * HOUR) }, [-2, -5, -6, -7]],
    ['both', { from: second(NOW - 8 * HOUR), to: second(NOW - 5 * HOUR) }, [-6, -7, -8]],
    ['both, 6 hours apart', { from: second(NOW - HOUR), to: second(NOW + 5 * HOUR) }, [4, 1, 0, -1]],
    ['both the same: nothing', { from: second(NOW), to: second(NOW) }, []],
  ])('%s', async (_, window, expected) => {
    expect(await hours(window)).toEqual(expected);
  });
});

describe('pages', () => {
  it('that lie beyond every list are empty', async () => {
    await at.write({ at: NOW });
    expect(await read.results.list({ ...query(), page: 1e19 })).toEqual([]);
    expect(await read.errorGroups.list({ ...query(), page: 1e19 })).toEqual([]);
  });

  it('by cursor have each result once, however many come and go meanwhile', async () => {
    const first: string[] = [];
    for (let n = 0; n < 25; n += 1) first.push((await at.write({ at: NOW - Math.floor(n / 3) * 1000 })).id);
    const seen: string[] = [];
    let nextId: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read.results.page>> = await read.results.page({
        ...{ ...query(), limit: 4 },
        ...(nextId === null ? {} : { nextId }),
      });
      seen.push(...page.entries.map(({ id }) => id));
      nextId = page.nextId;
      for (let n = 0; n < 3; n += 1) await at.write({ at: NOW + 1000 + n });
    } while (nextId !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.toSorted()).toEqual(first.toSorted());
  });

  it('by number follow each other within a window that is named', async () => {
    for (let n = 0; n < 7; n += 1) await at.write({ at: NOW - n * 1000 });
    const window = { from: second(NOW - HOUR), to: second(NOW) + 1 };
    const ids: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const listed = await read.results.list({ ...query(), limit: 2, page, ...window });
      ids.push(...listed.map(({ id }) => id));
      await at.write({ at: NOW + HOUR });
    }
    expect(new Set(ids).size).toBe(7);
  });
});

describe('filters', () => {
  it('leave what they say: location, type of check, failures, and attempts only where they are asked for', async () => {
    await at.write({ at: NOW, location: 'us-east-1', kind: 'failed' });
    await at.write({ at: NOW, location: 'eu-west-1', kind: 'failed', type: 'ATTEMPT' });
    await at.write({ at: NOW, location: 'eu-west-1' });
    const count = async (filter: Partial<Parameters<typeof read.results.page>[0]>) => {
      const [one, other] = [
        await read.results.list({ ...query(), ...filter }),
        await read.results.page({ ...query(), ...filter }),
      ];
      expect(one).toEqual(other.entries);
      return one.length;
    };
    expect(await count({})).toBe(2);
    expect(await count({ resultType: 'ATTEMPT' })).toBe(1);
    expect(await count({ resultType: 'ALL' })).toBe(3);
    expect(await count({ location: 'us-east-1' })).toBe(1);
    expect(await count({ hasFailures: true })).toBe(1);
    expect(await count({ hasFailures: false })).toBe(1);
    expect(await count({ hasFailures: true, resultType: 'ALL' })).toBe(2);
    expect(await count({ checkType: 'DNS' })).toBe(2);
    expect(await count({ checkType: 'BROWSER' })).toBe(0);
  });
});

const written = fc.record({
  // Few instants, so that many results share one.
  at: fc.integer({ min: -6, max: 6 }).map((quarter) => NOW + quarter * 900_000),
  location: fc.constantFrom('eu-west-1', 'us-east-1', 'Cellar-2'),
  kind: fc.constantFrom('passed' as const, 'failed' as const, 'errors' as const),
  type: fc.constantFrom('FINAL' as const, 'ATTEMPT' as const),
});
const instants = fc.integer({ min: -7, max: 7 }).map((quarter) => second(NOW + quarter * 900_000));
const asked = fc.record(
  {
    limit: fc.integer({ min: 1, max: 12 }),
    from: instants,
    to: instants,
    location: fc.constantFrom('eu-west-1' as const, 'us-east-1' as const, 'eu-north-1' as const),
    hasFailures: fc.boolean(),
    resultType: fc.constantFrom('FINAL' as const, 'ATTEMPT' as const, 'ALL' as const),
  },
  { requiredKeys: ['limit'] },
);
type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never;

/** What a listing must give of what was written, the newest first. */
function expected(rows: readonly (Written & { readonly id: string })[], query: Asked): string[] {
  const { from = 0, to = Number.POSITIVE_INFINITY, location, hasFailures, resultType = 'FINAL' } = query;
  return rows
    .filter(({ at: instant }) => instant >= from * 1000 && instant < to * 1000)
    .filter((row) => location === undefined || row.location === location)
    .filter(({ kind }) => hasFailures === undefined || (kind === 'failed') === hasFailures)
    .filter(({ type }) => resultType === 'ALL' || type === resultType)
    .toSorted((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id);
}

describe('any filter and any length of page', () => {
  it('give each result that is meant once, the newest first, by cursor as by number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(written, { maxLength: 40 }),
        fc.array(asked, { minLength: 10, maxLength: 20 }),
        async (results, queries) => {
          const rows: (Written & { readonly id: string })[] = [];
          await at.store.checks.delete(at.accountId, at.checkId);
          await at.close();
          at = await resultsWorld({ path: join(folder, 'store.db') }, NOW);
          read = createSessionReader(at.engine, at.clock, NO_LINKS);
          const test = crypto.randomUUID();
          await at.engine.testSessions.insert({
            ...{ id: test, account_id: at.accountId, name: 't', status: 'PASSED', metadata: null },
            ...{ started_at: NOW, stopped_at: NOW },
          });
          await at.write({ at: NOW, test });
          for (const result of results) rows.push({ ...result, id: (await at.write(result)).id });
          for (const filter of queries) {
            const ids = expected(rows, filter);
            const byCursor: string[] = [];
            let nextId: string | null = null;
            do {
              const page: Awaited<ReturnType<typeof read.results.page>> = await read.results.page({
                ...{ ...query(), ...filter },
                ...(nextId === null ? {} : { nextId }),
              });
              expect(page.length).toBe(page.entries.length);
              expect(page.nextId === null || page.length === filter.limit).toBe(true);
              byCursor.push(...page.entries.map(({ id }) => id));
              nextId = page.nextId;
            } while (nextId !== null);
            expect(byCursor).toEqual(ids);

            const { from = second(NOW - 7 * HOUR), to = from + 6 * 3600 } = filter;
            const window = { ...filter, from, to };
            const byNumber: string[] = [];
            for (let page = 1; ; page += 1) {
              const listed = await read.results.list({ ...query(), ...window, page });
              byNumber.push(...listed.map(({ id }) => id));
              if (listed.length < filter.limit) break;
            }
            expect(byNumber).toEqual(expected(rows, window));
          }
        },
      ),
      { numRuns: runs(2, 8) },
    );
  });
});
