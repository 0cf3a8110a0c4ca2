/** Defines the options of a service and the defaults of its engine. */
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { LOCATIONS } from '../contract/enumerations.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { runners } from '../runners/index.ts';
import { CannotRun } from '../runners/types.ts';
import type { EngineOptions } from './engine/engine-options.ts';
import type { HttpLimits } from './http/server/http-server.ts';
import type { ListenAddress } from './http/server/listen.ts';
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
  /** The generated document of /openapi.json. */
  readonly openApiDocument?: Readonly<Record<string, unknown>>;
  readonly engine?: EngineSettings;
  /** Storage limits in bytes; missing ones have their default. A Postgres database has no default limit. */
  readonly storage?: Partial<Limits> | undefined;
  /** Folder of screenshots and traces. Default: beside the SQLite file, or none. */
  readonly artifactsFolder?: string;
  /** Mail server and SMS gateway. Default: webhooks only. Addresses denied to checks are denied to webhooks, too. */
  readonly delivery?: DeliverySettings;
  /** URL of the service for links (`https://sonde.example.com`). Default: the address it listens on. */
  readonly publicUrl?: string | undefined;
  /** Trusted reverse proxies: addresses and networks (`10.0.0.0/8`). Default: none; their headers are ignored. */
  readonly trustProxy?: readonly string[];
  /** Authenticates the owner of the data folder. Default: no local administration. */
  readonly adminSecret?: string;
  /** Whether to detect misuse of the store (`StoreDependencies`). Default: true. */
  readonly detectsMisuse?: boolean;
  /** Why the service cannot run agentic checks, as a sentence without a full stop; missing if it can. */
  readonly whyNoAgenticChecks?: string | undefined;
  /** Returns the fields that /health adds to the state. */
  readonly about?: () => Promise<Readonly<Record<string, unknown>>>;
}

export const ENGINE_DEFAULTS = {
  locations: LOCATIONS,
  resolvers: systemResolvers,
  runners,
  concurrency: 10,
  graceMs: 10_000,
  evaluate: () => Promise.reject(new CannotRun('no judge process was set up')),
} as const satisfies EngineSettings;
