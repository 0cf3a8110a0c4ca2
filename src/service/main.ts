/** Opens the service as a process: data lock, sandbox, runners, logger and public documents. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import pino from 'pino';
import { isLoopbackHost } from '../base/ip-addresses.ts';
import { cutLogFields, serializeError } from '../base/serialize-error.ts';
import { createShortCache } from '../base/short-cache.ts';
import { type ModelSettings, NO_MODEL, readModelSettings } from '../runners/agentic/model-client.ts';
import type { BrowserFinder } from '../runners/browser/find-browser.ts';
import { createCapture } from '../runners/capture/capture.ts';
import { type DenyAddress, denyListeners, denyPrivateNetworks } from '../runners/core/address-policy.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { createEvaluator } from '../runners/evaluation/evaluator.ts';
import { runners } from '../runners/index.ts';
import {
  createAgenticCheckRunner,
  createBrowserCheckRunner,
  createRequestCheckRunners,
  createSuiteCheckRunner,
  detectBrowserSetup,
} from '../runners/script-runners.ts';
import { openUplink } from '../runners/uplink/open-uplink.ts';
import { describeIsolation, openSandbox, type Sandbox } from '../sandbox/index.ts';
import { readTracingSettings } from '../worker/tracing/settings.ts';
import { createTracing, type Tracing } from '../worker/tracing/tracing.ts';
import { acquireDataLock } from './admin/data-lock.ts';
import { parsePublicUrl } from './engine/sessions/capability.ts';
import { DEFAULT_LIMITS } from './http/server/http-limits.ts';
import { readDeliverySettings } from './notify/outbox/deliver/create-deliver.ts';
import { findScriptProblem } from './script-policy.ts';
import { createService, type Service } from './service.ts';
import type { ProcessOptions } from './service-options.ts';
import { followingClock } from './store/postgres/connect-peers.ts';

export { createAdministration } from './admin/administration.ts';
export { inspectBackup, restoreBackup, writeBackup } from './admin/backups.ts';
export { removeRuntimeFile, writeAdminSecret, writeRuntimeFile } from './admin/runtime-file.ts';
export type { Service } from './service.ts';
export { openStore } from './store/index.ts';

/** Batching delays in ms: a transaction for many items costs little more than one for a single item. */
const BATCHING_MS = { ticksMs: 20, resultsMs: 250, capacityMs: 10 };
/** How far ahead ticks are claimed together, in ms. A worker of the usual size has free slots meanwhile. */
const CLAIM_AHEAD_MS = { minMs: 30, maxMs: 330 };

/** The service and its sandbox. Stopping the service also closes the sandbox. */
export interface ServiceProcess extends Service {
  readonly sandbox: Sandbox;
  /** Whether checks and webhooks are limited to public addresses. */
  readonly deniesPrivateNetworks: boolean;
  /** Whether other machines can reach the service without TLS. */
  readonly isPlainHttp: boolean;
  /** Why browser checks cannot run, as a sentence without a full stop; undefined if a browser was found. */
  readonly browserProblem: string | undefined;
  /** Returns why scripts are disabled, without a full stop; undefined if they run. */
  findScriptProblem(): Promise<string | undefined>;
}

/**
 * Stops V8 from growing the young generation: it would double to 32 MB and stay full of garbage in a process that
 * does little work for months.
 */
function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Opens the sandbox (which ends processes that a killed service left running) and the store, and creates the service;
 * `start()` makes it listen. Throws UsageError if the requested isolation is unavailable.
 */
