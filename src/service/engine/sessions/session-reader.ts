/** Reads sessions, results and error groups, and converts them to API responses. */

import type { Clock } from '../../../base/clock.ts';
import { groupBy, type JsonObject } from '../../../base/object.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { ResultFilter, ResultRecord } from '../../store/engine/results.ts';
import { type Listing, rowsOf } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { listAssets } from '../results/result-assets.ts';
import { secondsToMs } from '../results/time-range.ts';
import type { Links } from './capability.ts';
import {
  toCheckResult,
  toCheckSession,
  toErrorGroup,
  toRollUp,
  toTestErrorGroup,
  toTestSession,
} from './responses.ts';
import { isPublicLocation } from './settings.ts';
import { type TestResult, toTestResult } from './test-result.ts';
import { readTestParts, type TestSessionEntry, toTestSessionEntry } from './test-session-entry.ts';
import type {
  CheckResult,
  CheckSession,
  ErrorGroup,
  ErrorGroupChange,
  ListErrorGroups,
  ListResults,
  ListRollUps,
  ListSessions,
  ListTestErrorGroups,
  ListTests,
  Page,
  RollUp,
  TestErrorGroup,
  TestSession,
} from './types.ts';

const DEFAULT_PAGE = 20;
const DEFAULT_LIMIT = 10;
/** The deprecated list covers 6 hours (specification, endpoint 20, rule 8). */
const WINDOW_MS = 6 * 60 * 60 * 1000;

export type SessionReader = ReturnType<typeof createSessionReader>;

