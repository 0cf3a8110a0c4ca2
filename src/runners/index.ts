/** The runners of the check types that need no sandbox. Those that run scripts are made in `scripts.ts`. */
import { run as runAgentic } from './agentic.ts';
import { run as runDns } from './dns.ts';
import { run as runIcmp } from './icmp.ts';
import { run as runTcp } from './tcp.ts';
import { run as runUrl } from './url.ts';

/** Those that tell whether something is up. Keyed by `checkType`, as the contract spells it. */
export const uptimeRunners = { DNS: runDns, ICMP: runIcmp, TCP: runTcp, URL: runUrl } as const;

export const runners = { ...uptimeRunners, AGENTIC: runAgentic } as const;