export async function openService(options: ProcessOptions): Promise<ServiceProcess> {
  limitYoungGeneration();
  // The lock must come first: the sandbox ends processes of a previous service over this folder.
  const unlock = await acquireDataLock(options.browser.dataFolder);
  try {
    const service = await openUnderLock(options);
    return {
      ...service,
      async stop() {
        await service.stop();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openUnderLock(options: ProcessOptions): Promise<ServiceProcess> {
  const { clock, trustScripts, log, pid } = options;
  const model = readModelSettings(options.env);
  const tracingSettings = readTracingSettings(options.env, 'sonde');
  const format = { serializers: { err: serializeError }, formatters: { log: cutLogFields } };
  const logger = pino({ level: log.level, base: { pid }, ...format }, { write: log.write });
  const { execPath } = options.sandbox.self;
  const setup = await detectBrowserSetup(options.browser, options.env, execPath, (packages) =>
    logger.info(`installing ${packages} with npm`),
  );
  const sandbox = await openSandbox({
    ...options.sandbox,
    readable: [...(options.sandbox.readable ?? []), ...setup.readable],
    network: options.denyPrivateNetworks ? 'none' : 'machine',
  });
  const isolation = describeIsolation(sandbox.describe());
  logger[isolation.level === 'process' ? 'warn' : 'info'](
    { isolation },
    `isolation level of scripts: ${isolation.level}`,
  );
  let service: Service | undefined;
  async function refusal(): Promise<string | undefined> {
    const accounts = (await service?.store.accounts.list())?.length ?? 0;
    const { host } = options.listen;
    const { level, network } = sandbox.describe();
    const isOpen = options.denyPrivateNetworks && network !== 'none';
    return findScriptProblem({ level, accounts, host, trustScripts, canReachDenied: isOpen });
  }
  const denyOwn = options.allowOwnAddress ? undefined : denyListeners(() => service?.listeners() ?? []);
  const denyNetworks = options.denyPrivateNetworks ? denyPrivateNetworks : undefined;
  const denyAddress: DenyAddress = (address, port) => denyNetworks?.(address) ?? denyOwn?.(address, port);
  const scripts = createScriptRunners(
    {
      sandbox,
      clock,
      setup,
      execPath,
      refusal,
      settings: options.browser,
      denyAddress,
      onError: (message: string, error: unknown) => logger.error({ err: error }, message),
    },
    async (id) => service?.store.codeBundles.archive(id),
    model,
    options,
  );
  try {
    const onError = (message: string, error: unknown) => logger.warn({ err: error }, message);
    const tracing = createTracing(tracingSettings, clock, onError);
    const opened = await createServiceWith(scripts, logger, options, denyAddress, tracing);
    service = opened;
    return {
      ...opened,
      sandbox,
      deniesPrivateNetworks: options.denyPrivateNetworks,
      findScriptProblem: refusal,
      isPlainHttp: isPlainHttp(options),
      browserProblem: setup.browserProblem,
      async stop() {
        await opened.stop();
        await tracing?.stop();
        await scripts.close();
      },
    };
  } catch (error) {
    await scripts.close();
    throw error;
  }
}

/** Creates the runners of checks with scripts. `archive` returns the code bundle of a suite. */
function createScriptRunners(
  settings: Parameters<typeof createBrowserCheckRunner>[0],
  archive: Parameters<typeof createSuiteCheckRunner>[0]['archive'],
  model: ModelSettings | undefined,
  { env, denyPrivateNetworks: isClosed, browser: { programFolder } }: ProcessOptions,
) {
  const { sandbox, setup, execPath } = settings;
  // Their cells have a proxy only if private networks are denied. That of an agentic check always has one.
  const networked = { ...settings, denyAddress: isClosed ? settings.denyAddress : undefined };
  const browser = createBrowserCheckRunner(networked);
  const requests = createRequestCheckRunners(networked);
  const suites = createSuiteCheckRunner({ ...networked, env, archive });
  const evaluator = createEvaluator({ path: join(programFolder, 'evaluator.cjs'), execPath });
  const agentic = model && createAgenticCheckRunner(settings, model);
  return {
    sandbox,
    model,
    browser,
    evaluate: evaluator.evaluate,
    findBrowser: setup.findBrowser,
    runtimes: setup.runtimes,
    runners: {
      ...runners,
      ...requests.runners,
      BROWSER: browser,
      PLAYWRIGHT: suites,
      ...(agentic ? { AGENTIC: agentic } : {}),
    },
    async close() {
      evaluator.close();
      await browser.close();
      await suites.close();
      await requests.close();
      await agentic?.close();
      await sandbox.close();
    },
  };
}

/** Returns whether other machines can reach the service and no public URL announces a TLS proxy. */
const isPlainHttp = ({ listen, env }: ProcessOptions): boolean =>
  !isLoopbackHost(listen.host) && parsePublicUrl(env.SONDE_PUBLIC_URL)?.startsWith('https:') !== true;

/** Returns the browser for `/health`: its path, or why it is missing. */
const describeBrowser = (browser: Awaited<ReturnType<BrowserFinder>>) =>
  'problem' in browser
    ? { problem: browser.problem }
    : { browser: browser.executablePath, source: browser.source };

function createServiceWith(
  scripts: ReturnType<typeof createScriptRunners>,
  logger: pino.Logger,
  options: ProcessOptions,
  denyAddress: DenyAddress,
  tracing: Tracing | undefined,
): Promise<Service> {
  const { sandbox, browser, model } = scripts;
  const { store, listen, clock, random, resolvers, concurrency, graceMs, version, pid } = options;
  const { keepResultsMs, trustProxy } = options;
  // Cached because anyone may request /health at any rate, and finding a browser reads many folders.
  const cachedBrowser = createShortCache<Awaited<ReturnType<BrowserFinder>>>({
    ttlMs: 1000,
    maxEntries: 1,
    clock,
  });
  const findBrowserCached = () => cachedBrowser('browser', '', scripts.findBrowser);
  const standard = { requests: options.requestsPerMinute, windowSeconds: 60 };
  return createService({
    store,
    database: options.database,
    listen,
    trustProxy,
    random,
    logger,
    documents: {
      '/openapi.json': async () => (await import('./published-documents.ts')).openApiDocument,
      '/monitoring.schema.json': async () => (await import('./published-documents.ts')).monitoringSchema,
    },
    clock: 'url' in store ? followingClock(clock) : clock,
    adminSecret: options.adminSecret,
    metricsChecks: options.metricsChecks,
    metricsListen: options.metricsListen && {
      ...options.metricsListen,
      isOpenToScripts: sandbox.describe().network !== 'none',
    },
    storage: options.storage,
    detectsMisuse: false,
    trustCustomDomains: options.trustCustomDomains,
    limits: {
      rates: { ...DEFAULT_LIMITS.rates, standard },
      connections: { ...DEFAULT_LIMITS.connections, connections: options.maxConnections },
    },
    about: async () => ({
      version,
      pid,
      isolation: { ...sandbox.describe(), ...describeIsolation(sandbox.describe()) },
      browserChecks: {
        ...describeBrowser(await findBrowserCached()),
        runtimes: (await scripts.runtimes.list()).map(({ id, version }) => ({ id, playwright: version })),
        ...browser.describe(),
      },
      agenticChecks: model === undefined ? { problem: NO_MODEL } : { model: model.model },
      deniesPrivateNetworks: options.denyPrivateNetworks,
      trustedProxies: trustProxy,
      isPlainHttp: isPlainHttp(options),
    }),
    version,
    whyNoAgenticChecks: model === undefined ? NO_MODEL : undefined,
    runtimes: async () =>
      (await scripts.runtimes.list()).map(({ id, version: playwrightVersion }) => ({
        id,
        playwrightVersion,
        nodeVersion: options.nodeVersion.replace(/^v/, ''),
      })),
    artifactsFolder: join(options.browser.dataFolder, 'artifacts'),
    delivery: readDeliverySettings(options.env),
    publicUrl: parsePublicUrl(options.env.SONDE_PUBLIC_URL),
    engine: {
      evaluate: scripts.evaluate,
      resolvers: () => (resolvers.length > 0 ? resolvers : systemResolvers()),
      capture: createCapture({ clock }),
      uplink: openUplink({ canaries: options.canaries, clock, reach: {}, log: logger }),
      runners: scripts.runners,
      tracing,
      concurrency,
      graceMs,
      retentionMs: keepResultsMs,
      coalesce: BATCHING_MS,
      claimAhead: CLAIM_AHEAD_MS,
      denyAddress,
      allowsOpenNetwork: !options.denyPrivateNetworks,
    },
  });
}
