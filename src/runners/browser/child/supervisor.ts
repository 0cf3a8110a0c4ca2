/**
 * Supervises a script: prepares an executor, gives it one script, enforces the time limit, and sends artifacts and the
 * report.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createScrubber } from '../../scrub.ts';
import { createSecretDetector } from '../../secret-detector.ts';
import type { BrowserJob, Preparation, ScriptReport } from '../protocol.ts';
import {
  artifactsDeadline,
  baseEnvironment,
  type Channel,
  createConsole,
  limitErrors,
  openChannel,
} from './channel.ts';
import { openRelay, proxyVariables } from './egress.ts';
import type { Env } from './executor.ts';
import { createExecutors } from './executors.ts';
import { locatePlaywright, type Runtime } from './locate-playwright.ts';
import { listTests } from './playwright-test.ts';
import {
  runScript,
  runTestFile,
  type ScriptListener,
  type ScriptResult,
  type ScriptRun,
} from './run-script.ts';
import { sendArtifacts } from './send-artifacts.ts';
import { warmUpTestRunner } from './warm-up.ts';

/** Reads a preparation and a job from stdin, one line each, and ends after the job. */
export async function supervise(host: NodeJS.Process, program: string): Promise<void> {
  const channel = openChannel(host);
  const { next, send, exitWithReader } = channel;
  const preparation = await next<Preparation>();
  const runtime = locatePlaywright(preparation.playwright);
  const { egressSocket } = preparation;
  const proxy = egressSocket === null ? null : await openRelay(egressSocket);
  const executors = createExecutors(program, preparation, proxy);
  const first = executors.make(preparation.warmsUp);
  if (preparation.kind === 'test' && preparation.warmsUp) await warmUp(preparation, runtime).catch(() => {});
  const ready = await first.ready;
  if (ready.sonde !== 'ready') {
    send({ type: 'unready', reason: ready.reason });
    host.exit(0);
    return;
  }
  // Exit if the executor ends while waiting, so that the pool discards this program.
  const exit = () => host.exit(1);
  first.process.once('exit', exit);
  send({ type: 'ready', browser: ready.browser, sandboxed: ready.sandboxed });
  const job = await next<BrowserJob>();
  exitWithReader();
  first.process.off('exit', exit);
  const run = { job, runtime, executors, first, host };
  const more = { folder: preparation.folder, proxy, channel, until: artifactsDeadline(job) };
  const report = await runJob(run, more).catch((error: unknown) => toFaultReport(error));
  send({ type: 'over', report });
  host.exit(0);
}

/** Returns a report for an error of Playwright Test or this program, after which nothing is known about the target. */
function toFaultReport(error: unknown): ScriptReport {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const errors = [`the script could not be run: ${reason}`];
  return { outcome: 'fault', errors, tests: [], durationMs: 0, dropped: { lines: 0, artifacts: 0 } };
}

/** Lists a sample with Playwright Test, which loads everything that a real file needs. */
async function warmUp({ folder }: Preparation, runtime: Runtime): Promise<void> {
  const run = { runtime, baseUrl: null, timeoutMs: 10_000 };
  await warmUpTestRunner(folder, (file, runFolder) =>
    listTests({
      ...run,
      file,
      configFolder: runFolder,
      folder: runFolder,
      artifactFolder: join(runFolder, 'evidence'),
    }),
  );
}

interface SupervisorContext {
  /** The cell's folder. */
  readonly folder: string;
  readonly proxy: string | null;
  readonly channel: Channel;
  /** End of the time for artifacts, by `performance.now()`. */
  readonly until: number;
}

async function runJob(run: ScriptRun, context: SupervisorContext): Promise<ScriptReport> {
  const { job, runtime, executors, host } = run;
  const { proxy, channel, until } = context;
  const runFolder = join(context.folder, 'run');
  const folder = join(runFolder, 'script');
  const artifactFolder = join(runFolder, 'evidence');
  const scriptFiles = writeFiles(job, folder, runtime);
  mkdirSync(artifactFolder, { recursive: true });
  const env: Env = {
    ...baseEnvironment(host.env),
    ...(proxy === null ? {} : proxyVariables(proxy)),
    ...job.environment,
  };
  const detector = job.detectsSecrets ? createSecretDetector() : undefined;
  const scrub = createScrubber(job.secrets, detector?.mask);
  const output = createConsole(channel.send, scrub);
  const { log } = output;
  executors.onOutput = output.write;
  let fault: string | undefined;
  let misuse: string | undefined;
  const setListener = (listener?: ScriptListener) => {
    executors.listener = (message) => {
      if (message.sonde === 'console') log(message.line);
      else if (message.sonde === 'fault') fault ??= message.reason;
      else if (message.sonde === 'misused') misuse ??= message.reason;
      else if (message.sonde === 'done') listener?.onDone(message.errors, message.scriptState);
      else if (message.sonde === 'waits') listener?.onWait(message.for);
    };
  };
  const paths = { file: join(folder, job.entry), folder, artifactFolder, runFolder };
  const scriptResult = await (job.kind === 'test'
    ? runTestFile(run, paths, env, setListener)
    : runScript(run, paths, env, setListener));
  const durationMs = output.elapsedMs();
  output.end();
  const problem = fault ?? misuse;
  const result: ScriptResult =
    problem === undefined
      ? scriptResult
      : {
          ...scriptResult,
          outcome: fault === undefined ? 'unusable' : 'fault',
          errors: [problem, ...scriptResult.errors],
        };
  const { dropped: artifacts, lost } = await sendArtifacts(
    {
      folders: [artifactFolder, folder],
      known: scriptFiles,
      secrets: job.secrets,
      detect: detector?.mask,
      withTraces: result.outcome !== 'passed',
      until,
    },
    channel,
  );
  // The next phase needs the script's state unchanged, including secrets.
  const { handed: scriptState, ...publicResult } = result;
  const report = scrub({
    ...publicResult,
    errors: limitErrors(publicResult.errors, scrub),
    tests: publicResult.tests
      .slice(0, 200)
      .map((test) => ({ ...test, errors: limitErrors(test.errors, scrub) })),
    durationMs,
    dropped: { lines: output.countDropped(), artifacts },
    ...(lost.length > 0 ? { lost } : {}),
  });
  const detected = detector && { detected: detector.detected() };
  return { ...report, ...detected, ...(scriptState ? { handed: scriptState } : {}) };
}

/** Writes the files of the script and links the packages of the runtime beside them. Returns the paths. */
function writeFiles({ files }: BrowserJob, folder: string, runtime: Runtime): Set<string> {
  const paths = files.map(({ path, content }) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  });
  for (const [name, target] of Object.entries(runtime.packages)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
  return new Set(paths);
}
