/** The embedded monitoring service, put together: the store, the engine over it and the HTTP door in front. */
import { setMaxListeners } from 'node:events';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { CallOff, Clock } from '../base/clock.ts';
import { isLoopback } from '../base/loopback.ts';
import type { Random } from '../base/random.ts';
import { LOCATIONS } from '../contract/enumerations.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { runners } from '../runners/index.ts';
import { CannotRun } from '../runners/types.ts';
import { readiness } from './admin/readiness.ts';
import { artifactFiles } from './engine/artifacts/files.ts';
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts';
import { capabilityLinks } from './engine/links.ts';
import { stillHeld } from './engine/sessions/agents.ts';
import { type FirstStart, firstStart } from './first-start.ts';
import type { HandlerContext } from './http/api/context.ts';
import { createHandlers } from './http/api/handlers.ts';
import { pingRoutes } from './http/api/pings.ts';
import { triggerRoutes } from './http/api/triggers.ts';
import { pageRoutes } from './http/pages/routes/index.ts';
import { isOwner, localDoor } from './http/server/admin-route.ts';
import { createDoor, DEFAULT_LIMITS, type DoorLimits } from './http/server/http-server.ts';
import { type ListenAt, type Listening, listen } from './http/server/listen.ts';
import { createMetrics } from './http/server/metrics.ts';
import { oneEachTurn, perAddress } from './http/server/public-limits.ts';
import { openRoutes } from './http/server/public-routes.ts';
import { keepMaintenance } from './maintenance/index.ts';
import { createAlerts } from './notify/alerts/index.ts';
import { tellOfMaintenance } from './notify/maintenance-notices.ts';
import { type DeliverySettings, deliverer, deliveriesOf } from './notify/outbox/deliver/index.ts';
import { type Sender, startSender } from './notify/outbox/sender.ts';
import { isStillWanted } from './notify/subscribers/tell.ts';
import { DEFAULT_STORAGE_LIMITS, type Limits, monitorStorage } from './store/budgets.ts';
import { engineStore } from './store/engine/index.ts';
import {
  type ApiKey,
  DatabaseFault,
  openStore,
  type Store,
  type StoreDependencies,
  type StoreLocation,
} from './store/index.ts';

/** What may be told to the engine; what is left out is as a machine of one's own has it. */
type EngineSettings = Partial<Omit<EngineOptions, 'store' | 'clock' | 'random' | 'logger'>>;

