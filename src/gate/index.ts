/** The gate's front door: how the commands hold a release until its sessions have ended. */

export { errorSources } from './end/error-sources.ts';
export { type HoldOptions, holdGate } from './hold.ts';
export type { WantedReport } from './report/index.ts';
export { askCheckSessions, askTestSessions } from './wait/ask.ts';
export { checkSessions, testSessions } from './wait/verdict.ts';
export { unstartedText } from './words/lines.ts';
