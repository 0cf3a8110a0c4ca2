/** The gate's front door: how the commands hold a release until its sessions have ended. */

export { unstartedText } from './format/lines.ts';
export type { WantedReport } from './report/index.ts';
export { type HoldOptions, holdGate } from './run-gate.ts';
export { errorSources } from './summary/error-sources.ts';
export { askCheckSessions, askTestSessions } from './wait/poll.ts';
export { checkSessions, testSessions } from './wait/verdict.ts';
