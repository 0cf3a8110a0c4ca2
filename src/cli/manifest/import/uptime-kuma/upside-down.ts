/**
 * Converts the upside-down mode of Uptime Kuma, which is up whenever the monitor is not. `shouldFail` inverts only the
 * rules of the check type, never assertions, so that an assertion of the monitor becomes its opposite.
 */
import type { JsonObject } from '../../../../base/object.ts';
import { type Assertion, STATUS_CODES, statusAssertions } from '../assertions.ts';
import type { ReportLoss } from '../conversion.ts';

const OPPOSITES: Readonly<Record<string, string>> = {
  EQUALS: 'NOT_EQUALS',
  NOT_EQUALS: 'EQUALS',
  CONTAINS: 'NOT_CONTAINS',
  NOT_CONTAINS: 'CONTAINS',
  NOT_EMPTY: 'IS_EMPTY',
};

/** Sources about which an assertion that always holds replaces the rule of the check type. */
const STATUS_SOURCES: Readonly<Record<string, string>> = { API: 'STATUS_CODE', DNS: 'RESPONSE_CODE' };

/** Returns the converted check upside down; paused, with a report, if its assertions have no opposite. */
export function turnUpsideDown(
  check: JsonObject,
  isAccepted: (code: number) => boolean,
  report: ReportLoss,
): JsonObject {
  const request = check.request as { readonly assertions?: readonly Assertion[] } | undefined;
  const assertions = request?.assertions ?? [];
  const conditions = assertions.filter(({ source }) => source !== 'STATUS_CODE');
  const withAssertions = (all: readonly Assertion[]) => ({
    ...check,
    request: { ...request, assertions: all },
  });
  if (check.checkType === 'HEARTBEAT') {
    report('paused', 'upside down', 'a heartbeat check cannot fail on a ping');
    return check;
  }
  if (assertions.length === 0) return { ...check, shouldFail: true };
  const failsWithoutAnswer = () =>
    report('changed', 'upside down', 'without an answer the check fails, because its assertion cannot hold');
  if (conditions.length === 0) {
    if (STATUS_CODES.every((code) => isAccepted(code) === (code >= 200 && code < 300))) {
      report('changed', 'upside down', 'a status from 300 to 399 fails the check');
      return { ...withAssertions([]), shouldFail: true };
    }
    failsWithoutAnswer();
    return withAssertions(statusAssertions((code) => !isAccepted(code)));
  }
  const [only] = conditions;
  const comparison = OPPOSITES[only?.comparison ?? ''];
  const source = STATUS_SOURCES[String(check.checkType)];
  if (conditions.length > 1 || only === undefined || comparison === undefined || source === undefined) {
    report('paused', 'upside down', 'its conditions have no opposite; write the assertions that must hold');
    return check;
  }
  failsWithoutAnswer();
  return withAssertions([
    { source, comparison: 'NOT_NULL' },
    { ...only, comparison },
  ]);
}
