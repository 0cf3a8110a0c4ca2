/** Defines the dependencies of the handlers. */
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { ArtifactFiles, FileDownload } from '../../engine/artifacts/artifact-files.ts';
import type { Engine } from '../../engine/engine.ts';
import type { MaintenanceScheduler } from '../../maintenance/scheduler.ts';
import type { createDeliver, Deliveries } from '../../notify/outbox/deliver/create-deliver.ts';
import type { Storage } from '../../store/budgets.ts';
import type { ArtifactRecord } from '../../store/engine/results.ts';
import type { Store } from '../../store/index.ts';
import type { EndpointName, Handlers } from './register-endpoint.ts';

export interface HandlerContext {
  readonly store: Store;
  readonly engine: Engine;
  readonly maintenance: MaintenanceScheduler;
  /** The stored files of runs. */
  readonly artifacts: {
    find(accountId: string, id: string): Promise<ArtifactRecord | undefined>;
    open(id: string): Promise<FileDownload | undefined>;
    /** Receives uploads of agents; undefined if this service stores no files. */
    readonly uploads: Pick<ArtifactFiles['uploads'], 'receive'> | undefined;
  };
  /** Delivers a message immediately, for tests of channels. All other messages go through the outbox. */
  readonly deliver: ReturnType<typeof createDeliver>;
  readonly deliveries: Deliveries;
  /** Admits data within the storage limits. */
  readonly storage: Pick<Storage, 'admit'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the service begins to stop, which ends all long polls. */
  readonly stopping: AbortSignal;
  /** Returns the public URL (`https://sonde.example.com`) once the service listens. */
  readonly publicUrl: () => string | undefined;
  /** The reason why this service runs no agentic checks, without a full stop; undefined if it does run them. */
  readonly whyNoAgenticChecks: string | undefined;
  /** Source addresses by region for endpoint 19; undefined for this machine's addresses in every simulated location. */
  readonly staticAddresses: Readonly<Record<string, readonly string[]>> | undefined;
  /** The public locations that this machine simulates. */
  readonly locations: readonly string[];
}

/** The handlers of some endpoints. */
export type HandlersFor<N extends EndpointName> = Pick<Handlers, N>;
