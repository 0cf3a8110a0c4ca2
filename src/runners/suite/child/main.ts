/** The program of a suite in its cell: unpacks the project, installs what it needs, runs its tests, and hands in what is worth keeping. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  bounded,
  type Channel,
  channelOf,
  consoleOf,
  type Heard,
  keptOf,
  lastMoment,
} from '../../browser/child/channel.ts';
import { openRelay, proxyVariables } from '../../browser/child/egress.ts';
import { handIn } from '../../browser/child/send-artifacts.ts';
import type { ScriptReport } from '../../browser/protocol.ts';
import { scrubber } from '../../scrub.ts';
import { secretDetector } from '../../secret-patterns.ts';
import type { SuiteJob, SuitePreparation } from '../protocol.ts';
import { configure } from './write-configuration.ts';
import { installing } from './resolve-install-command.ts';
import { probe } from './probe-browser.ts';
import { type Over, readReport } from './read-report.ts';
import { type Env, starter } from './command-runner.ts';
import { unpack } from './unpack-archive.ts';

/** Reads a preparation and then a job from stdin, one line each, and ends after the job. */
export async function main(host: NodeJS.Process): Promise<void> {
  const channel = channelOf(host);
  const preparation = await channel.next<SuitePreparation>();
  const proxy = preparation.wayOut === null ? null : await openRelay(preparation.wayOut);
  const browser = await probe(preparation);
  if (typeof browser === 'string') {
    channel.tell({ type: 'unready', reason: browser });
    host.exit(0);
    return;
  }
  channel.tell({ type: 'ready', ...browser });
  const job = await channel.next<SuiteJob>();
  channel.leaveWithReader();
  const env = { ...keptOf(host.env), ...(proxy === null ? {} : proxyVariables(proxy)), ...job.environment };
  const around = {
    folder: preparation.folder,
    executablePath: preparation.executablePath,
    ...browser,
    env,
    kill: host.kill.bind(host),
    until: lastMoment(job),
  };
  const report = await runSuite(job, around, channel);
  channel.tell({ type: 'over', report });
  host.exit(0);
}

interface Around {
  readonly folder: string;
  readonly executablePath: string;
  readonly sandboxed: boolean;
  readonly env: Env;
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
  /** When all must be handed in, by `performance.now()`. */
  readonly until: number;
}

async function runSuite(job: SuiteJob, around: Around, channel: Channel): Promise<ScriptReport> {
  const detector = job.detectsSecrets ? secretDetector() : undefined;
  const scrub = scrubber(job.secrets, detector?.mask);
  const heard = consoleOf(channel.tell, scrub);
  const place = join(around.folder, 'suite');
  mkdirSync(place);
  const unpacked = unpack(join(around.folder, job.archive), place);
  const over =
    typeof unpacked === 'string'
      ? unusable(unpacked)
      : await steps(job, join(place, job.workingDir), around, heard).catch((error: unknown): Over => {
          const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
          return { outcome: 'fault', errors: [`the suite could not be run: ${reason}`], tests: [] };
        });
  heard.end();
  const known = new Set(typeof unpacked === 'string' ? [] : unpacked);
  const { dropped: artifacts, lost } = await handIn(
    {
      ...{ folders: [place], known, secrets: job.secrets, detect: detector?.mask },
      ...{ withTraces: over.outcome !== 'passed', until: around.until },
    },
    channel,
  );
  const report = scrub({
    ...over,
    errors: bounded(over.errors, scrub),
    durationMs: heard.elapsedMs(),
    dropped: { lines: heard.dropped(), artifacts },
    ...(lost.length > 0 ? { lost } : {}),
  });
  return { ...report, ...(detector && { detected: detector.detected() }) };
}

/** One after the other; the first that goes wrong says what it means. */
async function steps(
  job: SuiteJob,
  folder: string,
  { executablePath, sandboxed, env, kill }: Around,
  heard: Heard,
): Promise<Over> {
  if (!existsSync(folder)) return unusable(`the suite has no folder ${job.workingDir}`);
  const start = starter({
    folder,
    engine: job.engine,
    installer: job.installer,
    env,
    heard,
    timeoutMs: job.timeoutMs,
    kill,
  });
  const install = installing(folder, job);
  if (typeof install === 'string') return unusable(install);
  if (install !== null) {
    const { code, lastWords, isLate } = await start.run(install.command, job.installing);
    if (isLate) return late(job);
    // The packages' registry is no target: nobody is to be called for it.
    const told = `the dependencies could not be installed (${install.command}): ${lastWords || `exit code ${code}`}`;
    if (code !== 0) return { outcome: 'fault', errors: [told], tests: [] };
  }
  const configured = configure(folder, job, { executablePath, sandboxed, leftMs: start.leftMs() });
  if (typeof configured === 'string') return unusable(configured);
  const ran = await start.run(configured.command, { PLAYWRIGHT_JSON_OUTPUT_FILE: configured.report });
  return readReport(configured.report, ran, job);
}

const unusable = (error: string): Over => ({ outcome: 'unusable', errors: [error], tests: [] });
const late = ({ timeoutMs }: SuiteJob): Over => ({
  outcome: 'timed-out',
  errors: [`the suite did not end within ${timeoutMs / 1000} s`],
  tests: [],
});
