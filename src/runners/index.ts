/** Lists the runners of the check types that need no sandbox. `script-runners.ts` creates the others. */
import type { UptimeCheckType } from '../contract/check-type-facts.ts';
import { run as runAgentic } from './agentic.ts';
import { run as runDns } from './dns.ts';
import { run as runIcmp } from './icmp.ts';
import { run as runSsl } from './ssl.ts';
import { run as runTcp } from './tcp.ts';
import type { Runner } from './types.ts';
import { run as runUrl } from './url.ts';

/** Runners of uptime checks, by the contract's `checkType`. */
export const uptimeRunners = {
  DNS: runDns,
  ICMP: runIcmp,
  SSL: runSsl,
  TCP: runTcp,
  URL: runUrl,
} satisfies Record<UptimeCheckType, Runner<never>>;

export const runners = { ...uptimeRunners, AGENTIC: runAgentic } as const;
