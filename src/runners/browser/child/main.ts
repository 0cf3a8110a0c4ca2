/**
 * Starts the program in a cell as an executor if its argument says so, or as a supervisor: it prepares an executor,
 * gives it one script, enforces the time limit, and sends artifacts and the report.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { joinInside } from '../../../base/file-name.ts';
import { withoutOwnFrames } from '../../../base/own-frames.ts';
import type { BrowserJob, Preparation, ScriptReport } from '../protocol.ts';
import { artifactsDeadline, baseEnvironment, type Channel, openChannel } from './channel.ts';
import { openRelay, proxyVariables } from './egress.ts';
import { type Env, runExecutor } from './executor.ts';
import { locatePlaywright, type Runtime } from './locate-playwright.ts';
import { describeUnused } from './playwright-config.ts';
import { runTestFile, warmUpTestRunner } from './playwright-test.ts';
import { createExecutors, runScript, type ScriptRun } from './run-script.ts';
import { decideKind } from './script-kind.ts';
import { startReport } from './send-artifacts.ts';

export function main(host: NodeJS.Process): void {
  const [, program = '', role] = host.argv;
  if (role === 'executor') runExecutor(host);
  else void supervise(host, program);
}

/** Reads a preparation and a job from stdin, one line each, and ends after the job. */
async function supervise(host: NodeJS.Process, program: string): Promise<void> {
  const channel = openChannel(host);
  const { next, send, exitWithReader } = channel;
  const preparation = await next<Preparation>();
  const runtime = locatePlaywright(preparation.playwright);
  const { egressSocket } = preparation;
  const proxy = egressSocket === null ? null : await openRelay(egressSocket);
  const executors = createExecutors(program, preparation, proxy);
  const first = executors.make(preparation.warmsUp);
  if (preparation.kind === 'test' && preparation.warmsUp)
    await warmUpTestRunner(runtime, preparation.folder).catch(() => {});
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
  const report = await runJob(
    { job, runtime, executors, first, host },
    { folder: preparation.folder, packages: preparation.packages, proxy, channel },
  ).catch((error: unknown): ScriptReport => {
    // After an error of Playwright Test or this program, nothing is known about the target.
    const reason = withoutOwnFrames(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const errors = [`the script could not be run: ${reason}`];
    return { outcome: 'fault', errors, tests: [], durationMs: 0, dropped: { lines: 0, artifacts: 0 } };
  });
  send({ type: 'over', report });
  host.exit(0);
}

interface CellContext {
  readonly folder: string;
  readonly packages: string;
  readonly proxy: string | null;
  readonly channel: Channel;
}

async function runJob(run: ScriptRun, { folder: cellFolder, packages, proxy, channel }: CellContext) {
  const { job, runtime, executors, host } = run;
  const until = artifactsDeadline(job);
  const runFolder = join(cellFolder, 'run');
  const folder = join(runFolder, 'script');
  const artifactFolder = join(runFolder, 'evidence');
  const scriptFiles = writeFiles(job, folder, runtime);
  // Node searches this folder after that of the script, which has the packages of Playwright.
  symlinkSync(packages, join(runFolder, 'node_modules'));
  mkdirSync(artifactFolder, { recursive: true });
  const env: Env = {
    ...baseEnvironment(host.env),
    ...(proxy === null ? {} : proxyVariables(proxy)),
    ...job.environment,
  };
  const { output, finish } = startReport(job, channel);
  let fault: string | undefined;
  let misuse: string | undefined;
  executors.handlers.onOutput = output.write;
  executors.handlers.onLog = output.log;
  executors.handlers.onFault = (reason) => {
    fault ??= reason;
  };
  executors.handlers.onMisuse = (reason) => {
    misuse ??= reason;
  };
  const notes = new Set<string>();
  executors.handlers.onNote = (text) => void notes.add(text);
  const paths = { file: join(folder, job.entry), folder, artifactFolder, runFolder };
  const kind = job.kind ?? decideKind(job, runtime);
  const unused = kind === 'test' ? undefined : describeUnused(job.playwrightConfig);
  if (unused !== undefined) notes.add(unused);
  const result = await (kind === 'test' ? runTestFile : runScript)(run, paths, env);
  const durationMs = output.elapsedMs();
  const problem = fault ?? misuse;
  const outcome = fault === undefined ? 'unusable' : 'fault';
  return finish(
    {
      ...result,
      kind,
      ...(notes.size === 0 ? {} : { notes: [...notes] }),
      ...(problem === undefined ? {} : { outcome, errors: [problem, ...result.errors] }),
    },
    { folders: [artifactFolder, folder], known: scriptFiles, until },
    durationMs,
  );
}

function writeFiles({ files }: BrowserJob, folder: string, runtime: Runtime): Set<string> {
  const paths = files.map(({ path, content }) => {
    const file = joinInside(folder, path);
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
