/** Runs an API check: its setup, one request with all that it holds, its teardown, and what must hold of the answer. */
import { signalOf } from '../base/stop.ts';
import { describeIsolation } from '../sandbox/describe-isolation.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { changedRequest, changedResponse, shownRequest, shownResponse } from './api/globals.ts';
import { type PhaseEnd, type PhaseName, runPhase } from './api/phase.ts';
import { requestOf } from './api/request.ts';
import { type ApiResponse, decodedResponse, sentAnswer } from './api/response.ts';
import type { ApiCheck } from './api/types.ts';
import { UnknownVariable } from './api/variables.ts';
import { type ApiEvidence, apiVerdict } from './api/verdict.ts';
import type { AcquiredProgram, ProgramPool } from './browser/program-pool.ts';
import { withCapture } from './http/failure-diagnosis.ts';
import { follow, sentRequest } from './http/follow.ts';
import { headOf } from './http/report.ts';
import type { Exchanged, HttpRequest } from './http/types.ts';
import { type Patience, patienceOf } from './network/deadline.ts';
import { CannotRun, type QueuedRunner, type RunContext, type RunOutcome, type RunSlot } from './types.ts';
import { expectationsOf } from './verdict.ts';

/** What runs the scripts of API checks. */
export interface ApiScripts {
  readonly programs: ProgramPool;
  readonly sandbox: Sandbox;
}

/** The longest that the whole takes, in ms (docs/gaps.md). */
const WAIT_MS = 30_000;

/** `scripts`: left out, checks with a setup or a teardown are refused. */
export function createApiRunner(scripts?: ApiScripts): QueuedRunner<ApiCheck> {
  return {
    async acquireSlot(check, signal): Promise<RunSlot<ApiCheck>> {
      const hasScripts = partsOf(check, 'setup').length + partsOf(check, 'teardown').length > 0;
      if (!hasScripts || check.problem !== undefined)
        return {
          run: (given, context, stop) => attempt(given, undefined, context, signalOf(stop)),
          release: NOTHING,
        };
      if (scripts === undefined)
        return { run: () => Promise.reject(new CannotRun(NO_SCRIPTS)), release: NOTHING };
      try {
        const places = placesOf(check, scripts, await taken(check, scripts, signalOf(signal)));
        return {
          run: (given, context, stop) => attempt(given, places, context, signalOf(stop)),
          release: places.leave,
        };
      } catch (error) {
        if (signal.aborted) throw error;
        return { run: () => Promise.reject(error), release: NOTHING };
      }
    },
  };
}

const NOTHING = async () => {};
const partsOf = (check: ApiCheck, phase: PhaseName) => check[phase] ?? [];
const taken = (check: ApiCheck, { programs }: ApiScripts, signal: AbortSignal) =>
  programs.acquire(check.runtimeId, 'script', signal);

/** The programs of one attempt: never two at once, since of two attempts each could wait for what the other holds. */
interface Places {
  readonly sandbox: Sandbox;
  /** Begins to take the next one, beside what is done meanwhile. */
  prepare(signal: AbortSignal): void;
  next(): Promise<AcquiredProgram | undefined>;
  leave(): Promise<void>;
}

function placesOf(check: ApiCheck, scripts: ApiScripts, first: AcquiredProgram): Places {
  let held: Promise<AcquiredProgram> | undefined = Promise.resolve(first);
  async function leave(): Promise<void> {
    const leaving = held;
    held = undefined;
    await leaving?.then(
      (program) => program.release(),
      () => {},
    );
  }
  return {
    ...{ sandbox: scripts.sandbox, leave },
    prepare(signal) {
      held ??= taken(check, scripts, signal);
      // It is looked at when it is needed.
      held.catch(() => {});
    },
    next: async () => held,
  };
}

const NO_SCRIPTS = 'scripts are disabled, and this check has setup or teardown scripts: it was not run';

type Fields = Readonly<Record<string, unknown>>;

/** What is learnt on the way. */
interface Course {
  readonly variables: Map<string, string>;
  readonly secrets: string[];
  readonly phases: PhaseEnd[];
  readonly unusable: string[];
  request?: HttpRequest;
  exchanged?: Exchanged;
  response?: ApiResponse;
}

