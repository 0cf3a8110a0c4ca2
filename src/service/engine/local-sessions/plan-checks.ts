/** Plans sessions of checks from files as the engine plans those of stored checks. */
import type { JsonObject } from '../../../base/object.ts';
import type { CheckType } from '../../../contract/check-type-facts.ts';
import type { CheckGroupBody, TypedCheckBody } from '../../store/index.ts';
import type { Snippet } from '../sessions/api-checks.ts';
import { LIMITS, type PlannedSession, planSession } from '../sessions/plan-session.ts';
import { resolveSettings, type Variable } from '../sessions/settings.ts';
import { planBatches } from '../sessions/start-sessions.ts';

/** A check from a file. References are IDs, as in the API. */
export interface LocalCheck {
  /** Identifies the check. */
  readonly id: string;
  readonly name: string;
  readonly type: CheckType;
  /** A valid body of its type. */
  readonly body: JsonObject;
  readonly group: { readonly id: number; readonly body: CheckGroupBody } | undefined;
}

export interface LocalAccount {
  readonly variables: readonly Variable[];
  readonly snippetOf: (id: number) => Snippet | undefined;
}

interface PlanChecksOptions extends LocalAccount {
  readonly location: string;
  /** Whether failed attempts are repeated as the check or its group says. */
  readonly retries: boolean;
  readonly now: number;
  readonly uuid: () => string;
}

/** Plans one session of each check, in the order of their start. */
export function planChecks(
  checks: readonly LocalCheck[],
  { variables, snippetOf, location, retries, now, uuid }: PlanChecksOptions,
): readonly PlannedSession<string>[] {
  const subjects = checks.map(({ id, name, type, body, group }) => ({
    check: { id, name, accountId: '', ...({ type, body } as unknown as TypedCheckBody) },
    group,
  }));
  return planBatches(subjects, uuid).map(({ subject: { check, group }, batch }) => {
    const settings = resolveSettings({ ...check, activated: true }, group);
    return planSession({
      ...batch,
      check,
      settings: retries ? settings : { ...settings, retry: null },
      accountVariables: variables,
      snippetOf,
      runSource: 'TEST_NO_RECORD',
      runLocation: location,
      rotation: 0,
      publicLocations: [],
      limits: LIMITS,
      now,
      uuid,
    });
  });
}
