/** Loads what explains the run of an alert: what changed since the last good run, and the last results. */
import type { JsonObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import type { StoreTransaction } from '../../store/index.ts';
import type { AlertFacts, RunFacts } from '../facts/alert-facts.ts';
import { describeChange } from './describe-change.ts';
import { formatRecent, type RecentResult } from './recent-results.ts';

const RECENT_RESULTS = 10;
const MAX_CHANGES = 3;

type ReasonStore = Pick<StoreTransaction, 'checkLocations' | 'results'>;

/** Returns what changed since the last good result of the check in the same location, as sentences without a full stop. */
export async function loadChanges(
  store: ReasonStore,
  accountId: string,
  { checkId, resultId, location }: { readonly checkId: string } & Pick<RunFacts, 'resultId' | 'location'>,
): Promise<readonly string[]> {
  const rows = await store.checkLocations.ofChecks([checkId]);
  // A retry may have run elsewhere: then the result of another location is the best there is.
  const { goodResultId = null } =
    rows.find((row) => row.location === location && row.goodResultId !== null) ??
    rows.find((row) => row.goodResultId !== null) ??
    {};
  if (goodResultId === null || goodResultId === resultId) return [];
  const good = await store.results.get(accountId, goodResultId);
  const failed = await store.results.get(accountId, resultId);
  if (good === undefined || failed === undefined || good.check_type !== failed.check_type) return [];
  // The page of an old failure: its change would be described backwards.
  if (good.started_at > failed.started_at) return [];
  return describeChange({
    good: JSON.parse(good.details) as JsonObject,
    failed: JSON.parse(failed.details) as JsonObject,
  });
}

/** Returns the sentence about locations; undefined if the run failed everywhere or in its only location. */
async function describeLocations(store: ReasonStore, sessionId: string): Promise<string | undefined> {
  const outcomes = await store.results.outcomesOf(sessionId);
  const finals = outcomes.filter(({ result_type: type }) => type === 'FINAL');
  const failed = finals.filter(({ has_failures: isFailed }) => isFailed === 1);
  return failed.length === 0 || failed.length === finals.length
    ? undefined
    : `fails in ${failed.length} of ${plural(finals.length, 'location')}`;
}

/** Returns the facts about a run that an alert adds. `isBad`: the alert reports a bad run. */
export async function loadReasons(
  store: ReasonStore,
  accountId: string,
  checkId: string,
  run: RunFacts | null,
  isBad: boolean,
): Promise<Pick<AlertFacts, 'changes' | 'recent'>> {
  if (run === null) return {};
  const where = isBad ? await describeLocations(store, run.sessionId) : undefined;
  const changes = isBad ? await loadChanges(store, accountId, { checkId, ...run }) : [];
  // Of all locations: the results of a location that only retries use would all be failures.
  const recent = (await store.results.recent(checkId, RECENT_RESULTS)).map(
    (result): RecentResult => ({
      responseTime: result.response_time_us === null ? null : result.response_time_us / 1000,
      verdict: result.has_errors
        ? 'error'
        : result.has_failures
          ? 'failed'
          : result.is_degraded
            ? 'degraded'
            : 'passed',
    }),
  );
  return {
    changes: [...(where === undefined ? [] : [where]), ...changes].slice(0, MAX_CHANGES),
    ...(recent.length > 1 ? { recent: formatRecent(recent.toReversed()) } : {}),
  };
}
