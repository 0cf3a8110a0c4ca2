/** Starts sessions: reads checks with their groups, plans, and writes plans and first attempts in one transaction. */

import type { CheckGroupRecord } from '../../store/check-groups.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { NewRun } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { Snippet } from './api-checks.ts';
import { inTurns } from './batches.ts';
import type { StartSessions, Target } from './interface.ts';
import {
  type Limits,
  type Plan,
  type Plannable,
  type PlannedSession,
  type Planning,
  planSession,
} from './plan.ts';
import { type RetryStrategyWritten, retryPlanOf } from './retries.ts';
import {
  isRetried,
  isRun,
  merged,
  PUBLIC_POOL,
  type Settings,
  seesVariables,
  settingsOf,
  type Variable,
} from './settings.ts';
import { isMeant } from './target.ts';

/** What every planning needs of the engine. */
export interface Surroundings {
  readonly now: number;
  readonly offered: readonly string[];
  readonly limits: Limits;
  readonly uuid: () => string;
  /** The worker here waits for work: it has the first attempts from their beginning, without claiming them. */
  readonly handing?: Handing | undefined;
}

/** A worker that takes attempts in the transaction that makes them. */
export interface Handing {
  readonly worker: string;
  /** How many it takes at most. */
  readonly capacity: number;
  /** Until when its claim lasts, in ms since the epoch. */
  readonly leaseUntil: number;
  /** Told what it gets, before the commit; each time where the transaction is run again. */
  hold(taken: readonly Taken[]): void;
  /** How many it holds. */
  holding(): number;
}

/** An attempt that a worker has had from its beginning. */
export interface Taken {
  readonly id: number;
  readonly run: NewRun;
  readonly session: SessionRecord;
  readonly plan: Plan;
}

/** A check with the settings that hold for it. */
export interface Subject {
  readonly check: CheckRecord;
  readonly settings: Settings;
  readonly group: CheckGroupRecord | undefined;
}

/** What a session is begun of, with the settings that hold for it; of what is stored nowhere the id is null. */
export interface Startable<CheckId extends string | null = string | null> {
  readonly check: Plannable<CheckId>;
  readonly settings: Settings;
}

/** `now`: when it starts, where that is not at once. */
type More = Omit<Planning, keyof Surroundings | 'check' | 'settings' | 'turn'> & { readonly now?: number };

const ROWS_AT_ONCE = 500;

/** Sessions of the activated checks that the target means. */
export async function startTargeted(
  data: EngineData,
  surroundings: Surroundings,
  { accountId, target, runSource }: StartSessions,
): Promise<PlannedSession<string>[]> {
  return beginInTurns(data, surroundings, await meant(data, accountId, target), { runSource });
}

/** Sessions of a group's activated checks. */
export async function startGroup(
  data: EngineData,
  surroundings: Surroundings,
  { accountId, groupId, runSource }: { accountId: string; groupId: number; runSource: More['runSource'] },
): Promise<PlannedSession<string>[]> {
  const subjects = await subjectsOf(data, await data.checks.byGroup(accountId, groupId));
  const runnable = subjects.filter(({ check, settings }) => settings.activated && isRun(check));
  return beginInTurns(data, surroundings, runnable, { runSource });
}

/** Starts checks together: those of a group in turns. */
function beginInTurns(
  data: EngineData,
  surroundings: Surroundings,
  subjects: readonly Subject[],
  asked: More,
): Promise<PlannedSession<string>[]> {
  const turns = inTurns(subjects, surroundings.uuid);
  const ordered = turns.map(({ subject }) => subject);
  return begin(data, surroundings, ordered, (place) => ({ ...asked, ...turns[place]?.batch }));
}

/** What a test session asks of every check in it. */
export interface Testing {
  readonly accountId: string;
  readonly testSessionId: string;
  readonly runSource: More['runSource'];
  readonly target?: Target | undefined;
  readonly runLocation: string;
  readonly environmentVariables?: readonly Variable[] | null | undefined;
  /** Left out: as each check says; null: no retries. */
  readonly retryStrategy?: RetryStrategyWritten | null | undefined;
}

/** The checks that a test session means. */
export function testSubjects(data: EngineData, { accountId, target }: Testing): Promise<Subject[]> {
  return meant(data, accountId, target);
}

/** The sessions of a test session, one a check, all in its one location. */
export function startTests(
  data: EngineData,
  surroundings: Surroundings,
  subjects: readonly Subject[],
  testing: Testing,
): Promise<PlannedSession[]> {
  const { retryStrategy, environmentVariables, testSessionId, runLocation, runSource } = testing;
  const tested = subjects.map(({ check, group, settings }) => ({
    check,
    group,
    settings: {
      ...settings,
      environmentVariables: merged(settings.environmentVariables, environmentVariables),
      ...(retryStrategy === undefined || !isRetried(check)
        ? {}
        : { retry: retryStrategy === null ? null : retryPlanOf(retryStrategy) }),
    },
  }));
  return beginInTurns(data, surroundings, tested, { runSource, testSessionId, runLocation });
}

