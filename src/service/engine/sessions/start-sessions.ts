/** Starts sessions: plans them, and writes their rows and first attempts in one transaction. */

import { UsageError } from '../../../base/errors.ts';
import { groupBy } from '../../../base/object.ts';
import { hasRetries, isRunnable, usesVariables } from '../../../contract/check-type-facts.ts';
import type { CheckGroupRecord } from '../../store/documents.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { NewRun } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { Snippet } from './api-checks.ts';
import {
  type Limits,
  type Plan,
  type PlannableCheck,
  type PlannedSession,
  type PlanOptions,
  planSession,
} from './plan-session.ts';
import { type RetryStrategy, toRetryPlan } from './retries.ts';
import {
  mergeVariables,
  PUBLIC_POOL,
  type Settings,
  type Subject,
  selectSubjects,
  subjectsOf,
  type Variable,
} from './settings.ts';
import type { StartSessions } from './types.ts';

/** The state of the engine that every plan needs. */
export interface PlanContext {
  readonly now: number;
  readonly publicLocations: readonly string[];
  readonly limits: Limits;
  readonly uuid: () => string;
  /** Leases the first attempts to the idle built-in worker, which then does not need to claim them. */
  readonly lease?: DirectLease | undefined;
}

/** An idle worker that leases attempts in the transaction that creates them. */
export interface DirectLease {
  readonly worker: string;
  /** Maximum number of attempts. */
  readonly capacity: number;
  /** End of the lease, in ms since the epoch. */
  readonly leaseUntil: number;
  /** Called before the commit; again if the transaction is retried. */
  assign(attempts: readonly LeasedAttempt[]): void;
  assignedCount(): number;
}

/** An attempt that was created with a lease. */
export interface LeasedAttempt {
  readonly id: number;
  readonly run: NewRun;
  readonly session: SessionRecord;
  readonly plan: Plan;
}

/** A check and its settings. The ID of a check that is not stored is null. */
interface Startable<CheckId extends string | null = string | null> {
  readonly check: PlannableCheck<CheckId>;
  readonly settings: Settings;
}

/** `now`: the start time, if it is in the future. */
type StartOptions = Omit<PlanOptions, keyof PlanContext | 'check' | 'settings' | 'rotation'> & {
  readonly now?: number;
};

const MAX_ROWS = 500;

export async function startTargeted(
  data: EngineData,
  context: PlanContext,
  { accountId, target, ...options }: StartSessions,
): Promise<PlannedSession<string>[]> {
  return startBatches(data, context, await selectSubjects(data, accountId, target), options);
}

export async function startGroup(
  data: EngineData,
  context: PlanContext,
  { accountId, groupId, ...options }: Omit<StartSessions, 'target'> & { readonly groupId: number },
): Promise<PlannedSession<string>[]> {
  const subjects = await subjectsOf(data, await data.checks.byGroup(accountId, groupId));
  const runnable = subjects.filter(({ check, settings }) => settings.activated && isRunnable(check));
  return startBatches(data, context, runnable, options);
}

/** Starts checks together, within the concurrency of their groups. */
function startBatches(
  data: EngineData,
  context: PlanContext,
  subjects: readonly Subject[],
  options: StartOptions,
): Promise<PlannedSession<string>[]> {
  const batched = planBatches(subjects, context.uuid);
  const ordered = batched.map(({ subject }) => subject);
  return startSessions(data, context, ordered, (index) => ({ ...options, ...batched[index]?.batch }));
}

/** Options of a test session that apply to each of its checks. */
export interface TestRequest {
  readonly testSessionId: string;
  readonly runSource: StartOptions['runSource'];
  readonly runLocation: string;
  readonly environmentVariables?: readonly Variable[] | null | undefined;
  /** Null: no retries. Default: the strategy of each check. */
  readonly retryStrategy?: RetryStrategy | null | undefined;
}

/** A check of a test session. `key` identifies it for the caller: the ID of a stored check, the logical ID of another. */
export interface TestSubject extends Startable {
  readonly key: string;
  readonly group: CheckGroupRecord | undefined;
}

