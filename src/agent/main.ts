/** The agent as a process runs it: with its client, its log, and the runners that it is to have. */
import { randomUUID } from 'node:crypto';
import { promises } from 'node:dns';
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../base/clock.ts';
import { type ApiError, type CredentialsError, UsageError } from '../base/errors.ts';
import { makeFolder } from '../base/folder.ts';
import type { Random } from '../base/random.ts';
import { createClient } from '../client/index.ts';
import { systemResolvers } from '../runners/dns/system-resolvers.ts';
import { uptimeRunners } from '../runners/index.ts';
import { type JudgeOptions, openJudges } from '../runners/judge/judge.ts';
import type { RunContext } from '../runners/types.ts';
import { type Agent, type Capabilities, createAgent } from './agent.ts';
import { environmentFactory } from './environment.ts';
import type { ScriptContext, ScriptSettings } from './lazy/scripts.ts';
import { createLink } from './link.ts';
import { createAgentLog } from './log.ts';
import { createObserver, type Machine } from './observability.ts';
import type { AgentSettings, LogLevel } from './settings.ts';

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
  /** What judges the answers of targets: `judge.cjs`. */
  readonly judge: JudgeOptions;
  /** What scripts run with; left out: none are run. */
  readonly scripts: ScriptSettings | undefined;
}

export interface AgentProcess extends Agent {
  /** What it runs. */
  readonly checkTypes: readonly string[];
  /** Why scripts are not run although they were asked for, as a sentence without a full stop. */
  readonly problem: string | undefined;
  /** Rejects once the key is refused for good: it was revoked while the agent ran. */
  readonly refused: Promise<never>;
}

/** A key that is refused so often and for so long is refused for good: what stands in between may refuse it once. */
const REFUSALS = 3;
const REFUSED_MS = 20_000;

export async function openAgent(options: AgentProcessOptions): Promise<AgentProcess> {
  // The room for new objects stays as large as starting has made it: the agent does a little all the time, for months.
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
  const link = createLink({ client, agentId: randomUUID(), version, onKey: key.told });
  const { abilities, problem } = await openCapabilities(options, {
    clock,
    archive: link.codeBundle,
    onError: (message, error) => log.error({ err: error }, message),
    onIsolation: (isolation) =>
      log[isolation.level === 'process' ? 'warn' : 'info'](
        { isolation },
        `isolation level of scripts: ${isolation.level}`,
      ),
  });
  const { spoolFolder, healthPort, concurrency, graceMs, lookup } = settings;
  const judges = openJudges(options.judge);
  const agent = createAgent({
    judge: judges.judge,
    ...abilities,
    link,
    clock,
    random,
    log,
    spoolFolder,
    healthPort,
    concurrency,
    graceMs,
    resolvers: systemResolvers,
    createEnvironment: environmentFactory({ env, clock, lookup }),
    async close() {
      judges.close();
      await abilities.close();
      await client.close();
    },
  });
  return { ...agent, checkTypes: abilities.checkTypes, problem, refused: key.refused };
}

async function openCapabilities(
  { settings, scripts }: AgentProcessOptions,
  surroundings: ScriptContext,
): Promise<{ readonly abilities: Capabilities; readonly problem: string | undefined }> {
  const light = { runners: uptimeRunners, checkTypes: Object.keys(uptimeRunners), runtimes: [] };
  if (settings.uptimeOnly || scripts === undefined)
    return { abilities: { ...light, close: async () => {} }, problem: undefined };
  const { openScripts } = await import('./lazy/scripts.ts');
  const { problem, runtimes, close, ...opened } = await openScripts(scripts, surroundings);
  const all = { ...uptimeRunners, ...opened.runners };
  return { abilities: { runners: all, checkTypes: Object.keys(all), runtimes, close }, problem };
}

/** Throws UsageError where results could not be kept. */
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

/** Tells when the key is refused for good. */
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
    told(refusal: ApiError | CredentialsError | undefined): void {
      if (refusal === undefined) {
        since = undefined;
        count = 0;
        return;
      }
      if (since === undefined) onRefusal(refusal);
      since ??= clock.monotonic();
      count += 1;
      if (count >= REFUSALS && clock.monotonic() - since >= REFUSED_MS) refuse(refusal);
    },
  };
}

/** Asks the name servers of this machine by itself, where the system's own lookup is not to be used. */
export const lookupByDns: NonNullable<RunContext['lookup']> = async (host, family) => {
  const asked = [
    ...(family === 6
      ? []
      : [promises.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 })))]),
    ...(family === 4
      ? []
      : [promises.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 })))]),
  ];
  const found = await Promise.allSettled(asked);
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const [first] = found;
  if (addresses.length === 0 && first?.status === 'rejected') throw first.reason;
  return addresses;
};
