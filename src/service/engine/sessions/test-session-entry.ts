/** Reads what a list shows of test sessions, and converts them to its entries. */
import { groupBy } from '../../../base/object.ts';
import type { listTestSessions, ResponseOf } from '../../../contract/index.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { ListedResult } from '../../store/engine/results.ts';
import { METADATA_TEXTS, type TestSessionRecord } from '../../store/engine/test-sessions.ts';
import { isPublicLocation } from './settings.ts';
import type { TestSession } from './types.ts';

export type TestSessionEntry = ResponseOf<typeof listTestSessions>['entries'][number];

/** The parts of a test session that are stored apart from it. */
export interface TestSessionParts {
  readonly results: readonly ListedResult[];
  /** Sequence IDs of the runs that wait or run. */
  readonly running: readonly string[];
  readonly location: string;
  /** Null for a public location, or a private one that no longer exists. */
  readonly privateLocationId: string | null;
}

/** Returns the list entry of a session. `shown`: the response of endpoint 10 for the session. */
export function toTestSessionEntry(
  row: TestSessionRecord,
  shown: TestSession,
  { results, running, location, privateLocationId }: TestSessionParts,
): TestSessionEntry {
  const finals = results.filter(({ result_type }) => result_type === 'FINAL');
  const sequencesOf = (matches: (result: ListedResult) => boolean) =>
    finals.filter(matches).map(({ sequence_id }) => sequence_id);
  const isBad = (result: ListedResult) => result.has_errors === 1 || result.has_failures === 1;
  const isCancelled = (result: ListedResult) => result.is_cancelled === 1;
  const metadata: TestSession['metadata'] = shown.metadata ?? {};
  return {
    ...shown,
    id: row.id,
    accountId: row.account_id,
    projectId: null,
    provider: 'API',
    running: [...new Set(running)],
    passed: sequencesOf((result) => !isBad(result) && !isCancelled(result)),
    failed: sequencesOf((result) => isBad(result) && !isCancelled(result)),
    cancelled: sequencesOf(isCancelled),
    region: location,
    privateLocationId,
    invoker: null,
    ...Object.fromEntries(METADATA_TEXTS.map((name) => [name, metadata[name] ?? null])),
    created_at: shown.startedAt,
    updated_at: shown.stoppedAt ?? null,
  };
}

/** Reads the parts of test sessions. Returns a function that returns those of a test session by its ID. */
export async function readTestParts(
  data: EngineData,
  accountId: string,
  rows: readonly TestSessionRecord[],
): Promise<(id: string) => TestSessionParts> {
  const ids = rows.map(({ id }) => id);
  const results = groupBy(await data.results.listedOfTests(ids), ({ test_session_id }) => test_session_id);
  const sessions = groupBy(await data.testSessions.sessionsOf(ids), ({ test_session_id }) => test_session_id);
  const open = rows.filter(({ status }) => status === 'RUNNING').flatMap(({ id }) => sessions.get(id) ?? []);
  const runs = groupBy(await data.runs.sequencesOf(open.map(({ id }) => id)), ({ session_id }) => session_id);
  const locationOf = (id: string): string => {
    const [first] = sessions.get(id) ?? [];
    return first === undefined ? '' : ((JSON.parse(first.locations) as string[])[0] ?? '');
  };
  const privateIds = new Map<string, string>();
  for (const slug of new Set(ids.map(locationOf).filter((location) => !isPublicLocation(location)))) {
    const location = await data.privateLocations.byKey(accountId, slug);
    if (location !== undefined) privateIds.set(slug, location.id);
  }
  return (id) => {
    const location = locationOf(id);
    return {
      results: results.get(id) ?? [],
      running: (sessions.get(id) ?? []).flatMap((session) =>
        (runs.get(session.id) ?? []).map(({ sequence_id }) => sequence_id),
      ),
      location,
      privateLocationId: privateIds.get(location) ?? null,
    };
  };
}
