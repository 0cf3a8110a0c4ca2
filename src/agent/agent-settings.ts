/** Defines the validated settings of an agent. */
import type { RunContext } from '../runners/core/runner.ts';
import type { Canary } from '../runners/uplink/canary.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface AgentSettings {
  /** URL of the service. */
  readonly baseUrl: string;
  /** Returns the key of the private location for a request. */
  readonly getKey: () => Promise<string>;
  /** Maximum number of concurrent runs. */
  readonly concurrency: number;
  /** 0: any free port. */
  readonly healthPort: number;
  /** Stores results until the service has them. */
  readonly spoolFolder: string;
  /** Time that running checks have to finish during shutdown, in ms. Default: the longest remaining timeout. */
  readonly graceMs: number | undefined;
  /** Run only URL, DNS, TCP and ICMP checks, without loading script and browser code. */
  readonly uptimeOnly: boolean;
  /** Addresses that answer as long as this machine has a network. */
  readonly canaries: readonly Canary[];
  /** Default: the system's lookup. */
  readonly lookup: RunContext['lookup'];
  /** URL that receives errors of the agent; undefined: none. */
  readonly observability: string | undefined;
}
