/** Runs agentic checks: a model outside of the cell decides what a browser in a cell does. The model's key never enters the cell. */
import { signalOf } from '../base/stop.ts';
import { BrowserGone, openChannel } from './agentic/driver-channel.ts';
import { converse } from './agentic/conversation.ts';
import type { Surroundings } from './agentic/conversation-options.ts';
import { type Ask, asker, ModelError } from './agentic/model-client.ts';
import { type ModelSettings, NO_MODEL } from './agentic/model-settings.ts';
import { PageUnusable } from './agentic/page-actions.ts';
import { type Command, type Reply, SOCKET } from './agentic/protocol.ts';
import { type AgenticCheck, taskOf } from './agentic/task.ts';
import { createTranscript, keepTranscript } from './agentic/transcript.ts';
import { type Fault, outcomeOf, type Unusable } from './agentic/run-outcome.ts';
import { createPrograms, type ProgramsOptions, type TakenProgram } from './browser/programs.ts';
import type { BrowserJob } from './browser/protocol.ts';
import { refuseOpenNetwork } from './browser/acquire-cell.ts';
import { lostWords } from './files/format-lost-files.ts';
import { scrubber } from './scrub.ts';
import { secretDetector } from './secret-patterns.ts';
import { CannotRun, type RunContext, type RunnerInTurn, type RunOutcome } from './types.ts';

export type { AgenticCheck } from './agentic/task.ts';

/** Always throws CannotRun: the runner where no model is configured. */
export async function run(): Promise<RunOutcome> {
  throw new CannotRun(NO_MODEL);
}

export interface AgenticRunnerOptions extends ProgramsOptions {
  readonly model: ModelSettings;
  /** The program that drives the browser, as text. */
  readonly driver: () => Promise<string>;
}

export interface AgenticRunner extends RunnerInTurn<AgenticCheck> {
  close(): Promise<void>;
}

/** The longest that an agentic check runs (docs/gaps.md), in ms. */
const LONGEST_MS = 240_000;
/** What is left of that for pictures and the transcript once the conversation is over. */
const RESERVE_MS = 12_000;
/** A page that lets the deadline pass is the target's failure if the browser has waited for it so long, in ms. */
const SLOW_PAGE_MS = 10_000;
/** Without a rule of the service's own every address may be reached, on the hosts that the prompt names. */
const ANY_ADDRESS = () => undefined;

export function createAgenticRunner(options: AgenticRunnerOptions): AgenticRunner {
  const { denyAddress = ANY_ADDRESS } = options;
  // The way out is what keeps the browser to the allowed hosts, so there is always one.
  const programs = createPrograms({ ...options, denyAddress });
  const ask = asker(options.model);
  return {
    async enter(_, signal) {
      try {
        const taken = await programs.take(null, 'script', signalOf(signal));
        return {
          run: (check, context, stop) =>
            attempt({ check, context, taken, ask, signal: signalOf(stop) }, options),
          leave: taken.leave,
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(error), leave: async () => {} };
      }
    },
    close: programs.close,
  };
}

interface Attempt {
  readonly check: AgenticCheck;
  readonly context: RunContext;
  readonly taken: TakenProgram;
  readonly ask: Ask;
  readonly signal: AbortSignal;
}

