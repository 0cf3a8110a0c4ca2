/** What maintenance windows cover: which checks they pause, whose alerts they silence. Pure. */
import type { CheckGroupRecord } from '../store/check-groups.ts';
import type { CheckRecord, MaintenanceEffects } from '../store/index.ts';

/** What windows are matched with: the names and tags of a check and its group. */
export interface Covered {
  readonly check: Pick<CheckRecord, 'name'> & { readonly body: { readonly tags?: readonly string[] } };
  readonly group?: Pick<CheckGroupRecord, 'body'> | undefined;
}

/** Those that an effect of windows has: all, or those with one of the labels. */
interface Scope {
  readonly all: boolean;
  readonly labels: ReadonlySet<string>;
}

/** What windows together do to checks and their alerts. */
export interface Coverage {
  pauses(covered: Covered): boolean;
  silences(covered: Covered): boolean;
}

function isWithin({ all, labels }: Scope, { check, group }: Covered): boolean {
  if (all) return true;
  if (labels.size === 0) return false;
  const has = (label: string) => labels.has(label);
  return (
    has(check.name) ||
    (check.body.tags ?? []).some(has) ||
    (group !== undefined && (has(group.body.name) || (group.body.tags ?? []).some(has)))
  );
}

/**
 * What open windows do together. `pauseAllChecks` pauses every check, `tags` those that have one of them as a name or tag, or
 * whose group has; a window with neither pauses nothing: it may silence or only be shown. `silenceAllAlerts` and
 * `silenceAlertsTags` are the same for alerts. Of a check that is paused no run alerts, either: what is started by hand runs
 * silently (docs/gaps.md).
 */
export function coverageOf(bodies: readonly MaintenanceEffects[]): Coverage {
  const paused: Scope = {
    all: bodies.some(({ pauseAllChecks }) => pauseAllChecks === true),
    labels: new Set(bodies.flatMap(({ tags }) => tags ?? [])),
  };
  const silenced: Scope = {
    all: paused.all || bodies.some(({ silenceAllAlerts }) => silenceAllAlerts === true),
    labels: new Set([
      ...paused.labels,
      ...bodies.flatMap(({ silenceAlertsTags }) => silenceAlertsTags ?? []),
    ]),
  };
  return {
    pauses: (covered) => isWithin(paused, covered),
    silences: (covered) => isWithin(silenced, covered),
  };
}
