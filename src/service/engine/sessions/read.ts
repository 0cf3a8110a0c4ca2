/** What is read of sessions, results and error groups: rows in, the contract's shapes out. */

import type { Clock } from '../../../base/clock.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { ResultFilter, ResultOutcome, ResultRecord } from '../../store/engine/results.ts';
import { type Listing, rowsOf } from '../../store/index.ts';
import { pageSlice } from '../../store/page-slice.ts';
import type { Links } from '../links.ts';
import type {
  CheckResult,
  CheckSession,
  CursorQuery,
  Engine,
  ListResults,
  ListSessions,
  Page,
  TestSession,
} from './interface.ts';
import { checkResult, checkSession, errorGroup, rollUp, testSession } from './shapes.ts';

const DEFAULT_PAGE = 20;
const DEFAULT_LIMIT = 10;
/** The deprecated listing covers 6 hours (specification, endpoint 20, rule 8). */
const WINDOW_MS = 6 * 60 * 60 * 1000;

export interface Reading {
  session(accountId: string, id: string): Promise<CheckSession | undefined>;
  listSessions(query: ListSessions): Promise<Page<CheckSession>>;
  test(accountId: string, id: string): Promise<TestSession | undefined>;
  listTests(query: CursorQuery): Promise<Page<TestSession>>;
  readonly results: Engine['results'];
  readonly errorGroups: Engine['errorGroups'];
}

export function reading(data: EngineStore, clock: Clock, links: Links): Reading {
  const listing: Reading['results']['listing'] = async ({ page = 1, ...query }) => {
    const filter = filterOf(query);
    const window = windowOf(filter, clock.now());
    const { offset } = pageSlice({ limit: filter.limit, page });
    return shown(await data.results.list({ ...filter, ...window }, offset));
  };
  const paging: Reading['results']['paging'] = async ({ nextId, ...query }) =>
    shown(await data.results.page(filterOf(query), nextId));

  return {
    async session(accountId, id) {
      const row = await data.sessions.get(accountId, id);
      if (row === undefined) return undefined;
      return checkSession(row, await data.results.outcomesOf(id), clock.now(), links);
    },
    async listSessions({ limit = DEFAULT_PAGE, nextId, ...filter }) {
      const page = await data.sessions.list({ ...filter, limit, after: nextId });
      const results = bySession(await data.results.outcomesOfSessions(page.rows.map(({ id }) => id)));
      const now = clock.now();
      return pageOf(
        page.rows.map((row) => checkSession(row, results.get(row.id) ?? [], now, links)),
        page.nextId,
      );
    },
    async test(accountId, id) {
      const row = await data.testSessions.get(accountId, id);
      return row && testSession(row, await data.results.ofTests([id]), clock.now(), links);
    },
    async listTests({ accountId, limit = DEFAULT_PAGE, nextId }) {
      const page = await data.testSessions.list({ accountId, limit, after: nextId });
      const results = await data.results.listedOfTests(page.rows.map(({ id }) => id));
      const now = clock.now();
      return pageOf(
        page.rows.map((row) =>
          testSession(
            row,
            results.filter((result) => result.test_session_id === row.id),
            now,
            links,
          ),
        ),
        page.nextId,
      );
    },
    results: {
      list: async (query) => rowsOf(await listing(query)),
      async page(query): Promise<Page<CheckResult>> {
        const found = await paging(query);
        return pageOf(await rowsOf(found), found.nextId);
      },
      listing,
      paging,
      async get(accountId, resultId) {
        const row = await data.results.get(accountId, resultId);
        return row && checkResult(row);
      },
      async rollUps({ nextId, period = 'HOUR', from, to, limit = DEFAULT_PAGE, ...rest }) {
        const filter = {
          ...{ ...rest, period, limit, after: nextId },
          from: from === undefined ? undefined : from * 1000,
          to: to === undefined ? undefined : to * 1000,
        };
        const page = await data.snapshot(({ rollUps }) => rollUps.list(filter));
        return pageOf(
          page.rows.map((row) => rollUp(row, period)),
          page.nextId,
        );
      },
    },
    errorGroups: {
      async list({ accountId, checkId, limit = DEFAULT_LIMIT, page = 1 }) {
        return (await data.errorGroups.list(accountId, checkId, pageSlice({ limit, page }))).map(errorGroup);
      },
      async get(accountId, id) {
        const row = await data.errorGroups.get(accountId, id);
        return row && errorGroup(row);
      },
      async patch(accountId, id, { archiveForEver, archivedUntilNextEvent }) {
        // Taking a group back from its archive for ever leaves it in no archive (docs/gaps.md, error group).
        const untilNext = archivedUntilNextEvent ?? (archiveForEver === false ? false : undefined);
        const row = await data.errorGroups.archive(accountId, id, {
          ...(archiveForEver === undefined ? {} : { archived_for_ever: Number(archiveForEver) }),
          ...(untilNext === undefined ? {} : { archived_until_next_event: Number(untilNext) }),
        });
        return row && errorGroup(row);
      },
    },
  };
}

function shown({ chunks, ...found }: Listing<ResultRecord<string>>): Listing<CheckResult> {
  async function* results() {
    for await (const rows of chunks) yield rows.map(checkResult);
  }
  return { ...found, chunks: results() };
}

function pageOf<T>(entries: T[], nextId: string | null): Page<T> {
  return { length: entries.length, entries, nextId };
}

function bySession(results: readonly ResultOutcome[]): Map<string, ResultOutcome[]> {
  const grouped = new Map<string, ResultOutcome[]>();
  for (const result of results) {
    const known = grouped.get(result.session_id);
    if (known === undefined) grouped.set(result.session_id, [result]);
    else known.push(result);
  }
  return grouped;
}

function filterOf(query: ListResults): ResultFilter {
  const { from, to, resultType = 'FINAL', limit = DEFAULT_LIMIT, ...rest } = query;
  return {
    ...rest,
    resultType,
    limit,
    from: from === undefined ? undefined : from * 1000,
    to: to === undefined ? undefined : to * 1000,
  };
}

/** Rule 8: the last 6 hours where neither end is given, 6 hours from the one that is. */
function windowOf({ from, to }: ResultFilter, now: number): { readonly from: number; readonly to: number } {
  if (from !== undefined) return { from, to: to ?? from + WINDOW_MS };
  // A result that started in this millisecond is from before «now» too.
  const end = to ?? now + 1;
  return { from: end - WINDOW_MS, to: end };
}
