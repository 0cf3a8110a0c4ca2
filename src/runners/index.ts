/** The runner of each check type that can be run. */
import { run as runAgentic } from './agentic.ts';
import { run as runDns } from './dns.ts';
import { run as runIcmp } from './icmp.ts';
import { run as runTcp } from './tcp.ts';
import { run as runUrl } from './url.ts';

/** What tells whether something is up: light, without scripts and browsers. Keyed by `checkType`, as the contract spells it. */
export const uptimeRunners = { DNS: runDns, ICMP: runIcmp, TCP: runTcp, URL: runUrl } as const;

/** All that run without a browser. */
export const runners = { ...uptimeRunners, AGENTIC: runAgentic } as const;

export type RunnableCheckType = keyof typeof runners;
