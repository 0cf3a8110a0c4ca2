/** What handlers work with. */
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { ArtifactFiles, FileDownload } from '../../engine/artifacts/artifact-files.ts';
import type { Engine } from '../../engine/engine.ts';
import type { MaintenanceKeeper } from '../../maintenance/index.ts';
import type { Deliveries, deliverer } from '../../notify/outbox/deliver/index.ts';
import type { Storage } from '../../store/budgets.ts';
import type { ArtifactRecord } from '../../store/engine/artifacts.ts';
import type { Store } from '../../store/index.ts';
import type { EndpointName, Handlers } from './implement.ts';

export interface HandlerContext {
  readonly store: Store;
  readonly engine: Engine;
  readonly maintenance: MaintenanceKeeper;
  /** Files that runs left. */
  readonly artifacts: {
    find(accountId: string, id: string): Promise<ArtifactRecord | undefined>;
    open(id: string): Promise<FileDownload | undefined>;
    /** What agents send; undefined where this service has no place for files. */
    readonly uploads: Pick<ArtifactFiles['uploads'], 'receive'> | undefined;
  };
  /** Delivers a message at once: for what is tried while somebody waits, all else goes through the outbox. */
  readonly deliver: ReturnType<typeof deliverer>;
  readonly deliveries: Deliveries;
  /** Room for what is stored. */
  readonly storage: Pick<Storage, 'admit'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the service begins to stop: whoever waits is sent away. */
  readonly stopping: AbortSignal;
  /** Where people reach the service (`https://sonde.example.com`), once it listens. */
  readonly publicUrl: () => string | undefined;
  /** Why the service itself runs no agentic checks, as a sentence without a full stop; undefined: it does. */
  readonly whyNoAgenticChecks: string | undefined;
  /** Source addresses by region, as endpoint 19 answers them; undefined: this machine's, for every location that it simulates. */
  readonly staticAddresses: Readonly<Record<string, readonly string[]>> | undefined;
  /** The public locations that this machine simulates. */
  readonly locations: readonly string[];
}

/** The handlers of some endpoints. */
export type HandlersFor<N extends EndpointName> = Pick<Handlers, N>;
