/** Prepares checks that a test session brings along, and that are not stored. */
import type { JsonObject } from '../../../base/object.ts';
import type { CheckType } from '../../../contract/check-type-facts.ts';
import type { CheckGroupBody, TypedCheckBody } from '../../store/index.ts';
import { resolveSettings } from './settings.ts';
import type { TestSubject } from './start-sessions.ts';

export interface UnstoredCheck {
  readonly logicalId: string;
  readonly name: string;
  readonly type: CheckType;
  /** A valid body of its type. */
  readonly body: JsonObject;
  /** A valid body of its group. */
  readonly group: CheckGroupBody | undefined;
}

/** Returns the subject of a test. Its check runs whether it is activated or not, and in no batch of its group. */
export function toTestSubject(
  accountId: string,
  { logicalId, name, type, body, group }: UnstoredCheck,
): TestSubject {
  const typed = { type, body } as unknown as TypedCheckBody;
  return {
    key: logicalId,
    check: { ...typed, id: null, accountId, name },
    group: undefined,
    settings: resolveSettings(
      { ...typed, activated: true },
      group && { body: { ...group, activated: true } },
    ),
  };
}
