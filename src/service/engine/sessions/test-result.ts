/** Converts a result of a test session with its details. */
import type { getTestSessionResult, ResponseOf } from '../../../contract/index.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import type { Links } from './capability.ts';
import { toCheckResult, toTestSessionResult } from './responses.ts';

export type TestResult = ResponseOf<typeof getTestSessionResult>;

export function toTestResult(
  testSessionId: string,
  row: ResultRecord,
  privateLocationId: string | null,
  links: Links,
): TestResult {
  const { checkId: _, resultType: __, ...result } = toCheckResult({ ...row, check_id: row.check_id ?? '' });
  return {
    ...result,
    ...toTestSessionResult(testSessionId, row, links),
    privateLocationId,
    filePath: null,
    scheduleError: null,
    updated_at: null,
  };
}
