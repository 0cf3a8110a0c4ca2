/** Lists the runners of the check types that need no sandbox. `script-runners.ts` creates the others. */
import type { UptimeCheckType } from '../contract/check-type-facts.ts';
import { run as runAgentic } from './agentic/runner.ts';
import type { Runner } from './core/runner.ts';
import { run as runDns } from './dns/runner.ts';
import { run as runUrl } from './http/url-runner.ts';
import { run as runIcmp } from './icmp/runner.ts';
import { run as runSsl } from './ssl/runner.ts';
import { run as runTcp } from './tcp/runner.ts';

/** Runners of uptime checks, by the contract's `checkType`. */
export const uptimeRunners = {
  DNS: runDns,
  ICMP: runIcmp,
  SSL: runSsl,
  TCP: runTcp,
  URL: runUrl,
} satisfies Record<UptimeCheckType, Runner<never>>;

export const runners = { ...uptimeRunners, AGENTIC: runAgentic } as const;
