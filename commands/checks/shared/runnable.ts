/** Looks at checks before they are run as a test: one that would be left out without a word must not be missed. */
import { ApiError, PartialFailureError, type Problem } from '../../../src/base/errors.ts';
import { type Outcome, runForAll, valuesOf } from '../../../src/cli/bulk/run-for-all.ts';
import type { Deps } from '../../../src/cli/framework/types.ts';
import type { Client } from '../../../src/client/index.ts';
import { getCheck, getCheckGroup } from '../../../src/contract/index.ts';

/** Statuses of a service that doesn't let this be read, or of a route that it hasn't. */
const UNREADABLE_STATUSES = [403, 404, 405, 501];

/** Named checks that would not run count as not there. */
const NOT_FOUND = 5;

/** What is looked at of a check and of a group, whatever else they have. */
interface RunnableFields {
  readonly activated?: unknown;
  readonly checkType?: unknown;
  readonly groupId?: unknown;
}

/**
 * Throws PartialFailureError, naming each check that would not run and why, before anything is started; warns where the
 * service doesn't let it be seen.
 */
export async function assertRunnable(
  { client, terminal, signal }: Pick<Deps, 'client' | 'terminal' | 'signal'>,
  ids: readonly string[],
  allowDeactivated: boolean,
): Promise<void> {
  const api = await client();
  const checks = await fetchEach(ids, signal, async (id) => fetchCheck(api, id, signal));
  // Who runs what is switched off needn't know of groups.
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
  // Nothing was found: the checks may be unknown, or reading them. The service judges them when they are to start.
  const judged = checks.every(isUnread) ? [] : checks;
  const problems = judged.flatMap((check): readonly Problem[] => {
    const place = String(check.id);
    if ('error' in check) return isMissing(check) ? [{ place, message: 'not found' }] : [];
    if (check.value.checkType === 'HEARTBEAT')
      return [{ place, message: 'is a heartbeat check, which cannot be run' }];
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
  'error' in outcome && outcome.error instanceof ApiError && outcome.error.status === 404;

/** Looks at each, a few at once. Throws what is no answer to the question: faults, a key that is not accepted. */
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
