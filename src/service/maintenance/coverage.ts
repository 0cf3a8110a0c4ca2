/** Computes which checks maintenance windows pause and whose alerts they silence. Pure. */
import type { CheckGroupRecord } from '../store/documents.ts';
import type { CheckRecord, MaintenanceEffects } from '../store/index.ts';

/** Names and tags of a check and its group, which windows are matched with. */
export interface CoverageTarget {
  readonly check: Pick<CheckRecord, 'name'> & { readonly body: { readonly tags?: readonly string[] } };
  readonly group?: Pick<CheckGroupRecord, 'body'> | undefined;
}

/** Checks that an effect applies to: all, or those with one of the labels. */
interface Scope {
  readonly all: boolean;
  readonly labels: ReadonlySet<string>;
}

/** Combined effect of windows on checks and their alerts. */
export interface Coverage {
  pauses(target: CoverageTarget): boolean;
  silences(target: CoverageTarget): boolean;
}

function isWithin({ all, labels }: Scope, { check, group }: CoverageTarget): boolean {
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
 * Combines open windows. `pauseAllChecks` pauses every check; `tags` pauses checks with such a name or tag, on the check
 * or its group. A window with neither pauses nothing. `silenceAllAlerts` and `silenceAlertsTags` do the same for
 * alerts. A paused check never alerts: a run started by hand is silent (docs/gaps.md).
 */
export function computeCoverage(bodies: readonly MaintenanceEffects[]): Coverage {
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
    pauses: (target) => isWithin(paused, target),
    silences: (target) => isWithin(silenced, target),
  };
}
