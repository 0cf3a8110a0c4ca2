/** Runs a suite in its cell: unpacks the project, installs packages, runs the tests, sends the report. */
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { withoutOwnFrames } from '../../../base/own-frames.ts';
import { artifactsDeadline, baseEnvironment, openChannel } from '../../browser/child/channel.ts';
import { openRelay, proxyVariables } from '../../browser/child/egress.ts';
import { listReportedTests, type PlaywrightReport } from '../../browser/child/playwright-report.ts';
import { startReport } from '../../browser/child/send-artifacts.ts';
import type { ScriptReport, SuiteJob, SuitePreparation } from '../../browser/protocol.ts';
import { type CommandEnd, createCommandRunner } from './command-runner.ts';
import {
  type ConfigurationOptions,
  resolveInProject,
  resolveInstallCommand,
  UnusableProject,
  unpackArchive,
  writeConfiguration,
} from './prepare-project.ts';
import { probeBrowser } from './probe-browser.ts';

/** Reads a preparation and a job from stdin, one line each, and ends after the job. */
export async function main(host: NodeJS.Process): Promise<void> {
  const channel = openChannel(host);
  const { folder, executablePath, ...preparation } = await channel.next<SuitePreparation>();
  const { egressSocket } = preparation;
  const proxy = egressSocket === null ? null : await openRelay(egressSocket);
  const browser = await probeBrowser({ ...preparation, folder, executablePath });
  if (typeof browser === 'string') {
    channel.send({ type: 'unready', reason: browser });
    host.exit(0);
    return;
  }
  channel.send({ type: 'ready', ...browser });
  const job = await channel.next<SuiteJob>();
  channel.exitWithReader();
  const until = artifactsDeadline(job);
  const { output, finish } = startReport(job, channel);
  mkdirSync(join(folder, 'suite'));
  const root = realpathSync(join(folder, 'suite'));
  const known = new Set<string>();
  const result = await Promise.resolve()
    .then(() => {
      for (const path of unpackArchive(join(folder, job.archive), root)) known.add(path);
      const runner = createCommandRunner({
        job,
        folder: resolveInProject(root, job.workingDir, 'workingDir'),
        env: {
          ...baseEnvironment(host.env),
          ...(proxy === null ? {} : proxyVariables(proxy)),
          ...job.environment,
        },
        output,
        kill: host.kill.bind(host),
      });
      return runSteps(job, runner, { root, executablePath, sandboxed: browser.sandboxed });
    })
    .catch((error: unknown) => {
      if (error instanceof UnusableProject) return unusable(error.message);
      const reason = withoutOwnFrames(
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      return fault(`the suite could not be run: ${reason}`);
    });
  channel.send({ type: 'over', report: await finish(result, { folders: [root], known, until }) });
  host.exit(0);
}

type SuiteResult = Omit<ScriptReport, 'durationMs' | 'dropped'>;

const unusable = (error: string): SuiteResult => ({ outcome: 'unusable', errors: [error], tests: [] });
const fault = (error: string): SuiteResult => ({ outcome: 'fault', errors: [error], tests: [] });
const timeoutError = ({ timeoutMs }: SuiteJob) => `the suite did not end within ${timeoutMs / 1000} s`;

/** Runs the steps in order. The first failure determines the result. */
async function runSteps(
  job: SuiteJob,
  { folder, run, remainingMs }: ReturnType<typeof createCommandRunner>,
  browser: Omit<ConfigurationOptions, 'remainingMs'>,
): Promise<SuiteResult> {
  const install = resolveInstallCommand(folder, job);
  if (install !== null) {
    const { code, lastOutput, isLate } = await run(install, job.installVariables);
    if (isLate) return { outcome: 'timed-out', errors: [timeoutError(job)], tests: [] };
    // The package registry is not the target, so its failure must not alert.
    if (code !== 0)
      return fault(
        `the dependencies could not be installed (${install}): ${lastOutput || `exit code ${code}`}`,
      );
  }
  const tests = writeConfiguration(folder, job, { ...browser, remainingMs: remainingMs() });
  return readReport(
    tests.report,
    await run(tests.command, { PLAYWRIGHT_JSON_OUTPUT_FILE: tests.report }),
    job,
  );
}

/** The browser of a project is not installed, which says nothing about the target. */
const MISSING_BROWSER =
  /Executable doesn't exist at|browserType\.launch: (?:Failed to launch|.*is not installed)/;

/** Returns the result of the suite. Without a report nothing is known, whatever the exit code. */
function readReport(file: string, { code, isLate, lastOutput }: CommandEnd, job: SuiteJob): SuiteResult {
  const report = parseReport(file);
  if (report === undefined) {
    if (isLate) return { outcome: 'timed-out', errors: [timeoutError(job)], tests: [] };
    const why = stripVTControlCharacters(lastOutput) || `exit code ${code}`;
    return unusable(`the tests ended without a report: ${why}`);
  }
  const reported = listReportedTests(report);
  const tests = reported.map(
    ({ titles, projectName, status, isUnexpected, isFlaky, durationMs, results }) => {
      const suites = titles.slice(0, -1).filter((part) => part !== '');
      return {
        title: [...(projectName ? [`[${projectName}]`] : []), ...suites, titles.at(-1)].join(' › '),
        status,
        ...(isFlaky ? { isFlaky: true as const } : {}),
        durationMs: Math.round(durationMs),
        errors: isUnexpected ? formatErrors(results.at(-1)) : [],
      };
    },
  );
  const flaky = reported.filter(({ isFlaky }) => isFlaky).length;
  const failed = tests.filter(({ status }) => status === 'failed' || status === 'timed-out');
  const counts = {
    passed: tests.filter(({ status }) => status === 'passed').length - flaky,
    failed: failed.length,
    flaky,
    skipped: tests.filter(({ status }) => status === 'skipped').length,
  };
  const general = formatErrors(report.errors);
  const errors = [...general, ...failed.map(({ title, errors: [first = 'failed'] }) => `${title}: ${first}`)];
  const result = (outcome: SuiteResult['outcome'], first?: string): SuiteResult => ({
    outcome,
    tests,
    counts,
    errors: first === undefined ? errors : [first, ...errors],
  });
  const ranOut = general.some((message) => /^Timed out waiting .* for the test suite to run/.test(message));
  if (isLate || ranOut) return result('timed-out', isLate ? timeoutError(job) : undefined);
  if (errors.some((error) => MISSING_BROWSER.test(error)))
    return result('fault', 'a browser that the suite needs is not installed: only Chromium is available');
  if (counts.passed + counts.flaky + counts.failed === 0) return result('unusable', 'no test ran');
  if (counts.failed > 0) return result('failed');
  if (code !== 0 || general.length > 0)
    return result('failed', errors.length > 0 ? undefined : `Playwright ended with exit code ${code}`);
  return result('passed');
}

function parseReport(file: string): PlaywrightReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PlaywrightReport;
  } catch {
    return undefined;
  }
}

const formatErrors = (errors: PlaywrightReport['errors'] = []): string[] =>
  errors.map(({ message = 'an error without a message' }) => stripVTControlCharacters(message));
