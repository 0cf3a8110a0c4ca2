/** Records results of checks that do not run, such as heartbeats, in a session that starts and ends at once. */
import { createUuidV7 } from '../../../base/random.ts';
import type { Report } from '../../../worker/port.ts';
import { type ChangeContext, type Effects, NO_EFFECTS } from './change-context.ts';
import type { PlannedSession } from './plan-session.ts';
import { planSession } from './plan-session.ts';
import { recordReports } from './record-reports.ts';
import type { Subject } from './subjects.ts';

/** A result to record, and its location. */
export interface Observation {
  readonly subject: Subject;
  readonly location: string;
  readonly report: Report;
}

/** Holds these runs while they are written, so that no worker claims them. */
const OBSERVER_WORKER = 'service/observer';

export async function recordObservations(
  context: ChangeContext,
  observations: readonly Observation[],
): Promise<{ readonly effects: Effects; readonly planned: readonly PlannedSession<string>[] }> {
  const { data, now, limits, random } = context;
  const planned = observations.map(({ subject: { check, settings }, location }) =>
    planSession({
      check,
      settings,
      now,
      limits,
      runSource: 'SCHEDULER',
      rotation: 0,
      publicLocations: [location],
      runLocation: location,
      uuid: () => createUuidV7(random, now),
    }),
  );
  if (planned.length === 0) return { effects: NO_EFFECTS, planned };
  await data.sessions.insert(planned.map(({ session }) => session));
  const claimed = {
    state: 'RUNNING',
    claimed_by: OBSERVER_WORKER,
    claimed_at: now,
    lease_until: now,
  } as const;
  const ids = await data.runs.insertNumbered(
    planned.flatMap(({ runs }) => runs.map((run) => ({ ...run, ...claimed }))),
  );
  const { effects } = await recordReports(
    context,
    observations.map(({ report }, index) => ({ worker: OBSERVER_WORKER, runId: ids[index] ?? 0, report })),
  );
  return { effects, planned };
}