export interface ServiceOptions {
  readonly store: StoreLocation;
  /** Of a store on Postgres: its connections, and how long to wait for it. */
  readonly database?: StoreDependencies['database'];
  readonly listen: ListenAt;
  readonly clock: Clock;
  readonly random: Random;
  /** Left out: nothing is logged. */
  readonly logger?: Logger;
  readonly limits?: Partial<DoorLimits>;
  /** Source addresses by region (endpoint 19). Left out: this machine's own, for each location it runs checks of. */
  readonly staticAddresses?: Readonly<Record<string, readonly string[]>>;
  /** The generated document, served at /openapi.json. */
  readonly openApiDocument?: Readonly<Record<string, unknown>>;
  readonly engine?: EngineSettings;
  /** What may be stored, in bytes; left out: the defaults of the budgets. A Postgres database has no default limit. */
  readonly storage?: Partial<Limits> | undefined;
  /** Where pictures and traces of runs lie; left out: beside the SQLite file, or nowhere. */
  readonly artifactsFolder?: string;
  /** By what messages leave; left out: webhooks alone can. Where checks may not reach, webhooks may not either. */
  readonly delivery?: DeliverySettings;
  /** Where people reach the service (`https://sonde.example.com`), for links. Left out: where it listens. */
  readonly publicUrl?: string | undefined;
  /** Addresses and networks (`10.0.0.0/8`) of reverse proxies in front. Left out: none, and what they say of clients is ignored. */
  readonly trustProxy?: readonly string[];
  /** The secret by which the owner of the data folder is known; left out: nobody is. */
  readonly doorSecret?: string;
  /** Whether misuse of the store is looked for; left out: yes (`StoreDependencies`). */
  readonly detectsMisuse?: boolean;
  /** Why the service itself runs no agentic checks, as a sentence without a full stop; left out: nothing is refused. */
  readonly whyNoAgenticChecks?: string | undefined;
  /** What /health tells besides the state, as it is when it is asked. */
  readonly about?: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface Service {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly engine: Engine;
  /** The first account and its key, where this start made them. */
  readonly first: FirstStart | undefined;
  /** Runs checks and listens. Throws UsageError where the address cannot be had; then it has stopped again. */
  start(): Promise<Listening>;
  /** Lets running checks finish within their grace, answers who waits, stores everything and lets go. Once is enough. */
  stop(): Promise<void>;
}

const ENGINE_DEFAULTS = {
  locations: LOCATIONS,
  resolvers: systemResolvers,
  runners,
  concurrency: 10,
  graceMs: 10_000,
  judge: () => Promise.reject(new CannotRun('no judge process was set up')),
} as const satisfies EngineSettings;

/** How often a stop that lasts longer than the grace looks at the database, in ms. */
const LOOK_MS = 250;

const SILENT = { error: () => {} };

/** Opens the store and puts the service together. It neither listens nor runs anything until it is started. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { clock, random, logger, about = async () => ({}), openApiDocument, detectsMisuse = true } = options;
  const { trustProxy = [] } = options;
  const onWarn = (message: string) => logger?.warn(message);
  const store = await openStore(options.store, {
    ...{ clock, random, onWarn, detectsMisuse },
    ...(options.database === undefined ? {} : { database: options.database }),
  });
  try {
    return await over(store);
  } catch (error) {
    await store.close();
    throw error;
  }

  async function over(store: Store): Promise<Service> {
    const first = await firstStart(store);
    const stopping = new AbortController();
    // Everyone who waits listens to it.
    setMaxListeners(0, stopping.signal);
    let isStopping = false;
    let isRunning = false;
    const secret = await store.settings.linkSecret();
    let reachedAt = options.publicUrl;
    let heardAt: string | undefined;
    const publicUrl = () => reachedAt;
    const onError = (message: string, error: unknown) => logger?.error({ err: error }, message);
    const beside = 'path' in options.store ? join(dirname(options.store.path), 'artifacts') : undefined;
    const folder = options.artifactsFolder ?? beside;
    const { artifacts: rows, runs } = engineStore(store);
    const storage = monitorStorage({
      limits: {
        ...DEFAULT_STORAGE_LIMITS,
        ...(store.dialect === 'postgres' ? { database: Number.POSITIVE_INFINITY } : {}),
        ...options.storage,
      },
      measure: {
        artifacts: async () => files?.bytes() ?? 0,
        codeBundles: store.codeBundles.storedBytes,
        outbox: store.outbox.unsentBytes,
        database: store.usedBytes,
      },
      ...{ folder: beside === undefined ? folder : dirname(beside), clock, onWarn, onError },
      onOutboxChange(refusal) {
        store.outboxCapacity.refusal = refusal;
      },
    });
    const files =
      folder === undefined
        ? undefined
        : artifactFiles({
            ...{ folder, clock, random, rows, known: rows.existing, held: stillHeld(runs) },
            admit: (bytes, makeRoom) => storage.admit('artifacts', bytes, makeRoom),
            onError,
          });
    const openArtifact = async (id: string) => files?.open(id);
    const links = options.engine?.links ?? capabilityLinks(secret, publicUrl);
    const alerts = createAlerts({
      ...{ store, clock, onError },
      link: ({ sessionId, resultId }) => links.checkResult(sessionId, resultId),
    });
    const engine = createEngine({
      ...{ ...ENGINE_DEFAULTS, links, onEnded: alerts.onEnded },
      ...options.engine,
      ...{ store, clock, random, logger: logger ?? SILENT },
      whyNoDetails: () => storage.refusal('database'),
      ...(files === undefined ? {} : { artifacts: files }),
      // Several services may share a Postgres: each hears there how the others' sessions end.
      ...('url' in options.store ? { databaseUrl: options.store.url } : {}),
    });
    const { locations = ENGINE_DEFAULTS.locations } = options.engine ?? {};
    const maintenance = keepMaintenance({
      ...{ store, clock, onError, tell: tellOfMaintenance },
    });
    const ready = readiness({
      ...{ store, engine, clock, isRunning: () => isRunning, isStopping: () => isStopping },
      write: store.settings.touch,
    });
    const metrics = createMetrics();
    const deliveries = deliveriesOf(options.delivery ?? {});
    const deliver = deliverer({ denyAddress: options.engine?.denyAddress, ...options.delivery }, clock);
    const context: HandlerContext = {
      ...{ store, storage, engine, maintenance, clock, random, stopping: stopping.signal },
      artifacts: { find: rows.get, open: openArtifact, uploads: files?.uploads },
      publicUrl,
      whyNoAgenticChecks: options.whyNoAgenticChecks,
      ...{ deliver, deliveries, locations },
      staticAddresses: options.staticAddresses,
    };
    const callerOf = ({ accountId, id }: ApiKey) => ({ accountId, keyId: id });
    const authenticate = (rawKey: string) => {
      const key = store.keys.authenticate(rawKey);
      return key instanceof Promise ? key.then((found) => found && callerOf(found)) : callerOf(key);
    };
    const authenticateAgent = async (rawKey: string) => {
      const key = await store.privateLocations.authenticate(rawKey);
      return key && { accountId: key.accountId, keyId: key.id, location: { ...key, keyId: key.id } };
    };
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const app = await createDoor({
      ...{
        clock,
        logger,
        metrics,
        authenticate,
        authenticateAgent,
        isStopping: () => isStopping,
        changes: store.changes,
        trustProxy,
      },
      limits,
      assertRoom: () => storage.assertSpace('database'),
      writes: store.writes,
      handlers: createHandlers(context),
      openRoutes(routes) {
        const unhurried = oneEachTurn();
        // No ping of a heartbeat is lost because others come from its address.
        pingRoutes(routes, context, limits.rates.standard);
        routes.register(async (limited) => {
          limited.addHook('onRequest', perAddress(limits.open, clock));
          openRoutes(limited, {
            ...{ engine, about, openApiDocument, metrics, authenticate, deliveries },
            outboxCounts: store.outbox.counts,
            storage: storage.state,
            ready,
            isStopping: () => isStopping,
            isOwner: isOwner(options.doorSecret),
            unhurried,
            isPrivate: () =>
              options.publicUrl === undefined &&
              trustProxy.length === 0 &&
              heardAt !== undefined &&
              isLoopback(heardAt),
          });
          limited.register(async (pages) => {
            pages.addHook('onRequest', unhurried);
            triggerRoutes(pages, context, limits.rates.standard);
            pageRoutes(pages, {
              ...{ store, engine, clock, secret, publicUrl, openArtifact, authenticate },
              sendsMail: deliveries.email,
            });
          });
        });
        if (options.doorSecret !== undefined) localDoor(routes, store, options.doorSecret);
      },
    });

    let sender: Sender | undefined;

    const graceMs = options.engine?.graceMs ?? ENGINE_DEFAULTS.graceMs;

    async function stopAll(): Promise<void> {
      isStopping = true;
      const callOff = cutAfterGrace();
      try {
        await stopEach();
      } finally {
        callOff();
      }
    }
    /** A database that does not answer holds up the end no longer than running checks may. */
    function cutAfterGrace(): CallOff {
      let callOff = clock.timer(graceMs, function look() {
        if (engine.health().problem !== undefined) store.poolControl?.abort();
        else callOff = clock.timer(LOOK_MS, look);
      });
      return () => callOff();
    }
    async function stopEach(): Promise<void> {
      // Sessions that end within the grace still wake who waits for them; only then the rest are sent away.
      const steps = [
        engine.stop,
        alerts.stop,
        maintenance.stop,
        async () => stopping.abort(),
        async () => sender?.stop(store.poolControl?.isAborted() ? 0 : graceMs),
        () => app.close(),
        store.close,
      ];
      for (const step of steps) {
        // A database that is away keeps nothing from ending: what it was to be told is found by the next start.
        await step().catch((error: unknown) => {
          if (!(error instanceof DatabaseFault)) throw error;
          onError('the database failed while the service stopped', error);
        });
      }
    }
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= stopAll();
      return stopped;
    };
    async function start(): Promise<Listening> {
      try {
        // First of all: where the address cannot be had nothing has run, and nobody waits for all that is due by now.
        const listening = await listen(app, options.listen);
        reachedAt ??= listening.url;
        heardAt = listening.host;
        await store.settings.setPublicUrl(reachedAt);
        void storage.watch(stopping.signal);
        void files?.keepSwept(stopping.signal);
        alerts.start();
        maintenance.start();
        sender = await startSender({
          ...{ store, clock, random, deliver, onError, onDelivery: metrics.delivery },
          isWanted: (lane) => isStillWanted(store, lane),
        });
        await engine.start();
        isRunning = true;
        void ready.watch(stopping.signal);
        return listening;
      } catch (error) {
        await stop();
        throw error;
      }
    }
    return { ...{ app, store, engine, first }, start, stop };
  }
}
