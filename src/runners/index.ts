/** Lists the runners of the check types that need no sandbox. `script-runners.ts` creates the others. */
import { run as runAgentic } from './agentic.ts';
import { run as runDns } from './dns.ts';
import { run as runIcmp } from './icmp.ts';
import { run as runTcp } from './tcp.ts';
import { run as runUrl } from './url.ts';

/** Runners of uptime checks, by the contract's `checkType`. */
export const uptimeRunners = { DNS: runDns, ICMP: runIcmp, TCP: runTcp, URL: runUrl } as const;

export const runners = { ...uptimeRunners, AGENTIC: runAgentic } as const;