async function attempt(
  { check, context, taken, ask, signal }: Attempt,
  { model, driver, sandbox, denyAddress }: AgenticRunnerOptions,
): Promise<RunOutcome> {
  const { clock, files, secrets = [] } = context;
  const { cell, warm, wasWaiting } = taken.warm;
  const { program, wayOut } = warm;
  if (wayOut === undefined) throw new Error('the browser of an agentic check has no network connection');
  if (denyAddress) refuseOpenNetwork(context, wayOut, sandbox);
  const task = taskOf(check, secrets);
  wayOut.restrict(task.hosts.allows);
  const detector = check.detectsSecrets ? secretDetector() : undefined;
  const mask = scrubber(model.key === undefined ? secrets : [...secrets, model.key], detector?.mask);
  const channel = openChannel();
  await cell.serve(SOCKET, channel.server);

  const wholeMs = context.timeoutMs ?? LONGEST_MS;
  const reserveMs = Math.min(RESERVE_MS, Math.ceil(wholeMs / 4));
  const talkMs = wholeMs - reserveMs;
  const job = jobOf(await driver(), `${cell.folder}/${SOCKET}`, secrets, {
    timeoutMs: talkMs + reserveMs / 3,
    evidenceMs: reserveMs / 2,
  });
  const driving = program.run(job, job.timeoutMs + job.evidenceMs, signal, files);
  driving.then(
    ({ report, ending }) => channel.close(`the browser has ended: ${report?.errors[0] ?? ending}`),
    () => channel.close(),
  );
  const late = new AbortController();
  const callOff = clock.timer(talkMs, () => late.abort());
  const beganAt = clock.monotonic();
  const asked = new Set<string>();
  /** When the command that the browser carries out now was given. */
  let browsingSince: number | undefined;
  const browse = async (command: Command, until: AbortSignal): Promise<Reply> => {
    browsingSince = clock.monotonic();
    const reply = await channel.ask(command, until);
    browsingSince = undefined;
    for (const host of reply.asked) asked.add(host);
    return reply;
  };
  const blocked = () => wayOut.blocked().filter((host) => asked.has(host));
  const transcript = createTranscript(() => clock.monotonic());
  const concluded = await converse({
    ...{ task, ask, mask, transcript, browse, blocked },
    signal: AbortSignal.any([signal, late.signal]),
  })
    .catch((error: unknown): Fault | Unusable => {
      if (signal.aborted) throw error;
      if (error instanceof PageUnusable) return { unusable: error.message };
      const waitedMs = clock.monotonic() - (browsingSince ?? Number.POSITIVE_INFINITY);
      if (late.signal.aborted && waitedMs > SLOW_PAGE_MS)
        return { unusable: `the page did not respond within ${Math.round(waitedMs / 1000)} s` };
      if (late.signal.aborted) return { fault: `the model did not finish within ${talkMs / 1000} s` };
      if (error instanceof ModelError || error instanceof BrowserGone) return { fault: error.message };
      throw error;
    })
    .finally(callOff);
  const durationMs = Math.round(clock.monotonic() - beganAt);
  await lastPicture(browse, AbortSignal.any([signal, AbortSignal.timeout(reserveMs / 4)]));
  channel.close();
  const end = await driving;

  const { statements, steps } = transcript;
  const told = { ...{ model: model.model, hosts: task.hosts.names, blocked: blocked() }, ...concluded };
  const kept = await keepTranscript(mask({ ...told, prompt: check.prompt }), transcript, files);
  const artifactsLost = lostWords(...end.lost, ...kept.lost);
  const details = {
    ...{ ...told, assertions: statements, steps, usage: transcript.usage(), durationMs },
    browser: `Chromium ${program.browser}`,
    isolation: { level: sandbox.level, chromiumSandbox: program.sandboxed, keptReady: wasWaiting },
    ...{ console: end.console, dropped: end.report?.dropped ?? { lines: 0, artifacts: 0 } },
    ...(artifactsLost === undefined ? {} : { artifactsLost }),
    ...(detector ? { detectedSecrets: detector.detected() } : {}),
  };
  const found = {
    ...{ concluded, statements, durationMs, details },
    denied: wayOut.denied(),
    exceeded: cell.exceeded(),
  };
  const { errors, details: shown, ...outcome } = outcomeOf(found, check);
  return {
    ...outcome,
    ...mask({ errors, details: shown }),
    artifacts: [...end.artifacts, ...kept.artifacts],
  };
}

/** What a person sees first: the page as the conversation left it. It costs nothing but time. */
async function lastPicture(browse: Surroundings['browse'], signal: AbortSignal): Promise<void> {
  await browse({ do: 'picture', name: 'end' }, signal).catch(() => {});
}

function jobOf(
  driver: string,
  socket: string,
  secrets: readonly string[],
  times: Pick<BrowserJob, 'timeoutMs' | 'evidenceMs'>,
): BrowserJob {
  return {
    ...{ kind: 'script', entry: 'check.cjs', baseUrl: null, secrets, ...times },
    files: [
      { path: 'check.cjs', content: startOf(socket) },
      { path: 'driver.cjs', content: driver },
    ],
    environment: {},
  };
}

/** Where a cell has a way out, HTTP_PROXY of its scripts is that. */
const startOf = (socket: string): string => `require('./driver.cjs').drive(require('playwright-core'), {
  socket: ${JSON.stringify(socket)}, proxy: process.env.HTTP_PROXY, pictures: process.cwd(),
});`;
