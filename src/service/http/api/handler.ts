/** Defines the handlers of the API: one for each endpoint of the contract, what they receive, and what they depend on. */

import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type * as contract from '../../../contract/index.ts';
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ResponseOf } from '../../../contract/index.ts';
import type { ScriptRuntime } from '../../../runners/browser/runtimes.ts';
import type { Evaluate } from '../../../runners/core/runner.ts';
import type { ArtifactFiles, FileDownload } from '../../engine/artifacts/artifact-files.ts';
import type { Engine } from '../../engine/engine.ts';
import type { createAnalytics } from '../../engine/results/analytics.ts';
import type { badgeLinks } from '../../engine/sessions/capability.ts';
import type { WindowCommands } from '../../maintenance/scheduler.ts';
import type { createDeliver, Deliveries } from '../../notify/outbox/deliver/create-deliver.ts';
import type { Storage } from '../../store/budgets.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { ArtifactRecord } from '../../store/engine/results.ts';
import type { ResourceStore, StoreTransaction } from '../../store/index.ts';
import type { DomainProofs } from './domain-proofs.ts';
import type { Rows } from './list-responder.ts';

export interface HandlerContext {
  readonly store: ResourceStore;
  /** Runs what may cost more than its length in a separate process. */
  readonly evaluate: Evaluate;
  readonly engine: Engine;
  readonly analytics: ReturnType<typeof createAnalytics>;
  readonly measurements: EngineData['measurements'];
  readonly sentAlerts: EngineData['sentAlerts'];
  readonly maintenance: WindowCommands & { readonly within: (tx: StoreTransaction) => WindowCommands };
  readonly artifacts: {
    find(accountId: string, id: string): Promise<ArtifactRecord | undefined>;
    open(id: string): Promise<FileDownload | undefined>;
    /** Host and folder of the files; undefined if this service stores none. */
    readonly place: string | undefined;
    /** Receives uploads of agents; undefined if this service stores no files. */
    readonly uploads: Pick<ArtifactFiles['uploads'], 'receive'> | undefined;
  };
  /** Delivers a message immediately, for tests of channels. All other messages go through the outbox. */
  readonly deliver: ReturnType<typeof createDeliver>;
  readonly deliveries: Deliveries;
  /** Whether the service has a bot token for channels of Slack apps without one. */
  readonly hasSlackToken: boolean;
  readonly storage: Pick<Storage, 'admit'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the service begins to stop, which ends all long polls. */
  readonly stopping: AbortSignal;
  /** Returns the public URL (`https://sonde.example.com`) once the service listens. */
  readonly publicUrl: () => string | undefined;
  /** Finds out whether an account controls a custom domain. */
  readonly domainProofs: DomainProofs;
  /** Returns the link of a badge. */
  readonly badgeLink: ReturnType<typeof badgeLinks>;
  /** The reason why this service runs no agentic checks, without a full stop; undefined if it does run them. */
  readonly whyNoAgenticChecks: string | undefined;
  /** Source addresses by region for endpoint 19; undefined for this machine's addresses in every simulated location. */
  readonly staticAddresses: Readonly<Record<string, readonly string[]>> | undefined;
  /** Returns the runtimes of scripts that are installed now. */
  readonly runtimes: () => Promise<readonly ScriptRuntime[]>;
  /** Version of the service; undefined if it is unknown. */
  readonly version: string | undefined;
  /** The public locations that this machine simulates. */
  readonly locations: readonly string[];
}

export type Contract = typeof contract;
export type EndpointName = keyof Contract;

export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** The private location of an agent's key; undefined for accounts. */
  readonly location?: CallerLocation;
}

export interface CallerLocation {
  readonly keyId: string;
  readonly accountId: string;
  readonly locationId: string;
  readonly slugName: string;
  readonly name: string;
  readonly proxyUrl: string | null;
}

/** A file, or a part of one, that a client uploads. */
export interface Upload {
  /** The size by its content-length. */
  readonly declaredBytes: number | undefined;
  readonly maxBytes: number;
  /** The SHA-256 that the sender declares, in hexadecimal or Base64. */
  readonly declaredSha256: string | undefined;
  /** Can be read once. Throws `Problem` 413 beyond `maxBytes`. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Query parameters with a default in the contract, so that handlers always have them. */
type Defaulted = 'limit' | 'page' | 'autoAssignAlerts' | 'maxWaitSeconds' | 'resultType';
type WithDefaults<Q> = Omit<Q, Defaulted> & Required<Pick<Q, Extract<keyof Q, Defaulted>>>;

/** A validated request. Its query has defaults, and its body is unchanged. */
export interface Call<E extends Endpoint> {
  readonly endpoint: E;
  readonly accountId: string;
  /** ID of the API key. */
  readonly keyId: string;
  readonly params: ParamsOf<E>;
  readonly query: WithDefaults<QueryOf<E>>;
  readonly body: BodyOf<E>;
  /** The private location of the agent. Throws if the caller is an account. */
  readonly location: CallerLocation;
  /** The uploaded file. Throws if the request has none. */
  readonly upload: Upload;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly header: (name: string, value: string) => void;
  /** The entity tag that the resource must have; undefined: any. */
  readonly ifMatch?: string | undefined;
  /** Reads a body as that of another endpoint, tolerantly like this one's. Does not validate it. */
  readonly readBody: <T>(endpoint: Endpoint, body: T) => T;
}

/** The rows of a response that is a list or a page of one. */
type RowsOf<R> = R extends readonly (infer Row)[]
  ? Rows<Row>
  : R extends { entries: readonly (infer Row)[] }
    ? Rows<Row>
    : never;

/** The result of a handler. Files are sent as stored, and rows may be read while they are sent. */
type HandlerResult<E> =
  ResponseOf<E> extends Uint8Array ? FileDownload : ResponseOf<E> | RowsOf<ResponseOf<E>>;

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<HandlerResult<E>>;
/** One handler for every endpoint of the contract. The compiler reports a missing one. */
export type Handlers = { readonly [N in EndpointName]: Handler<Contract[N]> };
/** The endpoints of projects, which deployments do not call. */
export type ProjectEndpoint =
  | 'awaitDeployment'
  | 'cancelDeployment'
  | 'createProject'
  | 'deleteProject'
  | 'deployProject'
  | 'getDeployment'
  | 'getProject'
  | 'listProjects'
  | 'streamDeploymentEvents';

/** The handlers that a transaction can call: all but those that open one. */
export type ResourceHandlers = Omit<Handlers, ProjectEndpoint | 'runBatch'>;
