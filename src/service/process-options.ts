/** Defines the options of a service process. */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { BrowserSettings } from '../runners/script-runners.ts';
import type { SandboxOptions } from '../sandbox/index.ts';
import type { ListenAddress } from './http/server/listen.ts';
import type { ServiceOptions } from './service-options.ts';
import type { Limits } from './store/budgets.ts';
import type { StoreLocation } from './store/index.ts';

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface ProcessOptions {
  readonly store: StoreLocation;
  /** Connections of a store on Postgres (`ServiceOptions`). */
  readonly database: ServiceOptions['database'];
  readonly listen: ListenAddress;
  readonly clock: Clock;
  readonly random: Random;
  /** Resolvers of checks without a name server, `host` or `host:port`; empty: the system's. */
  readonly resolvers: readonly string[];
  /** Addresses and networks of reverse proxies (`ServiceOptions`). */
  readonly trustProxy: readonly string[];
  /** Maximum number of concurrent attempts. */
  readonly concurrency: number;
  /** Time that running checks have to finish during shutdown, in ms. */
  readonly graceMs: number;
  /** Retention of raw results, in ms. */
  readonly keepResultsMs: number;
  /** Storage limits in bytes; missing ones have the default. */
  readonly storage: Partial<Limits>;
  /** Requests per minute and key. The deprecated listing has its own documented rate. */
  readonly requestsPerMinute: number;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  readonly log: { readonly level: LogLevel; readonly write: (line: string) => void };
  readonly version: string;
  readonly pid: number;
  /** Authenticates the owner of the data folder. */
  readonly adminSecret: string;
  /** Isolation of scripts. */
  readonly sandbox: SandboxOptions;
  /** Run scripts even at the isolation level `process`. */
  readonly trustScripts: boolean;
  /** Limit checks and webhooks to public addresses. */
  readonly denyPrivateNetworks: boolean;
  /** Settings of browser checks. */
  readonly browser: BrowserSettings;
  /** Contains the public URL (SONDE_PUBLIC_URL) and the settings of e-mail and SMS (SONDE_SMTP_URL, SONDE_SMS_URL …). */
  readonly env: Readonly<Record<string, string | undefined>>;
}
