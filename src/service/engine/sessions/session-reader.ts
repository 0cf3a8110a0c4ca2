/** Reads sessions, results and error groups, and converts them to API responses. */

import type { Clock } from '../../../base/clock.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { ResultFilter, ResultOutcome, ResultRecord } from '../../store/engine/results.ts';
import { type Listing, rowsOf } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
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
import { toCheckResult, toCheckSession, toErrorGroup, toRollUp, toTestSession } from './responses.ts';

const DEFAULT_PAGE = 20;
const DEFAULT_LIMIT = 10;
/** The deprecated list covers 6 hours (specification, endpoint 20, rule 8). */
const WINDOW_MS = 6 * 60 * 60 * 1000;

export interface SessionReader {
  session(accountId: string, id: string): Promise<CheckSession | undefined>;
  listSessions(query: ListSessions): Promise<Page<CheckSession>>;
  test(accountId: string, id: string): Promise<TestSession | undefined>;
  listTests(query: CursorQuery): Promise<Page<TestSession>>;
  readonly results: Engine['results'];
  readonly errorGroups: Engine['errorGroups'];
}

export function createSessionReader(data: EngineStore, clock: Clock, links: Links): SessionReader {
  const listing: SessionReader['results']['listing'] = async ({ page = 1, ...query }) => {
    const filter = toFilter(query);
    const window = resolveWindow(filter, clock.now());
    const { offset } = pageSlice({ limit: filter.limit, page });
    return toListing(await data.results.list({ ...filter, ...window }, offset));
  };
  const paging: SessionReader['results']['paging'] = async ({ nextId, ...query }) =>
    toListing(await data.results.page(toFilter(query), nextId));

  return {
    async session(accountId, id) {
      const row = await data.sessions.get(accountId, id);
      if (row === undefined) return undefined;
      return toCheckSession(row, await data.results.outcomesOf(id), clock.now(), links);
    },
    async listSessions({ limit = DEFAULT_PAGE, nextId, ...filter }) {
      const page = await data.sessions.list({ ...filter, limit, after: nextId });
      const results = groupBySession(await data.results.outcomesOfSessions(page.rows.map(({ id }) => id)));
      const now = clock.now();
      return toPage(
        page.rows.map((row) => toCheckSession(row, results.get(row.id) ?? [], now, links)),
        page.nextId,
      );
    },
    async test(accountId, id) {
      const row = await data.testSessions.get(accountId, id);
      return row && toTestSession(row, await data.results.ofTests([id]), clock.now(), links);
    },
    async listTests({ accountId, limit = DEFAULT_PAGE, nextId }) {
      const page = await data.testSessions.list({ accountId, limit, after: nextId });
      const results = await data.results.listedOfTests(page.rows.map(({ id }) => id));
      const now = clock.now();
      return toPage(
        page.rows.map((row) =>
          toTestSession(
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
        const listing = await paging(query);
        return toPage(await rowsOf(listing), listing.nextId);
      },
      listing,
      paging,
      async get(accountId, resultId) {
        const row = await data.results.get(accountId, resultId);
        return row && toCheckResult(row);
      },
      async rollUps({ nextId, period = 'HOUR', from, to, limit = DEFAULT_PAGE, ...rest }) {
        const filter = {
          ...rest,
          period,
          limit,
          after: nextId,
          from: from === undefined ? undefined : from * 1000,
          to: to === undefined ? undefined : to * 1000,
        };
        const page = await data.snapshot(({ rollUps }) => rollUps.list(filter));
        return toPage(
          page.rows.map((row) => toRollUp(row, period)),
          page.nextId,
        );
      },
    },
    errorGroups: {
      async list({ accountId, checkId, limit = DEFAULT_LIMIT, page = 1 }) {
        return (await data.errorGroups.list(accountId, checkId, pageSlice({ limit, page }))).map(
          toErrorGroup,
        );
      },
      async get(accountId, id) {
        const row = await data.errorGroups.get(accountId, id);
        return row && toErrorGroup(row);
      },
      async patch(accountId, id, { archiveForEver, archivedUntilNextEvent }) {
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

function toListing({ chunks, ...rest }: Listing<ResultRecord<string>>): Listing<CheckResult> {
  async function* results() {
    for await (const rows of chunks) yield rows.map(toCheckResult);
  }
  return { ...rest, chunks: results() };
}

function toPage<T>(entries: T[], nextId: string | null): Page<T> {
  return { length: entries.length, entries, nextId };
}

function groupBySession(results: readonly ResultOutcome[]): Map<string, ResultOutcome[]> {
  const grouped = new Map<string, ResultOutcome[]>();
  for (const result of results) {
    const known = grouped.get(result.session_id);
    if (known === undefined) grouped.set(result.session_id, [result]);
    else known.push(result);
  }
  return grouped;
}

function toFilter(query: ListResults): ResultFilter {
  const { from, to, resultType = 'FINAL', limit = DEFAULT_LIMIT, ...rest } = query;
  return {
    ...rest,
    resultType,
    limit,
    from: from === undefined ? undefined : from * 1000,
    to: to === undefined ? undefined : to * 1000,
  };
}

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
