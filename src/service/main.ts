/** The service as a process runs it: the engine with the runners there are, the logger, and the document it serves. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import pino from 'pino';
import openApiDocument from '../../docs/openapi.json';
import type { Clock } from '../base/clock.ts';
import { errorForLog } from '../base/error-for-log.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import type { Random } from '../base/random.ts';
import { shortCache } from '../base/short-cache.ts';
import { type ModelSettings, NO_MODEL, readModelSettings } from '../runners/agentic/model-settings.ts';
import type { AgenticRunner } from '../runners/agentic.ts';
import type { BrowserFinder } from '../runners/browser/find-browser.ts';
import type { BrowserRunner } from '../runners/browser.ts';
import { createCapture } from '../runners/capture/capture.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { runners } from '../runners/index.ts';
import { openJudges } from '../runners/judge/judge.ts';
import { denyPrivateNetworks } from '../runners/reach.ts';
import {
  type BrowserSettings,
  createAgenticCheckRunner,
  createBrowserCheckRunner,
  createRequestCheckRunners,
  createSuiteCheckRunner,
  detectBrowserSetup,
  type RequestCheckRunners,
} from '../runners/script-runners.ts';
import type { SuiteRunner } from '../runners/suite.ts';
import type { Judge } from '../runners/types.ts';
import { describeIsolation, openSandbox, type Sandbox, type SandboxOptions } from '../sandbox/index.ts';
import { lockData } from './admin/data-lock.ts';
import { publicUrlOf } from './engine/links.ts';
import { DEFAULT_LIMITS } from './http/server/http-server.ts';
import type { ListenAt } from './http/server/listen.ts';
import { deliverySettings } from './notify/outbox/deliver/environment.ts';
import { whyNoScripts } from './script-policy.ts';
import { createService, type Service, type ServiceOptions } from './service.ts';
import type { Limits } from './store/budgets.ts';
import type { StoreLocation } from './store/index.ts';
import { followingClock } from './store/postgres/following-clock.ts';

export { administrationOf, inspectBackup, restoreBackup, writeBackup } from './admin/index.ts';
export { removeRecord, writeDoor, writeRecord } from './admin/runtime-file.ts';
export type { Service } from './service.ts';
export { openStore } from './store/index.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export interface ProcessOptions {
  readonly store: StoreLocation;
  /** Of a store on Postgres (`ServiceOptions`). */
  readonly database: ServiceOptions['database'];
  readonly listen: ListenAt;
  readonly clock: Clock;
  readonly random: Random;
  /** The resolvers that checks without a name server ask, `host` or `host:port`; none: the system's. */
  readonly resolvers: readonly string[];
  /** Addresses and networks of reverse proxies in front (`ServiceOptions`). */
  readonly trustProxy: readonly string[];
  /** How many attempts are made at once. */
  readonly concurrency: number;
  /** How long running checks may take to finish at the end, in ms. */
  readonly graceMs: number;
  /** How long raw results are kept, in ms. */
  readonly keepResultsMs: number;
  /** What may be stored, in bytes; left out: the default. */
  readonly storage: Partial<Limits>;
  /** Requests that a key may make in a minute, but for the deprecated listing, whose rate is documented. */
  readonly requestsPerMinute: number;
  /** How many connections may be open at once. */
  readonly maxConnections: number;
  readonly log: { readonly level: (typeof LOG_LEVELS)[number]; readonly write: (line: string) => void };
  readonly version: string;
  readonly pid: number;
  /** The secret by which the owner of the data folder is known. */
  readonly doorSecret: string;
  /** Where scripts run: how far apart from this process, and what they must not see. */
  readonly sandbox: SandboxOptions;
  /** Scripts are the owner's own, whoever else reaches the service: they run at the level `process`, too. */
  readonly trustScripts: boolean;
  /** Checks and webhooks reach public addresses alone. */
  readonly denyPrivateNetworks: boolean;
  /** What browser checks run with. */
  readonly browser: BrowserSettings;
  /** Says where people reach the service (SONDE_PUBLIC_URL), and by what messages leave (SONDE_SMTP_URL, SONDE_SMS_URL and what belongs to them). */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where much is due or ends at once, so long is waited for others, in ms: a transaction for a crowd costs little more than one for one. */
const GATHER = { dueMs: 20, foundMs: 250, freeMs: 10 };
/** Ticks of the next moment are claimed together; a worker of the usual size keeps places free meanwhile. */
const AHEAD = { leastMs: 30, mostMs: 330 };

/** The service with the sandbox that its scripts run in; stopping it closes that too. */
export interface ServiceProcess extends Service {
  readonly sandbox: Sandbox;
  /** Whether checks and webhooks reach public addresses alone. */
  readonly deniesPrivateNetworks: boolean;
  /** Whether other machines reach the service without TLS. */
  readonly isPlainHttp: boolean;
  /** Why there is no browser to run checks in, as a sentence without a full stop; undefined where there is one. */
  readonly whyNoBrowser: string | undefined;
  /** Why no script is run here now, as a sentence without a full stop; undefined where they are. */
  whyNoScripts(): Promise<string | undefined>;
}

/**
 * Lets the room for new objects stay as large as starting has made it: V8 would double it to 32 MB, and leave it full of what
 * is of no use any more, in a process that does a little all the time for months.
 */
function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Opens the sandbox (which ends what a service that was killed left running) and the store, and puts everything together;
 * `start()` of what it gives makes it listen. Throws UsageError where the isolation that is demanded cannot be had.
 */