/** Plans a session of each subject and writes it. `more` says what is special about the nth. */
export async function begin<CheckId extends string | null>(
  data: EngineData,
  { now, offered, limits, uuid, handing }: Surroundings,
  subjects: readonly Startable<CheckId>[],
  more: (place: number) => More,
): Promise<PlannedSession<CheckId>[]> {
  const accounts = await accountsOf(data, subjects);
  const snippets = await snippetsFor(data, subjects);
  const special = subjects.map((_, place) => more(place));
  const inTurn = subjects.filter(
    ({ settings }, place) =>
      special[place]?.runLocation === undefined && !settings.runParallel && settings.locations.length > 1,
  );
  const turns = await data.schedule.advanceLocations(inTurn.flatMap(({ check }) => check.id ?? []));
  const planned = subjects.map(({ check, settings }, place) => {
    const turn = turns.get(check.id ?? '') ?? 0;
    const asked = special[place] ?? more(place);
    const account = seesVariables(check) ? accounts.get(check.accountId) : undefined;
    const around = { now, offered, limits, uuid };
    return planSession({
      check,
      settings,
      accountVariables: account?.variables,
      detectsSecrets: account?.detectsSecrets,
      snippetOf: snippets(check),
      turn,
      ...around,
      ...asked,
    });
  });
  for (let from = 0; from < planned.length; from += ROWS_AT_ONCE) {
    const part = planned.slice(from, from + ROWS_AT_ONCE);
    await data.sessions.insert(part.map(({ session }) => session));
  }
  const attempts = planned.flatMap(({ session, plan, runs }) => runs.map((run) => ({ run, session, plan })));
  const taken = await handOver(data, attempts, now, handing);
  const runs = attempts.filter((attempt) => !taken.has(attempt)).map(({ run }) => run);
  for (let from = 0; from < runs.length; from += ROWS_AT_ONCE) {
    await data.runs.insert(runs.slice(from, from + ROWS_AT_ONCE));
  }
  return planned;
}

/** Writes as many of the first attempts as the worker takes, as if it had claimed them; answers which. */
async function handOver(
  data: EngineData,
  attempts: readonly Omit<Taken, 'id'>[],
  now: number,
  handing: Handing | undefined,
): Promise<ReadonlySet<Omit<Taken, 'id'>>> {
  if (handing === undefined) return new Set();
  const { worker, capacity, leaseUntil } = handing;
  const taken = attempts
    .filter(({ run }) => run.state === 'QUEUED' && run.pool === PUBLIC_POOL)
    .slice(0, Math.min(capacity, ROWS_AT_ONCE));
  const held = { state: 'RUNNING', claimed_by: worker, claimed_at: now, lease_until: leaseUntil } as const;
  const ids = await data.runs.insertNumbered(taken.map(({ run }) => ({ ...run, ...held })));
  handing.hold(taken.map((attempt, place) => ({ ...attempt, id: ids[place] ?? 0 })));
  return new Set(taken);
}

interface AccountOfScripts {
  readonly variables: readonly Variable[];
  readonly detectsSecrets: boolean;
}

/** What the accounts whose scripts are about to run say of them: of no other check anything is read. */
async function accountsOf(
  data: EngineData,
  subjects: readonly Startable[],
): Promise<ReadonlyMap<string, AccountOfScripts>> {
  const scripted = subjects.filter(({ check }) => seesVariables(check));
  const found = new Map<string, AccountOfScripts>();
  for (const accountId of new Set(scripted.map(({ check }) => check.accountId))) {
    const variables = (await data.variables.list(accountId)).map(({ body }) => body);
    const account = await data.accounts.get(accountId);
    found.set(accountId, { variables, detectsSecrets: account?.detectsSecrets === true });
  }
  return found;
}

/** The snippets that API checks are about to run, by account and id. */
async function snippetsFor(data: EngineData, subjects: readonly Startable[]) {
  const wanted = new Map<string, Set<number>>();
  for (const { check, settings } of subjects) {
    for (const source of [...settings.setup, ...settings.tearDown]) {
      if (!('snippetId' in source)) continue;
      const ids = wanted.get(check.accountId) ?? new Set();
      wanted.set(check.accountId, ids.add(source.snippetId));
    }
  }
  const found = new Map<string, Snippet>();
  for (const [accountId, ids] of wanted) {
    for (const { id, body } of await data.snippets.byIds(accountId, [...ids])) {
      found.set(`${accountId} ${id}`, body);
    }
  }
  return (check: Pick<CheckRecord, 'accountId'>) => (id: number) => found.get(`${check.accountId} ${id}`);
}

/** Checks with their groups' settings. */
export async function subjectsOf(data: EngineData, checks: readonly CheckRecord[]): Promise<Subject[]> {
  const groups = new Map<number, CheckGroupRecord>();
  for (const accountId of new Set(checks.map((check) => check.accountId))) {
    const ids = checks.flatMap(({ groupId, accountId: owner }) =>
      groupId !== null && owner === accountId ? [groupId] : [],
    );
    for (const group of await data.checkGroups.byIds(accountId, [...new Set(ids)]))
      groups.set(group.id, group);
  }
  return checks.map((check) => {
    const group = check.groupId === null ? undefined : groups.get(check.groupId);
    return { check, group, settings: settingsOf(check, group) };
  });
}

async function meant(data: EngineData, accountId: string, target: Target | undefined): Promise<Subject[]> {
  const checks = await (target?.checkId !== undefined
    ? data.checks.byIds(accountId, target.checkId)
    : target?.matchTags !== undefined
      ? data.checks.tagged(accountId, target.matchTags)
      : data.checks.list(accountId));
  const oldestFirst = [...checks].sort((one, other) => one.createdAt - other.createdAt);
  const subjects = await subjectsOf(data, oldestFirst);
  return subjects.filter(
    ({ check, settings }) =>
      isRun(check) &&
      (settings.activated || target?.allowDeactivated === true) &&
      isMeant({ id: check.id, tags: settings.tags }, target),
  );
}
