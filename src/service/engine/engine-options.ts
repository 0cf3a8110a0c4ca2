/** Declares the options of the engine. */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Evaluate, RunContext } from '../../runners/core/runner.ts';
import type { Uplink } from '../../runners/uplink/uplink.ts';
import type { Tracing } from '../../worker/tracing/tracing.ts';
import type { Runners } from '../../worker/worker.ts';
import type { Store, StoreTransaction } from '../store/index.ts';
import type { ArtifactFiles } from './artifacts/artifact-files.ts';
import type { ClaimAhead } from './schedule/claim-ticks.ts';
import type { Links } from './sessions/capability.ts';
import type { Limits } from './sessions/plan-session.ts';
import type { EndedSession } from './sessions/transitions.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: { error(fields: object, message: string): void };
  /** Public locations of the service. Checks that name no location run in the first. */
  readonly locations: readonly [string, ...string[]];
  /** Resolvers (`host` or `host:port`) for checks that name none; read before each run that needs them. */
  readonly resolvers: RunContext['resolvers'];
  readonly denyAddress?: RunContext['denyAddress'];
  readonly allowsOpenNetwork?: RunContext['allowsOpenNetwork'];
  readonly capture?: RunContext['capture'];
  /** Tells outages of this machine's network from failures. Default: every network error is a failure of the target. */
  readonly uplink?: Uplink | undefined;
  /** Evaluates the answers of targets. */
  readonly evaluate: Evaluate;
  /** Runners by check type. Checks of a type without a runner are recorded as monitor errors. */
  readonly runners: Runners;
  /** Stores screenshots and traces of runs. Default: they are dropped. */
  readonly artifacts?: Pick<ArtifactFiles, 'store' | 'uploads' | 'adopt' | 'place' | 'places'>;
  /** Returns, as a sentence, why results are currently stored without details; undefined if they have details. */
  readonly whyNoDetails?: () => string | undefined;
  /** Number of attempts that the built-in worker runs at once. */
  readonly concurrency: number;
  /** Time for running checks to finish after `stop`, in ms. */
  readonly graceMs: number;
  /** Links to sessions and results for answers. Default: no links. */
  readonly links?: Links;
  /** Runs in the transaction that ends sessions of stored checks, to send alerts. */
  readonly onEnded?: (tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>;
  /** Under load, how long to collect due ticks, results and free capacity into one transaction, in ms. Default: 0. */
  readonly coalesce?: { readonly ticksMs: number; readonly resultsMs: number; readonly capacityMs: number };
  /** How long before their due time ticks are claimed. Default: when they are due. */
  readonly claimAhead?: ClaimAhead;
  /** Default: the limits of docs/gaps.md. */
  readonly limits?: Limits;
  /** Retention of raw results, in ms. Default: 30 days (specification, Limits). */
  readonly retentionMs?: number;
  /** Records the spans of attempts and sessions. Default: no traces. */
  readonly tracing?: Tracing | undefined;
  /** URL of a Postgres store. Sessions that other processes end there wake the waiters of this process. */
  readonly databaseUrl?: string;
}
