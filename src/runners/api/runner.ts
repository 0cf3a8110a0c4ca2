/** Runs an API check: setup scripts, one request, teardown scripts, and the evaluation of the answer. */
import { toAbortSignal } from '../../base/abort.ts';
import type { JsonObject } from '../../base/object.ts';
import { describeIsolation } from '../../sandbox/cell/sandbox.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { AcquiredProgram, ProgramPool } from '../browser/program-pool.ts';
import { toExpectations } from '../core/conclude.ts';
import {
  CannotRun,
  InvalidCheck,
  type QueuedRunner,
  type RunContext,
  type RunOutcome,
  type RunSlot,
} from '../core/runner.ts';
import { addCapture } from '../http/add-capture.ts';
import { toHead } from '../http/report.ts';
import { sendRequest, toSentRequest } from '../http/send-request.ts';
import type { HttpExchange, HttpRequest } from '../http/types.ts';
import { type Deadline, startDeadline } from '../network/deadline.ts';
import { buildRequest } from './build-request.ts';
import { type ApiEvidence, apiEvaluation } from './evaluation.ts';
import { type ApiResponse, encodeAnswer, readsBody, responseDecoding } from './response.ts';
import { type PhaseName, type PhaseResult, runPhase } from './run-phase.ts';
import {
  applyScriptRequest,
  applyScriptResponse,
  toScriptRequest,
  toScriptResponse,
} from './script-globals.ts';
import type { ApiCheck } from './types.ts';
import { UnknownVariable } from './variables.ts';

/** The dependencies of scripts. */
export interface ApiScripts {
  readonly programs: ProgramPool;
  readonly sandbox: Sandbox;
}

/** Time limit of setup, request and teardown together, in ms (docs/gaps.md). */
const TIMEOUT_MS = 30_000;

/** Creates the runner. Without `scripts` it refuses checks with setup or teardown scripts. */
export function createApiRunner(scripts?: ApiScripts): QueuedRunner<ApiCheck> {
  return {
    async acquireSlot(check, signal): Promise<RunSlot<ApiCheck>> {
      const hasScripts = scriptsOf(check, 'setup').length + scriptsOf(check, 'teardown').length > 0;
      if (!hasScripts || check.problem !== undefined)
        return {
          run: (check, context, signal) => attempt(check, undefined, context, toAbortSignal(signal)),
          release: noop,
        };
      if (scripts === undefined)
        return { run: () => Promise.reject(new CannotRun(NO_SCRIPTS)), release: noop };
      try {
        const programs = createAttemptPrograms(
          check,
          scripts,
          await takeProgram(check, scripts, toAbortSignal(signal)),
        );
        return {
          run: (check, context, signal) => attempt(check, programs, context, toAbortSignal(signal)),
          release: programs.leave,
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(error), release: noop };
      }
    },
  };
}

const noop = async () => {};
const scriptsOf = (check: ApiCheck, phase: PhaseName) => check[phase] ?? [];
const takeProgram = (check: ApiCheck, { programs }: ApiScripts, signal: AbortSignal) =>
  programs.acquire(
    check.runtimeId,
    'script',
    [...scriptsOf(check, 'setup'), ...scriptsOf(check, 'teardown')].map(({ script }) => script),
    signal,
  );

/** The script programs of one attempt. An attempt holds only one at a time, so that two attempts cannot deadlock. */
interface AttemptPrograms {
  readonly sandbox: Sandbox;
  /** Starts to take the next program in the background. */
  prepare(signal: AbortSignal): void;
  next(): Promise<AcquiredProgram | undefined>;
  leave(): Promise<void>;
}

function createAttemptPrograms(
  check: ApiCheck,
  scripts: ApiScripts,
  first: AcquiredProgram,
): AttemptPrograms {
  let taken: Promise<AcquiredProgram> | undefined = Promise.resolve(first);
  async function leave(): Promise<void> {
    const current = taken;
    taken = undefined;
    await current?.then(
      (program) => program.release(),
      () => {},
    );
  }
  return {
    sandbox: scripts.sandbox,
    leave,
    prepare(signal) {
      taken ??= takeProgram(check, scripts, signal);
      // `next` reports the error.
      taken.catch(() => {});
    },
    next: async () => taken,
  };
}

const NO_SCRIPTS = 'scripts are disabled, and this check has setup or teardown scripts: it was not run';

/** The state of one attempt. */
interface RunState {
  readonly variables: Map<string, string>;
  readonly secrets: string[];
  readonly phases: PhaseResult[];
  readonly unusable: string[];
  request?: HttpRequest;
  exchanged?: HttpExchange;
  response?: ApiResponse;
}

