/** Creates the monitoring service from its store, engine, notifications and HTTP server. */
import { setMaxListeners } from 'node:events';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { makeFolder } from '../base/files.ts';
import type { Listener } from '../runners/core/address-policy.ts';
import { createFirstAccount, type FirstAccount } from './admin/administration.ts';
import { createReadiness } from './admin/readiness.ts';
import { createArtifactFiles } from './engine/artifacts/artifact-files.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import { createAnalytics } from './engine/results/analytics.ts';
import { DEFAULT_RETENTION_MS } from './engine/retention/retention.ts';
import { claimedRuns } from './engine/sessions/agent-port.ts';
import { badgeLinks, capabilityLinks } from './engine/sessions/capability.ts';
import { createDomainProofs } from './http/api/domain-proofs.ts';
import { registerGithubWebhook } from './http/api/github-webhook.ts';
import type { HandlerContext } from './http/api/handler.ts';
import { createHandlers } from './http/api/handlers.ts';
import { registerPingRoutes } from './http/api/ping-routes.ts';
import { registerTriggerRoutes } from './http/api/triggers.ts';
import { registerPageRoutes } from './http/page-routes.ts';
import { createOwnerCheck, registerAdminRoute } from './http/server/admin-route.ts';
import { createCheckMetrics } from './http/server/check-metrics.ts';
import { DEFAULT_LIMITS } from './http/server/http-limits.ts';
import { createHttpServer } from './http/server/http-server.ts';
import { type BoundAddress, listen } from './http/server/listen.ts';
import { createMetrics } from './http/server/metrics.ts';
import { type MetricsListener, openMetricsListener } from './http/server/metrics-listener.ts';
import { createMetricsReport } from './http/server/metrics-report.ts';
import { registerPublicRoutes } from './http/server/public-routes.ts';
import { limitPerAddress, startOnePerLoopTurn } from './http/server/rate-limiter.ts';
import { createMaintenanceScheduler } from './maintenance/scheduler.ts';
import { createAlerts } from './notify/alerts/send-alerts.ts';
import { notifyMaintenance } from './notify/notify-maintenance.ts';
import { createDeliver, listDeliveries } from './notify/outbox/deliver/create-deliver.ts';
import { type Sender, startSender } from './notify/outbox/sender.ts';
import { expandNotices } from './notify/subscribers/expand-notices.ts';
import { isRecipientSubscribed } from './notify/subscribers/notify-subscribers.ts';
import { DEFAULT_METRICS_CHECKS, ENGINE_DEFAULTS, type ServiceOptions } from './service-options.ts';
import { createStop } from './stop-service.ts';
import { DEFAULT_STORAGE_LIMITS, monitorStorage } from './store/budgets.ts';
import { engineStore } from './store/engine/index.ts';
import { type ApiKey, openStore, type Store } from './store/index.ts';

export interface Service {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly engine: Engine;
  /** The first account and its key, if this start created them. */
  readonly firstAccount: FirstAccount | undefined;
  /** Runs checks and listens. If the address is unavailable, stops the service and throws UsageError. */
  start(): Promise<BoundAddress>;
  /** Returns the addresses that the service listens on. */
  listeners(): readonly Listener[];
  /** Returns the address of the metrics without a key; undefined if there is none. */
  metricsUrl(): string | undefined;
  /** Waits for running checks within the grace period, answers waiting requests and closes the store. Idempotent. */
  stop(): Promise<void>;
}

const SILENT = { error: () => {} };

