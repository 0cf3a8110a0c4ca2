/** What runs of a check find. */
import type { RunOutcome } from '../../../../src/runners/core/runner.ts';

export const GOOD: RunOutcome = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 12.34, errors: [], details: {} },
};
export const BAD: RunOutcome = {
  ...GOOD,
  ...{ hasFailures: true, errors: ['expected "1.2.3.4" <b>but</b> got nothing'] },
};
/** A fault of the monitor. */
export const OURS: RunOutcome = { ...GOOD, hasErrors: true, errors: ['no resolver'] };
export const DEGRADED: RunOutcome = { ...GOOD, isDegraded: true };
