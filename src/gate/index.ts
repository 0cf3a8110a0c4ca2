/** The gate's front door: how the commands hold a release until its sessions have ended. */
export { askCheckSessions, askTestSessions } from './ask.ts';
export { errorSources } from './error-sources.ts';
export { type Held, type HoldOptions, holdGate } from './hold.ts';
export { checkSessions, testSessions } from './verdict.ts';
export { unstartedText } from './words.ts';
