/** Runs agentic checks: a model outside the cell, whose key never enters it, drives a browser in the cell. */
import { toAbortSignal } from '../../base/abort.ts';
import {
  type AcquiredProgram,
  assertClosedNetwork,
  createProgramPool,
  type ProgramPool,
  type ProgramPoolOptions,
} from '../browser/program-pool.ts';
import type { BrowserJob } from '../browser/protocol.ts';
import { CannotRun, type QueuedRunner, type RunContext, type RunOutcome } from '../core/runner.ts';
import { formatLostFiles } from '../files/run-file-store.ts';
import { createScrubber } from '../masking/scrub.ts';
import { createSecretDetector } from '../masking/secret-detector.ts';
import { PageUnusable, runConversation } from './conversation.ts';
import { BrowserEnded, openDriverChannel } from './driver-channel.ts';
import { createModelClient, ModelError, type ModelSettings, NO_MODEL } from './model-client.ts';
import { type Command, type Reply, SOCKET } from './protocol.ts';
import { type ModelFailure, toRunOutcome, type UnusablePage } from './run-outcome.ts';
import { type AgenticCheck, createTask } from './task.ts';
import { createTranscript, storeTranscript } from './transcript.ts';

export type { AgenticCheck } from './task.ts';

/** Always throws CannotRun. This is the runner if no model is configured. */
export async function run(): Promise<RunOutcome> {
  throw new CannotRun(NO_MODEL);
}

export interface AgenticRunnerOptions extends ProgramPoolOptions {
  readonly model: ModelSettings;
  readonly driver: () => Promise<string>;
}

export type AgenticRunner = QueuedRunner<AgenticCheck> & Pick<ProgramPool, 'close'>;

/** Maximum duration of an agentic check (docs/gaps.md), in ms. */
const MAX_RUN_MS = 240_000;
/** Part of that time reserved for screenshots and the transcript after the conversation, in ms. */
const RESERVE_MS = 12_000;
/** A missed deadline is the target's failure if the browser has waited this long for the page, in ms. */
const SLOW_PAGE_MS = 10_000;

export function createAgenticRunner(options: AgenticRunnerOptions): AgenticRunner {
  // Egress restricts the browser to the allowed hosts, so it is needed even if no address is denied.
  const denyAddress = options.denyAddress ?? (() => undefined);
  const programs = createProgramPool({ ...options, denyAddress });
  return {
    async acquireSlot(_, signal) {
      try {
        const acquired = await programs.acquire(null, 'script', [], toAbortSignal(signal));
        return {
          run: (check, context, stop) => attempt(options, acquired, check, context, toAbortSignal(stop)),
          release: acquired.release,
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(error), release: async () => {} };
      }
    },
    close: programs.close,
  };
}