/** Opens the store and creates the service, which does nothing until it is started. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { clock, random, logger, about = async () => ({}), documents = {}, detectsMisuse = true } = options;
  const { trustProxy = [] } = options;
  const onWarn = (message: string) => logger?.warn(message);
  const store = await openStore(options.store, {
    clock,
    random,
    onWarn,
    detectsMisuse,
    ...(options.database === undefined ? {} : { database: options.database }),
  });
  try {
    return await createFrom(store);
  } catch (error) {
    await store.close();
    throw error;
  }

  async function createFrom(store: Store): Promise<Service> {
    const firstAccount = await createFirstAccount(store);
    const stopping = new AbortController();
    // Every waiting request adds a listener.
    setMaxListeners(0, stopping.signal);
    let isStopping = false;
    let isRunning = false;
    const secret = await store.settings.linkSecret();
    let publicBaseUrl = options.publicUrl;
    let metricsListener: MetricsListener | undefined;
    const publicUrl = () => publicBaseUrl;
    const onError = (message: string, error: unknown) => logger?.error({ err: error }, message);
    const defaultFolder =
      'path' in options.store ? join(dirname(options.store.path), 'artifacts') : undefined;
    const folder = options.artifactsFolder ?? defaultFolder;
    // Its disk is measured before the first file.
    if (folder !== undefined) makeFolder(folder);
    const engineData = engineStore(store);
    const { artifacts: rows, runs, measurements, sentAlerts } = engineData;
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
      folder: defaultFolder === undefined ? folder : dirname(defaultFolder),
      clock,
      onWarn,
      onError,
      onOutboxChange(refusal) {
        store.outboxCapacity.refusal = refusal;
      },
    });
    const files =
      folder === undefined
        ? undefined
        : createArtifactFiles({
            folder,
            clock,
            random,
            rows,
            referenced: rows.existing,
            claimed: claimedRuns(runs),
            admit: (bytes, makeRoom) => storage.admit('artifacts', bytes, makeRoom),
            onError,
          });
    const links = options.engine?.links ?? capabilityLinks(secret, publicUrl);
    const alerts = createAlerts({
      store,
      clock,
      onError,
      buildResultLink: ({ sessionId, resultId }) => links.checkResult(sessionId, resultId),
      buildPageLink: (path) => {
        const base = publicUrl();
        return base === undefined ? undefined : `${base}${path}`;
      },
    });
    const engine = createEngine({
      ...ENGINE_DEFAULTS,
      links,
      onEnded: alerts.onEnded,
      ...options.engine,
      store,
      clock,
      random,
      logger: logger ?? SILENT,
      whyNoDetails: () => storage.refusal('database'),
      ...(files === undefined ? {} : { artifacts: files }),
      // Services that share a Postgres learn there of sessions that another one ended.
      ...('url' in options.store ? { databaseUrl: options.store.url } : {}),
    });
    const { locations = ENGINE_DEFAULTS.locations } = options.engine ?? {};
    const maintenance = createMaintenanceScheduler({
      store,
      clock,
      onError,
      notify: notifyMaintenance,
    });
    const ready = createReadiness({
      store,
      engine,
      clock,
      isRunning: () => isRunning,
      isStopping: () => isStopping,
    });
    const metrics = createMetrics();
    const metricsReport = createMetricsReport({
      metrics,
      engine,
      isReady: () => ready.problem() === undefined,
      outboxCounts: store.outbox.counts,
      storageState: storage.state,
      isUplinkUp: () => options.engine?.uplink?.isUp(),
      renderChecks: createCheckMetrics(store, engine, options.metricsChecks ?? DEFAULT_METRICS_CHECKS),
    });
    const deliveries = listDeliveries(options.delivery ?? {});
    const deliver = createDeliver({ denyAddress: options.engine?.denyAddress, ...options.delivery }, clock);
    const context: HandlerContext = {
      store,
      storage,
      engine,
      measurements,
      sentAlerts,
      analytics: createAnalytics(engineData, clock, options.engine?.retentionMs ?? DEFAULT_RETENTION_MS),
      maintenance,
      clock,
      random,
      stopping: stopping.signal,
      artifacts: {
        find: rows.get,
        open: async (id) => files?.open(id),
        place: files?.place,
        uploads: files?.uploads,
      },
      publicUrl,
      domainProofs: createDomainProofs({
        secret,
        trustsAll: options.trustCustomDomains ?? false,
        resolvers: options.engine?.resolvers ?? ENGINE_DEFAULTS.resolvers,
        denyAddress: options.engine?.denyAddress,
        clock,
        random,
        stopping: stopping.signal,
      }),
      badgeLink: badgeLinks(secret, publicUrl),
      whyNoAgenticChecks: options.whyNoAgenticChecks,
      version: options.version,
      deliver,
      deliveries,
      hasSlackToken: options.delivery?.slackToken !== undefined,
      locations,
      runtimes: options.runtimes ?? (async () => []),
      staticAddresses: options.staticAddresses,
      evaluate: options.engine?.evaluate ?? ENGINE_DEFAULTS.evaluate,
    };
    const toCaller = ({ accountId, id }: ApiKey) => ({ accountId, keyId: id });
    const authenticate = (rawKey: string) => {
      const key = store.keys.authenticate(rawKey);
      return key instanceof Promise ? key.then((foundKey) => foundKey && toCaller(foundKey)) : toCaller(key);
    };
    const authenticateAgent = async (rawKey: string) => {
      const key = await store.privateLocations.authenticate(rawKey);
      return key && { accountId: key.accountId, keyId: key.id, location: { ...key, keyId: key.id } };
    };
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const app = await createHttpServer({
      clock,
      logger,
      metrics,
      authenticate,
      authenticateAgent,
      isStopping: () => isStopping,
      changes: store.changes,
      trustProxy,
      limits,
      assertDatabaseRoom: () => storage.assertSpace('database'),
      writeCount: store.writes,
      handlers: createHandlers(context),
      registerPublicRoutes(routes) {
        const yieldFirst = startOnePerLoopTurn();
        // Outside the rate limit per address: a heartbeat must not lose pings to other clients behind its address.
        registerPingRoutes(routes, context, limits.rates.standard);
        routes.register(async (limited) => {
          limited.addHook('onRequest', limitPerAddress(limits.publicRate, clock));
          registerPublicRoutes(limited, {
            engine,
            buildInfo: about,
            documents,
            metrics: metricsReport,
            authenticate,
            deliveries,
            storageState: storage.state,
            isUplinkUp: () => options.engine?.uplink?.isUp(),
            readiness: ready,
            isStopping: () => isStopping,
            isOwner: createOwnerCheck(options.adminSecret),
            yieldFirst,
          });
          limited.register(async (pages) => {
            pages.addHook('onRequest', yieldFirst);
            registerTriggerRoutes(pages, context, limits.rates.standard);
            registerGithubWebhook(pages, context);
            registerPageRoutes(pages, { ...context, store, secret, authenticate });
          });
        });
        if (options.adminSecret !== undefined) registerAdminRoute(routes, store, options.adminSecret);
      },
    });

    let sender: Sender | undefined;

    const graceMs = options.engine?.graceMs ?? ENGINE_DEFAULTS.graceMs;

    const stop = createStop({
      clock,
      graceMs,
      onStopping() {
        isStopping = true;
      },
      isDatabaseDown: () => engine.health().problem !== undefined,
      disconnectDatabase: () => store.poolControl?.abort(),
      // Sessions that end within the grace period still wake the requests that wait for them; the rest end after that.
      steps: [
        engine.stop,
        alerts.stop,
        maintenance.stop,
        async () => stopping.abort(),
        async () => sender?.stop(store.poolControl?.isAborted() ? 0 : graceMs),
        () => app.close(),
        async () => metricsListener?.close(),
        store.close,
      ],
      onError,
    });
    async function startMetricsListener(): Promise<MetricsListener | undefined> {
      const { metricsListen } = options;
      if (metricsListen === undefined) return undefined;
      // A script of one account must not read the names of another account.
      const scope = async () =>
        metricsListen.isOpenToScripts && (await store.accounts.list()).length > 1 ? 'none' : 'all';
      return openMetricsListener(metricsListen, metricsReport, scope, onError);
    }
    async function start(): Promise<BoundAddress> {
      try {
        // Listen first: if the address is unavailable, nothing has run yet and the error is immediate.
        const start = () => app.listen({ ...options.listen });
        const listening = await listen(app.server, options.listen, '--listen', start);
        metricsListener = await startMetricsListener();
        publicBaseUrl ??= listening.url;
        await store.settings.setPublicUrl(publicBaseUrl);
        void storage.watch(stopping.signal);
        void files?.sweepHourly(stopping.signal);
        alerts.start();
        maintenance.start();
        sender = await startSender({
          store,
          clock,
          random,
          deliver,
          prepare: () => expandNotices(store),
          onError,
          onDelivery: metrics.recordDelivery,
          shouldSend: (lane) => isRecipientSubscribed(store, lane),
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
    const listeners = () => {
      const bound = app.addresses().flatMap((each) => (typeof each === 'string' ? [] : [each]));
      const main = bound.map(({ address, port }) => ({ host: address, port }));
      return metricsListener === undefined ? main : [...main, metricsListener];
    };
    const metricsUrl = () => metricsListener && `${metricsListener.url}/metrics`;
    return { app, store, engine, firstAccount, start, stop, listeners, metricsUrl };
  }
}
