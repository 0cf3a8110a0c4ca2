/** Loads the recent verdicts of the dependencies of a check. */
import { isSilenced } from '../../maintenance/effects.ts';
import type { EndedSessionRecord } from '../../store/alerts.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { type AlertSubject, isActive, loadSubject } from './alert-settings.ts';
import type { PastRun } from './dependency-hold.ts';
import { evaluateVerdict, type RunOutcomeFlags } from './escalation.ts';

export const toOutcomeFlags = (result: EndedSessionRecord['finals'][number]): RunOutcomeFlags => ({
  hasFailures: result.has_failures === 1,
  hasErrors: result.has_errors === 1,
  isDegraded: result.is_degraded === 1,
  isCancelled: result.is_cancelled === 1,
});

export const countLocations = ({ locations }: Pick<EndedSessionRecord, 'locations'>): number =>
  (JSON.parse(locations) as string[]).length;

/** Runs of a dependency that are read: more than fit into the longest run of a dependent check at the usual frequencies. */
const MAX_RUNS = 30;

/**
 * Returns the runs of each direct and indirect dependency, newest start first. Omits dependencies that are not running or
 * in maintenance: their last verdict says nothing about the present.
 */
export async function loadDependencyRuns(
  tx: StoreTransaction,
  { check }: AlertSubject,
  now: number,
): Promise<PastRun[][]> {
  if (!check.body.dependsOn?.length) return [];
  const histories: PastRun[][] = [];
  for (const id of await tx.checkDependencies.all(check.id)) {
    const dependency = await loadSubject(tx, check.accountId, id);
    if (dependency === undefined || !isActive(dependency)) continue;
    if (await isSilenced(tx, check.accountId, dependency, now)) continue;
    const sessions = await tx.alertStates.recent(id, MAX_RUNS);
    const runs = sessions.flatMap((session): PastRun[] => {
      const flags = session.finals.map(toOutcomeFlags);
      const verdict = evaluateVerdict(flags, countLocations(session), dependency.settings.parallel);
      const { startedAt, stoppedAt } = session;
      return verdict === undefined || stoppedAt === null
        ? []
        : [{ isFailed: verdict === 'failed', startedAt, stoppedAt }];
    });
    histories.push(runs);
  }
  return histories;
}
