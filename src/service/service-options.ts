/** Defines the options of a service and of a service process, and the defaults of the engine. */
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { LOCATIONS } from '../contract/enumerations.ts';
import type { ScriptRuntime } from '../runners/browser/runtimes.ts';
import { CannotRun } from '../runners/core/runner.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { runners } from '../runners/index.ts';
import type { BrowserSettings } from '../runners/script-runners.ts';
import type { Canary } from '../runners/uplink/canary.ts';
import type { SandboxOptions } from '../sandbox/index.ts';
import type { EngineOptions } from './engine/engine-options.ts';
import type { HttpLimits } from './http/server/http-limits.ts';
import type { ListenAddress } from './http/server/listen.ts';
import type { Documents } from './http/server/public-routes.ts';
import type { DeliverySettings } from './notify/outbox/deliver/create-deliver.ts';
import type { Limits } from './store/budgets.ts';
import type { StoreDependencies, StoreLocation } from './store/index.ts';

/** Settings of the engine; missing ones have the value of `ENGINE_DEFAULTS`. */
type EngineSettings = Partial<Omit<EngineOptions, 'store' | 'clock' | 'random' | 'logger'>>;

export interface ServiceOptions {
  readonly store: StoreLocation;
  /** Connections and timeouts of a store on Postgres. */
  readonly database?: StoreDependencies['database'];
  readonly listen: ListenAddress;
  readonly clock: Clock;
  readonly random: Random;
  /** Default: no log. */
  readonly logger?: Logger;
  readonly limits?: Partial<HttpLimits>;
  /** Source addresses by region (endpoint 19). Default: those of this machine, for each location it runs checks for. */
  readonly staticAddresses?: Readonly<Record<string, readonly string[]>>;
  /** Load documents that everyone may read, by path: `/openapi.json`. */
  readonly documents?: Documents;
  readonly engine?: EngineSettings;
  /** Storage limits in bytes; missing ones have their default. A Postgres database has no default limit. */
  readonly storage?: Partial<Limits> | undefined;
  /** Folder of screenshots and traces. Default: beside the SQLite file, or none. */
  readonly artifactsFolder?: string;
  /** Mail server, SMS gateway and token of Slack. Default: webhooks only. Addresses denied to checks are denied to webhooks, too. */
  readonly delivery?: DeliverySettings;
  /** URL of the service for links (`https://sonde.example.com`). Default: the address it listens on. */
  readonly publicUrl?: string | undefined;
  /** Trusted reverse proxies: addresses and networks (`10.0.0.0/8`). Default: none; their headers are ignored. */
  readonly trustProxy?: readonly string[];
  /** Whether pages are served at custom domains without a proof that the account controls them. Default: false. */
  readonly trustCustomDomains?: boolean;
  /** Authenticates the owner of the data folder. Default: no local administration. */
  readonly adminSecret?: string;
  /** Whether to detect misuse of the store (`StoreDependencies`). Default: true. */
  readonly detectsMisuse?: boolean;
  /** Why the service cannot run agentic checks, as a sentence without a full stop; missing if it can. */
  readonly whyNoAgenticChecks?: string | undefined;
  /** Version of the service. */
  readonly version?: string | undefined;
  /** Returns the runtimes of scripts that are installed now. Default: none. */
  readonly runtimes?: () => Promise<readonly ScriptRuntime[]>;
  /** Maximum number of checks with series in /metrics; 0 for none. Default: `DEFAULT_METRICS_CHECKS`. */
  readonly metricsChecks?: number;
  /** Address that serves /metrics without a key. Default: none. */
  readonly metricsListen?: MetricsListenOptions | undefined;
  /** Returns the fields that /health adds to the state. */
  readonly about?: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface MetricsListenOptions extends ListenAddress {
  /** Whether scripts of checks may reach it. Then checks have no series if there are several accounts. */
  readonly isOpenToScripts: boolean;
}

/** Nine series each: a response of about 2 MB. */
export const DEFAULT_METRICS_CHECKS = 1000;

export const ENGINE_DEFAULTS = {
  locations: LOCATIONS,
  resolvers: systemResolvers,
  runners,
  concurrency: 10,
  graceMs: 10_000,
  evaluate: () => Promise.reject(new CannotRun('no judge process was set up')),
} as const satisfies EngineSettings;

/** The options of a service process: those of the service that the command line sets, and those of its runners. */
export interface ProcessOptions extends Pick<ServiceOptions, 'store' | 'listen' | 'clock' | 'random'> {
  readonly database: ServiceOptions['database'];
  /** Resolvers of checks without a name server, `host` or `host:port`; empty: the system's. */
  readonly resolvers: readonly string[];
  /** Addresses that answer as long as this machine has a network: URLs and `host:port`; empty: none. */
  readonly canaries: readonly Canary[];
  readonly trustProxy: readonly string[];
  readonly concurrency: number;
  /** Time that running checks have to finish during shutdown, in ms. */
  readonly graceMs: number;
  /** Retention of raw results, in ms. */
  readonly keepResultsMs: number;
  /** Storage limits in bytes; missing ones have the default. */
  readonly storage: Partial<Limits>;
  /** Requests per minute and key. The deprecated listing has its own documented rate. */
  readonly requestsPerMinute: number;
  readonly maxConnections: number;
  /** Maximum number of checks with series in /metrics. */
  readonly metricsChecks: number;
  /** Address that serves /metrics without a key; undefined: none. */
  readonly metricsListen: ListenAddress | undefined;
  /** Let checks and webhooks contact the service itself. */
  readonly allowOwnAddress: boolean;
  /** Serve pages at custom domains without a proof that the account controls them. */
  readonly trustCustomDomains: boolean;
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly write: (line: string) => void;
  };
  readonly version: string;
  /** Version of the Node.js that runs the service and scripts. */
  readonly nodeVersion: string;
  readonly pid: number;
  readonly adminSecret: string;
  readonly sandbox: SandboxOptions;
  /** Run scripts even at the isolation level `process`. */
  readonly trustScripts: boolean;
  /** Limit checks and webhooks to public addresses. */
  readonly denyPrivateNetworks: boolean;
  readonly browser: BrowserSettings;
  /** Contains the public URL (SONDE_PUBLIC_URL) and the settings of e-mail and SMS (SONDE_SMTP_URL, SONDE_SMS_URL …). */
  readonly env: Readonly<Record<string, string | undefined>>;
}
