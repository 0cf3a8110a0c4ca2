/** The runner of each check type that can be run. */
import { run as runDns } from './dns.ts';

/** Keyed by `checkType`, as the contract spells it. */
export const runners = { DNS: runDns } as const;

export type RunnableCheckType = keyof typeof runners;