async function attempt(
  check: ApiCheck,
  places: Places | undefined,
  context: RunContext,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (check.problem !== undefined) throw new CannotRun(check.problem);
  const startedAt = context.clock.monotonic();
  const patience = patienceOf(context, signal, WAIT_MS);
  const { password } = check.request.basicAuth ?? {};
  const course: Course = {
    variables: new Map((check.environmentVariables ?? []).map(({ key, value }) => [key, value])),
    secrets: [...(context.secrets ?? []), ...(password ? [password] : [])],
    ...{ phases: [], unusable: [] },
  };
  const phase = async (name: PhaseName, globals: Fields) => {
    const scripts = partsOf(check, name);
    const program = scripts.length === 0 ? undefined : await places?.next();
    if (program === undefined || places === undefined) return undefined;
    const { variables, secrets } = course;
    const given = { phase: name, scripts, check, variables, globals, secrets };
    const { end, handed } = await runPhase(program, given, places.sandbox, context, patience);
    await places.leave();
    course.phases.push(end);
    course.unusable.push(...end.errors);
    for (const [key, value] of Object.entries(handed?.variables ?? {})) {
      variables.set(key, value);
      if (key.startsWith('SONDE_SECRET_')) secrets.push(value);
    }
    return handed?.globals;
  };

  const left = await phase('setup', { request: shownRequest(check.request) });
  const asked = left === undefined ? check.request : changedRequest(check.request, left.request);
  if (partsOf(check, 'teardown').length > 0) places?.prepare(signal);
  let cannot: CannotRun | undefined;
  try {
    if (course.unusable.length === 0) await send(asked, course, context, patience);
    const { answer, fault } = course.exchanged ?? {};
    // A teardown script sees the response as text.
    if (answer !== undefined && fault === undefined && partsOf(check, 'teardown').length > 0)
      course.response = await context.judge(decodedResponse, sentAnswer(answer), signal);
  } catch (error) {
    // What the setup has made is put away also where the request cannot be sent from here.
    if (!(error instanceof CannotRun)) throw error;
    cannot = error;
  }
  await tearDown(phase, course, asked);
  if (cannot !== undefined) throw cannot;
  const judged = await context.judge(apiVerdict, evidenceOf(check, course, asked), signal);
  const isolation = places && describeIsolation(places.sandbox.describe());
  const outcome = isolation ? { ...judged, details: { ...judged.details, isolation } } : judged;
  return withCapture(outcome, course.exchanged, context, signal, startedAt);
}

async function send(
  asked: ApiCheck['request'],
  course: Course,
  context: RunContext,
  patience: Patience,
): Promise<void> {
  try {
    course.request = requestOf(asked, course.variables);
  } catch (error) {
    if (!(error instanceof UnknownVariable)) throw error;
    course.unusable.push(error.message);
    return;
  }
  course.exchanged = await follow(course.request, context, patience);
}

/** It runs also where nothing was answered: what the setup has made is to be put away all the same. */
async function tearDown(
  phase: (
    name: PhaseName,
    globals: Readonly<Record<string, unknown>>,
  ) => Promise<Record<string, unknown> | undefined>,
  course: Course,
  asked: ApiCheck['request'],
): Promise<void> {
  const { response, exchanged } = course;
  const url = exchanged?.hops.at(-1)?.url ?? asked.url;
  const left = await phase('teardown', {
    request: shownRequest(asked),
    response: response === undefined ? null : shownResponse(response, url),
  });
  if (left !== undefined && response !== undefined)
    course.response = changedResponse(response, url, left.response);
}

function evidenceOf(check: ApiCheck, course: Course, asked: ApiCheck['request']): ApiEvidence {
  const { request, exchanged, response, phases, unusable, secrets } = course;
  const answer = exchanged?.answer;
  return {
    check: expectationsOf(check),
    assertions: asked.assertions ?? [],
    request: request && sentRequest(request),
    requestBody: request?.body?.toString('utf8'),
    exchanged: exchanged && { ...exchanged, answer: answer && headOf(answer) },
    // Its body was read already where a script has seen it.
    ...(response === undefined ? { body: answer?.body.toString('base64') } : { response }),
    ...{ phases, unusable, secrets },
  };
}
