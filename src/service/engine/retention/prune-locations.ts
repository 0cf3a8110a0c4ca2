/** Removes the last results of locations in which a check no longer runs. */
import { groupBy } from '../../../base/object.ts';
import { isRunnable } from '../../../contract/check-type-facts.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { subjectsOf } from '../sessions/settings.ts';

const CHECKS_PER_BATCH = 200;

/** Removes them for these checks. `standard` is the location of checks that name none. Heartbeats have no locations. */
export async function pruneLocations(
  store: EngineStore,
  checkIds: readonly string[],
  standard: string,
): Promise<void> {
  const rows = await store.checkLocations.ofChecks(checkIds);
  for (const [accountId, ofAccount] of groupBy(rows, (row) => row.accountId)) {
    const locations = groupBy(ofAccount, ({ checkId }) => checkId);
    const checks = await store.checks.byIds(accountId, [...locations.keys()]);
    for (const { check, settings } of await subjectsOf(store, checks)) {
      if (!isRunnable(check)) continue;
      const current = settings.locations.length > 0 ? settings.locations : [standard];
      const recorded = (locations.get(check.id) ?? []).map(({ location }) => location);
      const gone = recorded.filter((location) => !current.includes(location));
      await store.checkLocations.remove(check.id, gone);
    }
  }
}

/** Removes them for all checks, a batch at a time: a run that is under way when its location is removed still records its result. */
export async function pruneAllLocations(
  store: EngineStore,
  standard: string,
  pause: () => Promise<void>,
): Promise<void> {
  for (let after = ''; ; await pause()) {
    const ids = await store.checkLocations.checkIds(after, CHECKS_PER_BATCH);
    const last = ids.at(-1);
    if (last === undefined) return;
    await pruneLocations(store, ids, standard);
    after = last;
  }
}
