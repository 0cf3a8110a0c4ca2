/** What an agent is told, once it has been judged. */
import type { RunContext } from '../runners/types.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface AgentSettings {
  /** Where the service is. */
  readonly baseUrl: string;
  /** Reveals the key of the private location, at the moment of sending. */
  readonly getKey: () => Promise<string>;
  /** How many runs at once. */
  readonly concurrency: number;
  /** 0: any port that is free. */
  readonly healthPort: number;
  /** Results wait here until the service has them. */
  readonly spoolFolder: string;
  /** How long running checks may take at the end, in ms; left out: as long as the longest of them may. */
  readonly graceMs: number | undefined;
  /** Runs URL, DNS, TCP and ICMP checks alone, and loads nothing of scripts and browsers. */
  readonly uptimeOnly: boolean;
  /** Left out: as the system looks names up. */
  readonly lookup: RunContext['lookup'];
  /** Where errors of the agent are reported; undefined: nowhere. */
  readonly observability: string | undefined;
}
