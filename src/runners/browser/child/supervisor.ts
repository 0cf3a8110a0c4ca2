/** The child program: prepares an executor, gives it one script, watches its time, and hands in what is worth keeping. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scrubber } from '../../scrub.ts';
import { secretDetector } from '../../secret-patterns.ts';
import type { BrowserJob, Preparation, ScriptReport } from '../protocol.ts';
import { bounded, type Channel, channelOf, consoleOf, keptOf, lastMoment } from './channel.ts';
import { openRelay, proxyVariables } from './egress.ts';
import { handIn } from './send-artifacts.ts';
import type { Env } from './executor.ts';
import { executorsOf } from './executors.ts';
import { libraryAt, type Runtime } from './locate-playwright.ts';
import { listTests } from './playwright-test.ts';
import { rehearseRunning } from './warm-up.ts';
import { type Over, type Running, runOfScript, runOfTests, type ScriptListener } from './run-script.ts';

/** Reads a preparation and then a job from stdin, one line each, and ends after the job. */
export async function supervise(host: NodeJS.Process, program: string): Promise<void> {
  const channel = channelOf(host);
  const { next, tell, leaveWithReader } = channel;
  const preparation = await next<Preparation>();
  const runtime = libraryAt(preparation.playwright);
  const { wayOut } = preparation;
  const proxy = wayOut === null ? null : await openRelay(wayOut);
  const executors = executorsOf(program, preparation, proxy);
  const first = executors.make(preparation.rehearses);
  if (preparation.kind === 'test' && preparation.rehearses)
    await rehearse(preparation, runtime).catch(() => {});
  const ready = await first.ready;
  if (ready.sonde !== 'ready') {
    tell({ type: 'unready', reason: ready.reason });
    host.exit(0);
    return;
  }
  // What waits without its executor is of no use: nobody takes one that has ended.
  const leave = () => host.exit(1);
  first.process.once('exit', leave);
  tell({ type: 'ready', browser: ready.browser, sandboxed: ready.sandboxed });
  const job = await next<BrowserJob>();
  leaveWithReader();
  first.process.off('exit', leave);
  const running = { job, runtime, executors, first, host };
  const more = { folder: preparation.folder, proxy, channel, until: lastMoment(job) };
  const report = await runJob(running, more).catch((error: unknown) => broken(error));
  tell({ type: 'over', report });
  host.exit(0);
}

/** What Playwright Test itself, or this program, stumbled over: nothing is known of the target. */
function broken(error: unknown): ScriptReport {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const errors = [`the script could not be run: ${reason}`];
  return { outcome: 'fault', errors, tests: [], durationMs: 0, dropped: { lines: 0, artifacts: 0 } };
}

/** Playwright Test, once through: what it loads on its way is there when it is needed. */
async function rehearse({ folder }: Preparation, runtime: Runtime): Promise<void> {
  const run = { runtime, baseUrl: null, timeoutMs: 10_000 };
  await rehearseRunning(folder, (file, place) =>
    listTests({ ...run, file, place, folder: place, evidence: join(place, 'evidence') }),
  );
}

interface Around {
  /** The cell's. */
  readonly folder: string;
  readonly proxy: string | null;
  readonly channel: Channel;
  /** When all must be handed in, by `performance.now()`. */
  readonly until: number;
}

async function runJob(running: Running, around: Around): Promise<ScriptReport> {
  const { job, runtime, executors, host } = running;
  const { proxy, channel, until } = around;
  const place = join(around.folder, 'run');
  const folder = join(place, 'script');
  const evidence = join(place, 'evidence');
  const written = layOut(job, folder, runtime);
  mkdirSync(evidence, { recursive: true });
  const env: Env = {
    ...keptOf(host.env),
    ...(proxy === null ? {} : proxyVariables(proxy)),
    ...job.environment,
  };
  const detector = job.detectsSecrets ? secretDetector() : undefined;
  const scrub = scrubber(job.secrets, detector?.mask);
  const heard = consoleOf(channel.tell, scrub);
  const { say } = heard;
  executors.onOutput = heard.write;
  let fault: string | undefined;
  let misuse: string | undefined;
  const withFaults = (listener?: ScriptListener) => {
    executors.listener = (message) => {
      if (message.sonde === 'console') say(message.line);
      else if (message.sonde === 'fault') fault ??= message.reason;
      else if (message.sonde === 'misused') misuse ??= message.reason;
      else if (message.sonde === 'done') listener?.onDone(message.errors, message.handed);
      else if (message.sonde === 'waits') listener?.onWait(message.for);
    };
  };
  const paths = { file: join(folder, job.entry), folder, evidence, place };
  const over = await (job.kind === 'test'
    ? runOfTests(running, paths, env, withFaults)
    : runOfScript(running, paths, env, withFaults));
  const durationMs = heard.elapsedMs();
  heard.end();
  const why = fault ?? misuse;
  const judged: Over =
    why === undefined
      ? over
      : { ...over, outcome: fault === undefined ? 'unusable' : 'fault', errors: [why, ...over.errors] };
  const { dropped: artifacts, lost } = await handIn(
    {
      ...{ folders: [evidence, folder], known: written, secrets: job.secrets, detect: detector?.mask },
      ...{ withTraces: judged.outcome !== 'passed', until },
    },
    channel,
  );
  // What follows the script is given what it left as it left it, secrets and all.
  const { handed, ...shown } = judged;
  const report = scrub({
    ...shown,
    errors: bounded(shown.errors, scrub),
    tests: shown.tests.slice(0, 200).map((test) => ({ ...test, errors: bounded(test.errors, scrub) })),
    durationMs,
    dropped: { lines: heard.dropped(), artifacts },
    ...(lost.length > 0 ? { lost } : {}),
  });
  const detected = detector && { detected: detector.detected() };
  return { ...report, ...detected, ...(handed ? { handed } : {}) };
}

/** Writes the files of the script, and beside them the packages of the runtime. Gives the paths. */
function layOut({ files }: BrowserJob, folder: string, runtime: Runtime): Set<string> {
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
