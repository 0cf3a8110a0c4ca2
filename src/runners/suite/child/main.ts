/**
 * Runs a suite in its cell: unpacks the project, installs dependencies, runs the tests, and sends artifacts and the
 * report.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  artifactsDeadline,
  baseEnvironment,
  type Channel,
  createConsole,
  limitErrors,
  openChannel,
  type ScriptConsole,
} from '../../browser/child/channel.ts';
import { openRelay, proxyVariables } from '../../browser/child/egress.ts';
import { sendArtifacts } from '../../browser/child/send-artifacts.ts';
import type { ScriptReport } from '../../browser/protocol.ts';
import { createScrubber } from '../../scrub.ts';
import { createSecretDetector } from '../../secret-detector.ts';
import type { SuiteJob, SuitePreparation } from '../protocol.ts';
import { createCommandRunner, type Env } from './command-runner.ts';
import { probeBrowser } from './probe-browser.ts';
import { readReport, type SuiteResult } from './read-report.ts';
import { resolveInstallCommand } from './resolve-install-command.ts';
import { unpackArchive } from './unpack-archive.ts';
import { writeConfiguration } from './write-configuration.ts';

/** Reads a preparation and a job from stdin, one line each, and ends after the job. */
export async function main(host: NodeJS.Process): Promise<void> {
  const channel = openChannel(host);
  const preparation = await channel.next<SuitePreparation>();
  const proxy = preparation.egressSocket === null ? null : await openRelay(preparation.egressSocket);
  const browser = await probeBrowser(preparation);
  if (typeof browser === 'string') {
    channel.send({ type: 'unready', reason: browser });
    host.exit(0);
    return;
  }
  channel.send({ type: 'ready', ...browser });
  const job = await channel.next<SuiteJob>();
  channel.exitWithReader();
  const env = {
    ...baseEnvironment(host.env),
    ...(proxy === null ? {} : proxyVariables(proxy)),
    ...job.environment,
  };
  const environment = {
    folder: preparation.folder,
    executablePath: preparation.executablePath,
    ...browser,
    env,
    kill: host.kill.bind(host),
    until: artifactsDeadline(job),
  };
  const report = await runSuite(job, environment, channel);
  channel.send({ type: 'over', report });
  host.exit(0);
}

interface SuiteEnvironment {
  readonly folder: string;
  readonly executablePath: string;
  readonly sandboxed: boolean;
  readonly env: Env;
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
  /** End of the time for artifacts, by `performance.now()`. */
  readonly until: number;
}

async function runSuite(
  job: SuiteJob,
  environment: SuiteEnvironment,
  channel: Channel,
): Promise<ScriptReport> {
  const detector = job.detectsSecrets ? createSecretDetector() : undefined;
  const scrub = createScrubber(job.secrets, detector?.mask);
  const output = createConsole(channel.send, scrub);
  const root = join(environment.folder, 'suite');
  mkdirSync(root);
  const unpacked = unpackArchive(join(environment.folder, job.archive), root);
  const result =
    typeof unpacked === 'string'
      ? unusable(unpacked)
      : await runSteps(job, join(root, job.workingDir), environment, output).catch(
          (error: unknown): SuiteResult => {
            const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
            return { outcome: 'fault', errors: [`the suite could not be run: ${reason}`], tests: [] };
          },
        );
  output.end();
  const known = new Set(typeof unpacked === 'string' ? [] : unpacked);
  const { dropped: artifacts, lost } = await sendArtifacts(
    {
      folders: [root],
      known,
      secrets: job.secrets,
      detect: detector?.mask,
      withTraces: result.outcome !== 'passed',
      until: environment.until,
    },
    channel,
  );
  const report = scrub({
    ...result,
    errors: limitErrors(result.errors, scrub),
    durationMs: output.elapsedMs(),
    dropped: { lines: output.countDropped(), artifacts },
    ...(lost.length > 0 ? { lost } : {}),
  });
  return { ...report, ...(detector && { detected: detector.detected() }) };
}

/** Runs the steps in order. The first failure determines the result. */
async function runSteps(
  job: SuiteJob,
  folder: string,
  { executablePath, sandboxed, env, kill }: SuiteEnvironment,
  output: ScriptConsole,
): Promise<SuiteResult> {
  if (!existsSync(folder)) return unusable(`the suite has no folder ${job.workingDir}`);
  const runner = createCommandRunner({
    folder,
    engine: job.engine,
    bunProgram: job.bunProgram,
    env,
    output,
    timeoutMs: job.timeoutMs,
    kill,
  });
  const install = resolveInstallCommand(folder, job);
  if (typeof install === 'string') return unusable(install);
  if (install !== null) {
    const { code, lastOutput, isLate } = await runner.run(install.command, job.installVariables);
    if (isLate) return timedOut(job);
    // The package registry is not the target, so its failure must not alert.
    const message = `the dependencies could not be installed (${install.command}): ${lastOutput || `exit code ${code}`}`;
    if (code !== 0) return { outcome: 'fault', errors: [message], tests: [] };
  }
  const testCommand = writeConfiguration(folder, job, {
    executablePath,
    sandboxed,
    remainingMs: runner.remainingMs(),
  });
  if (typeof testCommand === 'string') return unusable(testCommand);
  const testEnd = await runner.run(testCommand.command, { PLAYWRIGHT_JSON_OUTPUT_FILE: testCommand.report });
  return readReport(testCommand.report, testEnd, job);
}

const unusable = (error: string): SuiteResult => ({ outcome: 'unusable', errors: [error], tests: [] });
const timedOut = ({ timeoutMs }: SuiteJob): SuiteResult => ({
  outcome: 'timed-out',
  errors: [`the suite did not end within ${timeoutMs / 1000} s`],
  tests: [],
});