async function attempt(
  check: ApiCheck,
  programs: AttemptPrograms | undefined,
  context: RunContext,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (check.problem !== undefined) throw new CannotRun(check.problem);
  const startedAt = context.clock.monotonic();
  const deadline = startDeadline(context, signal, TIMEOUT_MS);
  const { password } = check.request.basicAuth ?? {};
  const state: RunState = {
    variables: new Map((check.environmentVariables ?? []).map(({ key, value }) => [key, value])),
    secrets: [...(context.secrets ?? []), ...(password ? [password] : [])],
    phases: [],
    unusable: [],
  };
  const phase = async (name: PhaseName, globals: JsonObject) => {
    const scripts = scriptsOf(check, name);
    const program = scripts.length === 0 ? undefined : await programs?.next();
    if (program === undefined || programs === undefined) return undefined;
    const { variables, secrets } = state;
    const input = { phase: name, scripts, check, variables, globals, secrets };
    const { result, handed } = await runPhase(program, input, programs.sandbox, context, deadline);
    await programs.leave();
    state.phases.push(result);
    state.unusable.push(...result.errors);
    for (const [key, value] of Object.entries(handed?.variables ?? {})) {
      variables.set(key, value);
      if (key.startsWith('SONDE_SECRET_')) secrets.push(value);
    }
    return handed?.globals;
  };

  const modified = await phase('setup', { request: toScriptRequest(check.request) });
  const request =
    modified === undefined ? check.request : applyScriptRequest(check.request, modified.request);
  if (scriptsOf(check, 'teardown').length > 0) programs?.prepare(signal);
  let cannotRun: CannotRun | undefined;
  try {
    if (state.unusable.length === 0) await send(check, request, state, context, deadline);
    const { answer, fault } = state.exchanged ?? {};
    // A teardown script sees the response as text.
    if (answer !== undefined && fault === undefined && scriptsOf(check, 'teardown').length > 0)
      state.response = await context.evaluate(responseDecoding, encodeAnswer(answer), signal);
  } catch (error) {
    // The teardown removes the resources of the setup, even if the request cannot be sent.
    if (!(error instanceof CannotRun)) throw error;
    cannotRun = error;
  }
  await runTeardown(phase, state, request);
  if (cannotRun !== undefined) throw cannotRun;
  const evaluated = await context.evaluate(apiEvaluation, buildEvidence(check, state, request), signal);
  const isolation = programs && describeIsolation(programs.sandbox.describe());
  const outcome = isolation ? { ...evaluated, details: { ...evaluated.details, isolation } } : evaluated;
  return addCapture(outcome, state.exchanged, context, signal, startedAt);
}

async function send(
  check: ApiCheck,
  request: ApiCheck['request'],
  state: RunState,
  context: RunContext,
  deadline: Deadline,
): Promise<void> {
  try {
    const isRead = readsBody(request) || scriptsOf(check, 'teardown').length > 0;
    state.request = { ...buildRequest(request, state.variables), needsBody: isRead };
  } catch (error) {
    if (!(error instanceof UnknownVariable || error instanceof InvalidCheck)) throw error;
    state.unusable.push(error.message);
    return;
  }
  state.exchanged = await sendRequest(state.request, { ...context, secrets: state.secrets }, deadline);
}

/** Runs also without an answer, because it removes the resources of the setup. */
async function runTeardown(
  phase: (name: PhaseName, globals: JsonObject) => Promise<Record<string, unknown> | undefined>,
  state: RunState,
  request: ApiCheck['request'],
): Promise<void> {
  const { response, exchanged } = state;
  const url = exchanged?.hops.at(-1)?.url ?? request.url;
  const modified = await phase('teardown', {
    request: toScriptRequest(request),
    response: response === undefined ? null : toScriptResponse(response, url),
  });
  if (modified !== undefined && response !== undefined)
    state.response = applyScriptResponse(response, url, modified.response);
}

function buildEvidence(check: ApiCheck, state: RunState, request: ApiCheck['request']): ApiEvidence {
  const { request: sent, exchanged, response, phases, unusable, secrets } = state;
  const answer = exchanged?.answer;
  return {
    check: toExpectations(check),
    assertions: request.assertions ?? [],
    request: sent && toSentRequest(sent),
    requestBody: sent?.body?.toString('utf8'),
    exchanged: exchanged && { ...exchanged, answer: answer && toHead(answer) },
    // A script has read the body already.
    ...(response === undefined ? { answer: answer && encodeAnswer(answer) } : { response }),
    phases,
    unusable,
    secrets,
  };
}
