/** Opens the agent as a process: client, log, runners and evaluator. */
import { randomUUID } from 'node:crypto';
import { promises } from 'node:dns';
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../base/clock.ts';
import { type ApiError, type CredentialsError, UsageError } from '../base/errors.ts';
import { makeFolder } from '../base/files.ts';
import { findProxy } from '../base/proxy.ts';
import type { Random } from '../base/random.ts';
import { createClient } from '../client/index.ts';
import { createCapture } from '../runners/capture/capture.ts';
import type { RunContext } from '../runners/core/runner.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { createEvaluator, type EvaluatorOptions } from '../runners/evaluation/evaluator.ts';
import { uptimeRunners } from '../runners/index.ts';
import { openUplink } from '../runners/uplink/open-uplink.ts';
import type { Uplink } from '../runners/uplink/uplink.ts';
import { readTracingSettings } from '../worker/tracing/settings.ts';
import { createTracing } from '../worker/tracing/tracing.ts';
import type { RunEnvironment } from '../worker/worker.ts';
import { type Agent, type Capabilities, createAgent, type Location } from './agent.ts';
import type { AgentSettings, LogLevel } from './agent-settings.ts';
import type { ScriptContext, ScriptSettings } from './lazy/scripts.ts';
import { createLink } from './link.ts';
import { createAgentLog, createObserver, type Machine } from './observability.ts';

export type { Agent, Location } from './agent.ts';

export interface AgentProcessOptions {
  readonly settings: AgentSettings;
  readonly log: { readonly level: LogLevel; readonly write: (line: string) => void };
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly pid: number;
  readonly machine: Machine;
  /** The program that evaluates responses of targets: `evaluator.cjs`. */
  readonly evaluator: EvaluatorOptions;
  /** Settings of scripts; undefined: no scripts run. */
  readonly scripts: ScriptSettings | undefined;
}

export interface AgentProcess extends Agent {
  /** Check types that it can run. */
  readonly checkTypes: readonly string[];
  /** Why scripts cannot run, as a sentence without a full stop; undefined if they can or are not wanted. */
  readonly problem: string | undefined;
  /** Rejects once the service has finally rejected the key, for example after its revocation. */
  readonly refused: Promise<never>;
}

/** Rejections of the key, and their duration in ms, until they are final: a gateway may reject it once. */
const MAX_REJECTIONS = 3;
const REJECTION_MS = 20_000;

export async function openAgent(options: AgentProcessOptions): Promise<AgentProcess> {
  // Stops V8 from growing the young generation: the agent does little work for months.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { settings, clock, random, env, version, pid } = options;
  const observe = createObserver({ url: settings.observability, clock, version, machine: options.machine });
  const log = createAgentLog({ ...options.log, pid, observe });
  assertSpool(settings.spoolFolder);
  const client = createClient({
    baseUrl: settings.baseUrl,
    getKey: settings.getKey,
    userAgent: `sonde-agent/${version}`,
    clock,
    random,
    env,
  });
  const key = watchKey(clock, (error) => log.error({ err: error }, 'the service rejected the key'));
  const link = createLink({ client, agentId: randomUUID(), version, onKey: key.onAnswer });
  const { capabilities, problem } = await openCapabilities(options, {
    clock,
    archive: link.codeBundle,
    onError: (message, error) => log.error({ err: error }, message),
    onInstall: (packages) => log.info({}, `installing ${packages} with npm`),
    onIsolation: (isolation) =>
      log[isolation.level === 'process' ? 'warn' : 'info'](
        { isolation },
        `isolation level of scripts: ${isolation.level}`,
      ),
  });
  const { spoolFolder, healthPort, concurrency, graceMs } = settings;
  const onTracingError = (message: string, error: unknown) => log.warn({ err: error }, message);
  const tracing = createTracing(readTracingSettings(env, 'sonde-agent'), clock, onTracingError);
  const evaluator = createEvaluator(options.evaluator);
  let uplink: Uplink | undefined;
  const agent = createAgent({
    evaluate: evaluator.evaluate,
    ...capabilities,
    link,
    clock,
    random,
    log,
    spoolFolder,
    healthPort,
    concurrency,
    graceMs,
    resolvers: systemResolvers,
    onAttempt: tracing?.recordAttempt,
    createEnvironment(proxyUrl) {
      const environment = createEnvironment({ env, clock, lookup: settings.lookup }, proxyUrl);
      uplink = openUplink({ canaries: settings.canaries, clock, reach: environment, log });
      return { ...environment, uplink };
    },
    async close() {
      uplink?.stop();
      evaluator.close();
      await tracing?.stop();
      await capabilities.close();
      await client.close();
    },
  });
  return { ...agent, checkTypes: capabilities.checkTypes, problem, refused: key.refused };
}

async function openCapabilities(
  { settings, scripts }: AgentProcessOptions,
  context: ScriptContext,
): Promise<{ readonly capabilities: Capabilities; readonly problem: string | undefined }> {
  const uptimeOnly = {
    runners: uptimeRunners,
    checkTypes: Object.keys(uptimeRunners),
    runtimes: async () => [],
  };
  if (settings.uptimeOnly || scripts === undefined)
    return { capabilities: { ...uptimeOnly, close: async () => {} }, problem: undefined };
  const { openScripts } = await import('./lazy/scripts.ts');
  const { problem, runtimes, close, ...opened } = await openScripts(scripts, context);
  const all = { ...uptimeRunners, ...opened.runners };
  return { capabilities: { runners: all, checkTypes: Object.keys(all), runtimes, close }, problem };
}

/** Creates the environment of runs. The location's current proxy overrides that of this machine; NO_PROXY bypasses both. */
export function createEnvironment(
  { env, clock, lookup }: Pick<AgentProcessOptions, 'env' | 'clock'> & Pick<AgentSettings, 'lookup'>,
  proxyUrl: () => Location['proxyUrl'],
): RunEnvironment {
  return {
    proxyFor(target) {
      const own = proxyUrl();
      return findProxy(target, own ? { ...env, http_proxy: own, https_proxy: own } : env);
    },
    capture: createCapture({ clock }),
    ...(lookup === undefined ? {} : { lookup }),
  };
}

/** Throws UsageError if the spool folder cannot be created. */
function assertSpool(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`cannot store results in ${folder}: ${(error as Error).message}`, {
      hint: 'pass another folder with --spool',
      cause: error,
    });
  }
}

/** Detects when the service finally rejects the key. */
function watchKey(clock: Clock, onRefusal: (error: Error) => void) {
  let since: number | undefined;
  let count = 0;
  let refuse: (error: Error) => void = () => {};
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  refused.catch(() => {});
  return {
    refused,
    onAnswer(refusal: ApiError | CredentialsError | undefined): void {
      if (refusal === undefined) {
        since = undefined;
        count = 0;
        return;
      }
      if (since === undefined) onRefusal(refusal);
      since ??= clock.monotonic();
      count += 1;
      if (count >= MAX_REJECTIONS && clock.monotonic() - since >= REJECTION_MS) refuse(refusal);
    },
  };
}

/** Resolves names with the name servers of this machine instead of the system's lookup. */
export const lookupByDns: NonNullable<RunContext['lookup']> = async (host, family) => {
  const queries = [
    ...(family === 6
      ? []
      : [promises.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 })))]),
    ...(family === 4
      ? []
      : [promises.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 })))]),
  ];
  const answers = await Promise.allSettled(queries);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first?.status === 'rejected') throw first.reason;
  return addresses;
};