/** Characters of the variables of a test session in all of its runs, each of which stores them. */
const MAX_VARIABLES_LENGTH = 16 * 1024 * 1024;

/** Throws UsageError for variables that are small as a request and large as runs. */
function assertAffordable(variables: readonly Variable[], checks: number): void {
  if (JSON.stringify(variables).length * checks <= MAX_VARIABLES_LENGTH) return;
  const limit = `${MAX_VARIABLES_LENGTH / 1024 ** 2} MB`;
  throw new UsageError(
    `The environment variables for ${checks} checks are larger than ${limit} together: pass shorter variables or run fewer checks`,
  );
}

/** Starts the sessions of a test session: one per check, all in its location. Returns each with the key of its check. */
export async function startTests(
  data: EngineData,
  context: PlanContext,
  subjects: readonly TestSubject[],
  { retryStrategy, environmentVariables, testSessionId, runLocation, runSource }: TestRequest,
): Promise<readonly (readonly [key: string, session: PlannedSession])[]> {
  assertAffordable(environmentVariables ?? [], subjects.length);
  const tested = subjects.map((subject) => ({
    ...subject,
    settings: {
      ...subject.settings,
      environmentVariables: mergeVariables(subject.settings.environmentVariables, environmentVariables),
      ...(retryStrategy === undefined || !hasRetries(subject.check)
        ? {}
        : { retry: retryStrategy === null ? null : toRetryPlan(retryStrategy) }),
    },
  }));
  const batched = planBatches(tested, context.uuid);
  const ordered = batched.map(({ subject }) => subject);
  const planned = await startSessions(data, context, ordered, (index) => ({
    ...{ runSource, testSessionId, runLocation },
    ...batched[index]?.batch,
  }));
  return planned.map((session, index) => [ordered[index]?.key ?? '', session]);
}

/** Plans a session of each subject and writes it. `optionsOf` returns the options of the nth. */
export async function startSessions<CheckId extends string | null>(
  data: EngineData,
  { now, publicLocations, limits, uuid, lease }: PlanContext,
  subjects: readonly Startable<CheckId>[],
  optionsOf: (index: number) => StartOptions,
): Promise<PlannedSession<CheckId>[]> {
  const accounts = await readScriptAccounts(data, subjects);
  const snippets = await readSnippets(data, subjects);
  const startable = subjects.map((subject, index) => ({ ...subject, options: optionsOf(index) }));
  const rotating = startable.filter(
    ({ settings, options }) =>
      options.runLocation === undefined && !settings.runParallel && settings.locations.length > 1,
  );
  const rotations = await data.schedule.advanceLocations(rotating.flatMap(({ check }) => check.id ?? []));
  const planned = startable.map(({ check, settings, options }) => {
    const account = usesVariables(check) ? accounts.get(check.accountId) : undefined;
    return planSession({
      check,
      settings,
      accountVariables: account?.variables,
      detectsSecrets: account?.detectsSecrets,
      snippetOf: snippets(check),
      rotation: rotations.get(check.id ?? '') ?? 0,
      now,
      publicLocations,
      limits,
      uuid,
      ...options,
    });
  });
  for (let from = 0; from < planned.length; from += MAX_ROWS) {
    const part = planned.slice(from, from + MAX_ROWS);
    await data.sessions.insert(part.map(({ session }) => session));
  }
  const attempts = planned.flatMap(({ session, plan, runs }) => runs.map((run) => ({ run, session, plan })));
  const leased = await leaseAttempts(data, attempts, now, lease);
  const runs = attempts.filter((attempt) => !leased.has(attempt)).map(({ run }) => run);
  for (let from = 0; from < runs.length; from += MAX_ROWS) {
    await data.runs.insert(runs.slice(from, from + MAX_ROWS));
  }
  return planned;
}

