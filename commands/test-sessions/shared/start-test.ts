/** Starts and cancels test sessions. */

import {
  ApiError,
  isMissingResource,
  NetworkError,
  PartialFailureError,
  type Problem,
} from '../../../src/base/errors.ts';
import { type Outcome, runForAll, valuesOf } from '../../../src/cli/bulk/run-for-all.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import type { CallOptions, Client } from '../../../src/client/index.ts';
import { checkTypeLabel, isRunnable } from '../../../src/contract/check-type-facts.ts';
import {
  type BodyOf,
  cancelTestSession,
  getCheck,
  getCheckGroup,
  triggerTestSessions,
} from '../../../src/contract/index.ts';
import { findProblem } from '../../../src/gate/index.ts';
import type { TestSession } from './test-session.ts';

/** Time for the cancellation after a signal, in ms. */
const CANCEL_TIMEOUT_MS = 3_000;

/** Starts a session. Errors say whether a session may have started. */
export async function startTestSession(
  { client, terminal, signal }: Deps,
  body: BodyOf<typeof triggerTestSessions>,
  call: CallOptions,
): Promise<TestSession> {
  const api = await client();
  signal.throwIfAborted();
  try {
    const { body: session, text } = await api.call(triggerTestSessions, { body }, call);
    if (typeof session?.testSessionId !== 'string')
      throw new NetworkError('the response contains no test session; it may have started', {
        endpoint: `${triggerTestSessions.method} ${triggerTestSessions.path}`,
      });
    const problem = findProblem(text);
    if (problem !== undefined)
      throw new NetworkError(`the response ${problem}; a session may have started`, {
        endpoint: `${triggerTestSessions.method} ${triggerTestSessions.path}`,
      });
    await terminal.note(`Started test session ${session.name} (${session.testSessionId}).`);
    return session;
  } catch (error) {
    if (signal.aborted) {
      await terminal.warn(
        'a test session may have started; to list test sessions, run: sonde api GET /v1/test-sessions',
      );
    }
    if (!(error instanceof NetworkError) || !error.mayHaveActed) throw error;
    throw new NetworkError(error.message, error, {
      hint: `a test session may have started\n${error.hint ?? ''}`.trim(),
      cause: error,
    });
  }
}

/** Cancels a session while the process ends. Returns whether the service confirmed it. */
export async function cancelTestOnExit(
  { client, clock }: Pick<Deps, 'client' | 'clock'>,
  testSessionId: string,
): Promise<boolean> {
  const over = new AbortController();
  clock.sleep(CANCEL_TIMEOUT_MS, over.signal).then(
    () => over.abort(),
    () => {},
  );
  try {
    const call = { signal: over.signal, retry: false };
    await (await client()).call(cancelTestSession, { params: { testSessionId } }, call);
    return true;
  } catch {
    return false;
  } finally {
    over.abort();
  }
}

/** Statuses of a service that denies access or does not have the endpoint. */
const UNREADABLE_STATUSES = [403, 404, 405, 501];

/** The exit code for checks that cannot run. */
const NOT_FOUND = 5;

/** The relevant fields of a check or group, unvalidated. */
interface RunnableFields {
  readonly activated?: unknown;
  readonly checkType?: unknown;
  readonly groupId?: unknown;
}

/** Throws PartialFailureError with each check that cannot run, and the reason. Warns if the service does not let sonde read it. */
export async function assertRunnable(
  { client, terminal, signal }: Pick<Deps, 'client' | 'terminal' | 'signal'>,
  ids: readonly string[],
  allowDeactivated: boolean,
): Promise<void> {
  const api = await client();
  const checks = await fetchEach(ids, signal, async (id) => fetchCheck(api, id, signal));
  // With --allow-deactivated, the state of groups does not matter.
  const groupIds = allowDeactivated
    ? []
    : valuesOf(checks).flatMap(({ groupId }) => (typeof groupId === 'number' ? groupId : []));
  const groups = await fetchEach(groupIds, signal, async (id): Promise<RunnableFields> => {
    return (await api.call(getCheckGroup, { params: { id } }, { signal })).body;
  });
  const isOff = new Map(
    groups.map((group) => [group.id, 'value' in group && group.value.activated === false]),
  );

  const isUnread = (check: Outcome<RunnableFields>) => 'error' in check;
  // If no check can be read, the endpoint may be missing: the service validates the IDs at the start.
  const readable = checks.every(isUnread) ? [] : checks;
  const problems = readable.flatMap((check): readonly Problem[] => {
    const place = String(check.id);
    if ('error' in check) return isMissing(check) ? [{ place, message: 'not found' }] : [];
    const { checkType } = check.value;
    if (!isRunnable({ type: checkType }))
      return [{ place, message: `is a ${checkTypeLabel(String(checkType))}, which cannot be run` }];
    if (check.value.activated === false && !allowDeactivated) return [{ place, message: 'is deactivated' }];
    const { groupId } = check.value;
    return typeof groupId === 'number' && isOff.get(groupId)
      ? [{ place, message: `is in group ${groupId}, which is deactivated` }]
      : [];
  });
  if (problems.length > 0) {
    const isSwitchedOff = problems.some(({ message }) => message.endsWith('deactivated'));
    throw new PartialFailureError(
      `nothing was started: ${problems.length} of ${checks.length} checks cannot run`,
      NOT_FOUND,
      {
        details: problems,
        hint: isSwitchedOff ? 'to run deactivated checks as well, pass --allow-deactivated' : undefined,
      },
    );
  }
  const unread =
    checks.filter((check) => isUnread(check)).length + groups.filter((each) => 'error' in each).length;
  if (unread > 0) {
    await terminal.warn(
      'sonde cannot read all of these checks; the service skips unknown and deactivated checks without an error',
    );
  }
}

async function fetchCheck(api: Client, id: string, signal: AbortSignal): Promise<RunnableFields> {
  return (await api.call(getCheck, { params: { id } }, { signal })).body;
}

const isMissing = (outcome: Outcome<unknown>): boolean =>
  'error' in outcome && isMissingResource(outcome.error);

/** Fetches each, a few at a time. Throws errors other than UNREADABLE_STATUSES. */
async function fetchEach<I extends string | number>(
  ids: readonly I[],
  signal: AbortSignal,
  work: (id: I) => Promise<RunnableFields>,
): Promise<readonly Outcome<RunnableFields>[]> {
  const outcomes = await runForAll({
    inputs: ids,
    idOf: (id) => id,
    work,
    onSuccess: async () => {},
    signal,
  });
  for (const outcome of outcomes) {
    if (!('error' in outcome)) continue;
    const { error } = outcome;
    if (!(error instanceof ApiError) || !UNREADABLE_STATUSES.includes(error.status)) throw error;
  }
  return outcomes;
}