export async function openService(options: ProcessOptions): Promise<ServiceProcess> {
  keepYoungHeapSmall();
  // First of all: the sandbox ends what a service over this folder left running.
  const unlock = await lockData(options.browser.dataFolder);
  try {
    const service = await openLocked(options);
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

async function openLocked(options: ProcessOptions): Promise<ServiceProcess> {
  const { clock, trustScripts, log, pid } = options;
  const model = readModelSettings(options.env);
  const serializers = { err: errorForLog };
  const logger = pino({ level: log.level, base: { pid }, serializers }, { write: log.write });
  const { execPath } = options.sandbox.self;
  const setup = await detectBrowserSetup(options.browser, options.env, execPath);
  const readable = [...(options.sandbox.readable ?? []), ...setup.readable];
  const sandbox = await openSandbox({
    ...{ ...options.sandbox, readable },
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
    return whyNoScripts({ level, accounts, host, trustScripts, reachesWhatIsDenied: isOpen });
  }
  const scripts = {
    ...{ sandbox, clock, setup, execPath, refusal, settings: options.browser },
    denyAddress: options.denyPrivateNetworks ? denyPrivateNetworks : undefined,
    onError: (message: string, error: unknown) => logger.error({ err: error }, message),
  };
  const browser = createBrowserCheckRunner(scripts);
  const requests = createRequestCheckRunners(scripts);
  const suites = createSuiteCheckRunner({
    ...scripts,
    env: options.env,
    archive: async (id) => service?.store.codeBundles.archive(id),
  });
  const judges = openJudges({ path: join(options.browser.programFolder, 'judge.cjs'), execPath });
  const agentic = model && createAgenticCheckRunner(scripts, model);
  async function closeRunners(): Promise<void> {
    judges.close();
    await browser.close();
    await suites.close();
    await requests.close();
    await agentic?.close();
    await sandbox.close();
  }
  try {
    const opened = await openOver(
      sandbox,
      { browser, suites, requests, agentic, model, findBrowser: setup.findBrowser },
      judges.judge,
      logger,
      options,
    );
    service = opened;
    return {
      ...{ ...opened, sandbox, deniesPrivateNetworks: options.denyPrivateNetworks, whyNoScripts: refusal },
      isPlainHttp: isPlainHttp(options),
      whyNoBrowser: setup.browserProblem,
      async stop() {
        await opened.stop();
        await closeRunners();
      },
    };
  } catch (error) {
    await closeRunners();
    throw error;
  }
}

/** Whether other machines reach the service, and nothing says that a proxy with TLS is in front. */
const isPlainHttp = ({ listen, env }: ProcessOptions): boolean =>
  !isLoopbackHost(listen.host) && publicUrlOf(env.SONDE_PUBLIC_URL)?.startsWith('https:') !== true;

/** The browser as `/health` tells it: where it is, or why there is none. */
const browserText = (browser: Awaited<ReturnType<BrowserFinder>>) =>
  'problem' in browser
    ? { problem: browser.problem }
    : { browser: browser.executablePath, source: browser.source };

/** The runners of checks that run scripts, and what they look for their browser with. */
interface ScriptRunners {
  readonly browser: BrowserRunner;
  readonly suites: SuiteRunner;
  readonly requests: RequestCheckRunners;
  /** Undefined with `model`: there is none. */
  readonly agentic: AgenticRunner | undefined;
  readonly model: ModelSettings | undefined;
  readonly findBrowser: BrowserFinder;
}

function openOver(
  sandbox: Sandbox,
  { browser, suites, requests, agentic, model, findBrowser }: ScriptRunners,
  judge: Judge,
  logger: pino.Logger,
  options: ProcessOptions,
): Promise<Service> {
  const { store, listen, clock, random, resolvers, concurrency, graceMs, version, pid } = options;
  const { keepResultsMs, trustProxy } = options;
  // Anybody may ask for the health as often as they like; to look for a browser reads many folders.
  const lastBrowser = shortCache<Awaited<ReturnType<BrowserFinder>>>({ ttlMs: 1000, most: 1, clock });
  const browserNow = () => lastBrowser('browser', '', findBrowser);
  const standard = { requests: options.requestsPerMinute, windowSeconds: 60 };
  return createService({
    ...{ store, database: options.database, listen, trustProxy, random, logger, openApiDocument },
    clock: 'url' in store ? followingClock(clock) : clock,
    ...{ doorSecret: options.doorSecret, storage: options.storage },
    watchesMisuse: false,
    limits: {
      rates: { ...DEFAULT_LIMITS.rates, standard },
      connections: { ...DEFAULT_LIMITS.connections, connections: options.maxConnections },
    },
    about: async () => ({
      ...{ version, pid, isolation: { ...sandbox.describe(), ...describeIsolation(sandbox.describe()) } },
      browserChecks: { ...browserText(await browserNow()), ...browser.describe() },
      agenticChecks: model === undefined ? { problem: NO_MODEL } : { model: model.model },
      deniesPrivateNetworks: options.denyPrivateNetworks,
      trustedProxies: trustProxy,
      isPlainHttp: isPlainHttp(options),
    }),
    whyNoAgenticChecks: model === undefined ? NO_MODEL : undefined,
    artifactsFolder: join(options.browser.dataFolder, 'artifacts'),
    delivery: deliverySettings(options.env),
    publicUrl: publicUrlOf(options.env.SONDE_PUBLIC_URL),
    engine: {
      judge,
      resolvers: () => (resolvers.length > 0 ? resolvers : systemResolvers()),
      capture: createCapture({ clock }),
      runners: {
        ...runners,
        ...requests.runners,
        BROWSER: browser,
        PLAYWRIGHT: suites,
        ...(agentic ? { AGENTIC: agentic } : {}),
      },
      concurrency,
      graceMs,
      keepResultsMs,
      gather: GATHER,
      ahead: AHEAD,
      ...(options.denyPrivateNetworks ? { denyAddress: denyPrivateNetworks } : {}),
    },
  });
}
