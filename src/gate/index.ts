/** Exports what commands need to wait for sessions and exit with their verdict. */

export { unstartedText } from './format/lines.ts';
export type { ReportTarget } from './report/index.ts';
export { appendStepSummary } from './report/step-summary.ts';
export { type RunGateOptions, runGate } from './run-gate.ts';
export { errorSources } from './summary/error-sources.ts';
export { findProblem, pollCheckSessions, pollTestSessions } from './wait/poll.ts';
export { checkSessions, localSessions, testSessions } from './wait/verdict.ts';
export { withoutCheck } from './wait/without-check.ts';
