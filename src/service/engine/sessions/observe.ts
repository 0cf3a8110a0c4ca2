/** Records what is found of checks that nobody runs: a session that ends as it begins, and all that follows from it. */
import { createUuidV7 } from '../../../base/random.ts';
import type { Report } from '../../../worker/port.ts';
import type { PlannedSession } from './plan.ts';
import { planSession } from './plan.ts';
import { recordReports } from './record.ts';
import { type Effects, NO_EFFECTS, type Recorder } from './recorder.ts';
import type { Subject } from './start.ts';

/** What was found of a check, and where. */
export interface Observed {
  readonly subject: Subject;
  readonly location: string;
  readonly report: Report;
}

/** Holds such runs while they are written: no worker claims any. */
const OBSERVER = 'service/observer';

export async function recordObserved(
  recorder: Recorder,
  observed: readonly Observed[],
): Promise<{ readonly effects: Effects; readonly planned: readonly PlannedSession<string>[] }> {
  const { data, now, limits, random } = recorder;
  const planned = observed.map(({ subject: { check, settings }, location }) =>
    planSession({
      ...{ check, settings, now, limits, runSource: 'SCHEDULER', turn: 0, offered: [location] },
      ...{ runLocation: location, uuid: () => createUuidV7(random, now) },
    }),
  );
  if (planned.length === 0) return { effects: NO_EFFECTS, planned };
  await data.sessions.insert(planned.map(({ session }) => session));
  const held = { state: 'RUNNING', claimed_by: OBSERVER, claimed_at: now, lease_until: now } as const;
  const ids = await data.runs.insertNumbered(
    planned.flatMap(({ runs }) => runs.map((run) => ({ ...run, ...held }))),
  );
  const { effects } = await recordReports(
    recorder,
    observed.map(({ report }, place) => ({ worker: OBSERVER, runId: ids[place] ?? 0, report })),
  );
  return { effects, planned };
}