async function attempt(
  { model, driver, sandbox, denyAddress }: AgenticRunnerOptions,
  acquired: AcquiredProgram,
  check: AgenticCheck,
  context: RunContext,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { clock, files, secrets = [] } = context;
  const { cell, warm, wasWaiting } = acquired.warm;
  const { program, egress } = warm;
  if (egress === undefined) throw new Error('the browser of an agentic check has no network connection');
  if (denyAddress) assertClosedNetwork(context, egress, sandbox);
  const task = createTask(check, secrets);
  egress.restrict(task.hosts.allows);
  const detector = check.detectsSecrets ? createSecretDetector() : undefined;
  const mask = createScrubber(model.key === undefined ? secrets : [...secrets, model.key], detector?.mask);
  const channel = openDriverChannel();
  await cell.serve(SOCKET, channel.server);

  const totalMs = context.timeoutMs ?? MAX_RUN_MS;
  const reserveMs = Math.min(RESERVE_MS, Math.ceil(totalMs / 4));
  const conversationMs = totalMs - reserveMs;
  const job = createJob(await driver(), `${cell.folder}/${SOCKET}`, secrets, {
    timeoutMs: conversationMs + reserveMs / 3,
    artifactsMs: reserveMs / 2,
  });
  const programEnd = program.run(job, job.timeoutMs + job.artifactsMs, signal, files);
  programEnd.then(
    ({ report, ending }) => channel.close(`the browser has ended: ${report?.errors[0] ?? ending}`),
    () => channel.close(),
  );
  const timeout = new AbortController();
  const cancelTimer = clock.timer(conversationMs, () => timeout.abort());
  const beganAt = clock.monotonic();
  const requestedHosts = new Set<string>();
  let browsingSince: number | undefined;
  const browse = async (command: Command, browseSignal: AbortSignal): Promise<Reply> => {
    browsingSince = clock.monotonic();
    const reply = await channel.send(command, browseSignal);
    browsingSince = undefined;
    for (const host of reply.requestedHosts) requestedHosts.add(host);
    return reply;
  };
  const listBlocked = () => egress.blocked().filter((host) => requestedHosts.has(host));
  const transcript = createTranscript(() => clock.monotonic());
  const conclusion = await runConversation({
    task,
    askModel: createModelClient(model),
    mask,
    transcript,
    browse,
    listBlocked,
    signal: AbortSignal.any([signal, timeout.signal]),
  })
    .catch((error: unknown): ModelFailure | UnusablePage => {
      if (signal.aborted) throw error;
      if (error instanceof PageUnusable) return { unusable: error.message };
      const waitedMs = clock.monotonic() - (browsingSince ?? Number.POSITIVE_INFINITY);
      if (timeout.signal.aborted && waitedMs > SLOW_PAGE_MS)
        return { unusable: `the page did not respond within ${Math.round(waitedMs / 1000)} s` };
      if (timeout.signal.aborted)
        return { fault: `the model did not finish within ${conversationMs / 1000} s` };
      if (error instanceof ModelError || error instanceof BrowserEnded) return { fault: error.message };
      throw error;
    })
    .finally(cancelTimer);
  const durationMs = Math.round(clock.monotonic() - beganAt);
  // Results show the final page first. A failure costs only time.
  const screenshotSignal = AbortSignal.any([signal, AbortSignal.timeout(reserveMs / 4)]);
  await browse({ do: 'picture', name: 'end' }, screenshotSignal).catch(() => {});
  channel.close();
  const end = await programEnd;

  const { statements, steps } = transcript;
  const summary = {
    model: model.model,
    hosts: task.hosts.names,
    blocked: listBlocked(),
    ...conclusion,
  };
  const stored = await storeTranscript(mask({ ...summary, prompt: check.prompt }), transcript, files);
  const artifactsLost = formatLostFiles(...end.lost, ...stored.lost);
  const details = {
    ...summary,
    assertions: statements,
    steps,
    usage: transcript.usage(),
    durationMs,
    browser: `Chromium ${program.browser}`,
    isolation: { level: sandbox.level, chromiumSandbox: program.sandboxed, keptReady: wasWaiting },
    console: end.console,
    dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 },
    ...(artifactsLost === undefined ? {} : { artifactsLost }),
    ...(detector ? { detectedSecrets: detector.detected() } : {}),
  };
  const {
    errors,
    details: shown,
    ...outcome
  } = toRunOutcome(
    { conclusion, statements, durationMs, details, denied: egress.denied(), exceeded: cell.exceeded() },
    check,
  );
  return {
    ...outcome,
    ...mask({ errors, details: shown }),
    artifacts: [...end.artifacts, ...stored.artifacts],
  };
}

function createJob(
  driver: string,
  socket: string,
  secrets: readonly string[],
  times: Pick<BrowserJob, 'timeoutMs' | 'artifactsMs'>,
): BrowserJob {
  return {
    kind: 'script',
    entry: 'check.cjs',
    baseUrl: null,
    secrets,
    ...times,
    files: [
      { path: 'check.cjs', content: renderStartScript(socket) },
      { path: 'driver.cjs', content: driver },
    ],
    environment: {},
  };
}

/** Renders the script that starts the driver. HTTP_PROXY is set if the cell has an egress proxy. */
const renderStartScript = (
  socket: string,
): string => `require('./driver.cjs').drive(require('playwright-core'), {
  socket: ${JSON.stringify(socket)}, proxy: process.env.HTTP_PROXY, screenshotFolder: process.cwd(),
});`;