/** Writes first attempts as claimed by the leasing worker, up to its capacity, and returns them. */
async function leaseAttempts(
  data: EngineData,
  attempts: readonly Omit<LeasedAttempt, 'id'>[],
  now: number,
  lease: DirectLease | undefined,
): Promise<ReadonlySet<Omit<LeasedAttempt, 'id'>>> {
  if (lease === undefined) return new Set();
  const { worker, capacity, leaseUntil } = lease;
  const leased = attempts
    .filter(({ run }) => run.state === 'QUEUED' && run.pool === PUBLIC_POOL)
    .slice(0, Math.min(capacity, MAX_ROWS));
  const claim = { state: 'RUNNING', claimed_by: worker, claimed_at: now, lease_until: leaseUntil } as const;
  const ids = await data.runs.insertNumbered(leased.map(({ run }) => ({ ...run, ...claim })));
  lease.assign(leased.map((attempt, index) => ({ ...attempt, id: ids[index] ?? 0 })));
  return new Set(leased);
}

interface ScriptAccount {
  readonly variables: readonly Variable[];
  readonly detectsSecrets: boolean;
}

/** Reads the accounts of checks that use variables, and no others. */
async function readScriptAccounts(
  data: EngineData,
  subjects: readonly Startable[],
): Promise<ReadonlyMap<string, ScriptAccount>> {
  const scripted = subjects.filter(({ check }) => usesVariables(check));
  const accounts = new Map<string, ScriptAccount>();
  for (const accountId of new Set(scripted.map(({ check }) => check.accountId))) {
    const variables = (await data.variables.list(accountId)).map(({ body }) => body);
    const account = await data.accounts.get(accountId);
    accounts.set(accountId, { variables, detectsSecrets: account?.detectsSecrets === true });
  }
  return accounts;
}

/** Reads the snippets of API checks, and returns a lookup by check and snippet ID. */
async function readSnippets(data: EngineData, subjects: readonly Startable[]) {
  const idsByAccount = new Map<string, Set<number>>();
  for (const { check, settings } of subjects) {
    for (const source of [...settings.setup, ...settings.tearDown]) {
      if (!('snippetId' in source)) continue;
      const ids = idsByAccount.get(check.accountId) ?? new Set();
      idsByAccount.set(check.accountId, ids.add(source.snippetId));
    }
  }
  const snippets = new Map<string, Snippet>();
  for (const [accountId, ids] of idsByAccount) {
    for (const { id, body } of await data.snippets.byIds(accountId, [...ids])) {
      snippets.set(`${accountId} ${id}`, body);
    }
  }
  return (check: Pick<CheckRecord, 'accountId'>) => (id: number) => snippets.get(`${check.accountId} ${id}`);
}

/** The fields of a check that determine its order. */
interface Member {
  readonly check: { readonly body: { readonly groupOrder?: number | null } };
  readonly group:
    | { readonly id: number; readonly body: { readonly concurrency?: number | undefined } }
    | undefined;
}

/** A check and its place in the batch of its group. Without a batch it starts at once. */
export interface BatchedSubject<T> {
  readonly subject: T;
  readonly batch: Pick<PlanOptions, 'batch'>;
}

/** Default concurrency of a group (specification, Check group). */
const DEFAULT_CONCURRENCY = 3;

/**
 * Orders checks for their start. Checks beyond the concurrency of their group are held until an earlier one ends.
 * Checks without a group start at once.
 */
export function planBatches<T extends Member>(
  subjects: readonly T[],
  uuid: () => string,
): BatchedSubject<T>[] {
  return [...groupBy(subjects, ({ group }) => group?.id).values()].flatMap((members) => {
    const group = members[0]?.group;
    if (group === undefined) return members.map((subject) => ({ subject, batch: {} }));
    const concurrency = group.body.concurrency ?? DEFAULT_CONCURRENCY;
    const ordered = [...members].sort((one, other) => orderOf(one) - orderOf(other));
    if (ordered.length <= concurrency) return ordered.map((subject) => ({ subject, batch: {} }));
    const id = uuid();
    return ordered.map((subject, position) => ({
      subject,
      batch: { batch: { id, position, held: position >= concurrency } },
    }));
  });
}

/** Checks without an order come last, in their original order. */
const orderOf = ({ check }: Member): number => check.body.groupOrder ?? Number.MAX_VALUE;