export function createSessionReader(data: EngineStore, clock: Clock, links: Links) {
  /** Endpoint 20, with its window of 6 hours (rule 8), in portions. `page` starts at 1. */
  async function listing({
    page = 1,
    ...query
  }: ListResults & { readonly page?: number }): Promise<Listing<CheckResult>> {
    const filter = toFilter(query);
    const window = resolveWindow(filter, clock.now());
    const { offset } = pageSlice({ limit: filter.limit, page });
    return toListing(await data.results.list({ ...filter, ...window }, offset));
  }
  /** Its replacement: newest first, paged by cursor, limited in time only by `from` and `to`. */
  const paging = async ({ nextId, ...query }: ListResults & { readonly nextId?: string }) =>
    toListing(await data.results.page(toFilter(query), nextId));

  return {
    async session(accountId: string, id: string): Promise<CheckSession | undefined> {
      const row = await data.sessions.get(accountId, id);
      if (row === undefined) return undefined;
      return toCheckSession(row, await data.results.outcomesOf(id), clock.now(), links);
    },
    async listSessions({
      limit = DEFAULT_PAGE,
      nextId,
      ...filter
    }: ListSessions): Promise<Page<CheckSession>> {
      const page = await data.sessions.list({ ...filter, limit, after: nextId });
      const results = groupBy(
        await data.results.outcomesOfSessions(page.rows.map(({ id }) => id)),
        ({ session_id }) => session_id,
      );
      const now = clock.now();
      const sessions = page.rows.map((row) => toCheckSession(row, results.get(row.id) ?? [], now, links));
      return toPage(sessions, page.nextId);
    },
    async test(accountId: string, id: string): Promise<TestSession | undefined> {
      const row = await data.testSessions.get(accountId, id);
      return row && toTestSession(row, await data.results.ofTests([id]), clock.now(), links);
    },
    /** Returns undefined if the account has no such result of the test session. */
    async testResult(accountId: string, testSessionId: string, id: string): Promise<TestResult | undefined> {
      const row = await data.results.find(id);
      if (row?.account_id !== accountId || row.test_session_id !== testSessionId) return undefined;
      const location = isPublicLocation(row.location)
        ? undefined
        : await data.privateLocations.byKey(accountId, row.location);
      return toTestResult(testSessionId, row, location?.id ?? null, links);
    },
    /** Returns undefined if the account has no such result of the test session. */
    async testAssets(accountId: string, testSessionId: string, id: string) {
      const row = await data.results.find(id);
      const isOwn = row?.account_id === accountId && row.test_session_id === testSessionId;
      return isOwn ? assetsOf(row) : undefined;
    },
    async listTests({ limit = DEFAULT_PAGE, nextId, ...filter }: ListTests): Promise<Page<TestSessionEntry>> {
      const { accountId, from, to } = filter;
      const range = { from: toMs(from), to: toMs(to) };
      const page = await data.testSessions.list({ ...filter, ...range, limit, after: nextId });
      const parts = await readTestParts(data, accountId, page.rows);
      const now = clock.now();
      const sessions = page.rows.map((row) => {
        const own = parts(row.id);
        return toTestSessionEntry(row, toTestSession(row, own.results, now, links), own);
      });
      return toPage(sessions, page.nextId);
    },
    results: {
      list: async (query: ListResults & { readonly page?: number }) => rowsOf(await listing(query)),
      async page(query: ListResults & { readonly nextId?: string }): Promise<Page<CheckResult>> {
        const listing = await paging(query);
        return toPage(await rowsOf(listing), listing.nextId);
      },
      listing,
      paging,
      async get(accountId: string, resultId: string): Promise<CheckResult | undefined> {
        const row = await data.results.get(accountId, resultId);
        return row && toCheckResult(row);
      },
      /** Returns undefined if the account has no such result of the check. */
      async assets(accountId: string, checkId: string, resultId: string) {
        const row = await data.results.get(accountId, resultId);
        return row?.check_id === checkId ? assetsOf(row) : undefined;
      },
      /** Results rolled up by hour or day and location, newest first. Includes results past their retention. */
      async rollUps({
        nextId,
        period = 'HOUR',
        from,
        to,
        limit = DEFAULT_PAGE,
        ...rest
      }: ListRollUps): Promise<Page<RollUp>> {
        const filter = { ...rest, period, limit, after: nextId, from: toMs(from), to: toMs(to) };
        const page = await data.snapshot(({ rollUps }) => rollUps.list(filter));
        const rollUps = page.rows.map((row) => toRollUp(row, period));
        return toPage(rollUps, page.nextId);
      },
    },
    errorGroups: {
      /** Endpoint 12, last seen first; without `checkId`, those of all checks. */
      async list({ accountId, checkId, limit = DEFAULT_LIMIT, page = 1 }: ListErrorGroups) {
        const rows = await data.errorGroups.list(accountId, checkId, pageSlice({ limit, page }));
        return rows.map(toErrorGroup);
      },
      async get(accountId: string, id: string): Promise<ErrorGroup | undefined> {
        const row = await data.errorGroups.get(accountId, id);
        return row && toErrorGroup(row);
      },
      /** Lists the error groups that test sessions have seen, of all checks or those of a project, last seen first. */
      async listTested({ accountId, projectId, limit = DEFAULT_LIMIT, page = 1 }: ListTestErrorGroups) {
        const rows = await data.testSessionErrors.list(accountId, {
          ...pageSlice({ limit, page }),
          ...(projectId === undefined ? {} : { projectId }),
        });
        return rows.map(toTestErrorGroup);
      },
      async getTested(accountId: string, id: string): Promise<TestErrorGroup | undefined> {
        const row = await data.testSessionErrors.get(accountId, id);
        return row && toTestErrorGroup(row);
      },
      /** Endpoint 11. Returns undefined if the account has no such error group. */
      async patch(accountId: string, id: string, change: ErrorGroupChange): Promise<ErrorGroup | undefined> {
        const { archiveForEver, archivedUntilNextEvent } = change;
        // Unarchiving a group that is archived for ever removes both flags (docs/gaps.md, error group).
        const untilNext = archivedUntilNextEvent ?? (archiveForEver === false ? false : undefined);
        const row = await data.errorGroups.archive(accountId, id, {
          ...(archiveForEver === undefined ? {} : { archived_for_ever: Number(archiveForEver) }),
          ...(untilNext === undefined ? {} : { archived_until_next_event: Number(untilNext) }),
        });
        return row && toErrorGroup(row);
      },
    },
  };
}

const assetsOf = ({ details }: Pick<ResultRecord, 'details'>) =>
  listAssets(JSON.parse(details) as JsonObject);

function toListing({ chunks, ...rest }: Listing<ResultRecord<string>>): Listing<CheckResult> {
  async function* results() {
    for await (const rows of chunks) yield rows.map(toCheckResult);
  }
  return { ...rest, chunks: results() };
}

function toPage<T>(entries: T[], nextId: string | null): Page<T> {
  return { length: entries.length, entries, nextId };
}

function toFilter(query: ListResults): ResultFilter {
  const { from, to, resultType = 'FINAL', limit = DEFAULT_LIMIT, ...rest } = query;
  return { ...rest, resultType, limit, from: toMs(from), to: toMs(to) };
}

const toMs = (seconds: number | undefined) => (seconds === undefined ? undefined : secondsToMs(seconds));

/** Applies rule 8: the last 6 hours without `from` and `to`, or 6 hours from the one that is given. */
function resolveWindow(
  { from, to }: ResultFilter,
  now: number,
): { readonly from: number; readonly to: number } {
  if (from !== undefined) return { from, to: to ?? from + WINDOW_MS };
  // Includes a result that started in the current millisecond.
  const end = to ?? now + 1;
  return { from: end - WINDOW_MS, to: end };
}
