/** Applies events to sessions, ends those without open runs, and handles the consequences of their end. */
import { groupBy } from '../../../base/object.ts';
import type { Random } from '../../../base/random.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { deadlineOf, type Limits, type Plan } from './plan-session.ts';
import { poolOf } from './settings.ts';
import { isTerminal, nextStatus, type SessionEvent, type SessionStatus, testStatusOf } from './states.ts';

/** A locked session and its events. */
export interface Transition {
  readonly session: SessionRecord;
  readonly events: readonly SessionEvent[];
  /** The session was held in a batch, so its end releases no other. */
  readonly wasHeld?: boolean;
  /** Whether the session has open runs, if the transaction already knows. */
  readonly isOpen?: boolean | undefined;
}

/** Applies events to locked sessions. Each session occurs once. */
export async function applyTransitions(
  context: ChangeContext,
  transitions: readonly Transition[],
): Promise<Effects> {
  const { data, now } = context;
  const unknown = transitions.filter(({ isOpen }) => isOpen === undefined);
  const open = new Set([
    ...(await data.runs.sessionsWithRuns(unknown.map(({ session }) => session.id))),
    ...transitions.flatMap(({ session, isOpen }) => (isOpen ? [session.id] : [])),
  ]);
  const changes = transitions.flatMap(({ session, events }) => {
    const before = session.status as SessionStatus;
    let status = events.reduce(nextStatus, before);
    if (!isTerminal(status) && !open.has(session.id)) {
      status = nextStatus(status, { type: session.cancelled_at === null ? 'finished' : 'cancelled' });
    }
    return status === before ? [] : [{ session, before, status }];
  });
  const ending = { stopped_at: now, ends_by: null, plan: null };
  const alike = groupBy(changes, ({ before, status }) => `${before} ${status}`);
  for (const same of alike.values()) {
    const [{ before, status } = { before: '', status: 'STARTED' as const }] = same;
    const ids = same.map(({ session }) => session.id);
    if (isTerminal(status)) await data.sessions.end(ids, before, status, now);
    else await data.sessions.updateFrom(ids, before, { status });
  }
  const ended = changes
    .filter(({ status }) => isTerminal(status))
    .map(({ session, status }): SessionRecord => ({ ...session, status, ...ending }));
  if (ended.length === 0) return NO_EFFECTS;
  await data.sessions.notifyEnded(ended.map(({ id }) => id));
  const released: SessionRecord[] = [];
  const held = new Set(transitions.flatMap(({ session, wasHeld }) => (wasHeld ? [session.id] : [])));
  for (const session of ended)
    if (!held.has(session.id)) released.push(...(await releaseNext(context, session)));
  return combineEffects([
    {
      ...NO_EFFECTS,
      ended: ended.map((session) => ({
        id: session.id,
        status: session.status,
        checkId: isCheckSession(session) ? session.check_id : null,
        session,
      })),
      claimableAt: released.length === 0 ? null : now,
      pools: released.flatMap(({ locations }) => (JSON.parse(locations) as string[]).map(poolOf)),
    },
    { ...NO_EFFECTS, testsEnded: await handleEnds(context, ended) },
  ]);
}

const CHECK_STATUS = { PASSED: 'passing', DEGRADED: 'degraded', FAILED: 'failing' } as const;

async function handleEnds(context: ChangeContext, ended: readonly SessionRecord[]): Promise<string[]> {
  const { data, tx, onEnded } = context;
  // Sessions are processed in the order of their start, not of their reports.
  const checkSessions = ended
    .filter(isCheckSession)
    .sort((one, other) => one.started_at - other.started_at || (one.id < other.id ? -1 : 1));
  // The last of several sessions determines the status of a check.
  const states = new Map(checkSessions.map((session) => [session.check_id, session.status] as const));
  const checkStatuses = new Map(
    [...states].flatMap(([id, status]) => {
      const known = CHECK_STATUS[status as keyof typeof CHECK_STATUS];
      return known === undefined ? [] : [[id, known] as const];
    }),
  );
  await data.checks.setStatuses(checkStatuses);
  if (onEnded && checkSessions.length > 0) {
    const open = groupBy(checkSessions, ({ check_id }) => check_id);
    const ends = checkSessions.map((session) => {
      const [, ...following] = open.get(session.check_id) ?? [];
      open.set(session.check_id, following);
      const results = () => data.results.ofSessions([session.id]);
      return { session, results, following: following.map(({ id }) => id) };
    });
    await onEnded(tx, ends);
  }
  const tests = new Set(ended.flatMap((session) => session.test_session_id ?? []));
  const endedTests: string[] = [];
  for (const id of [...tests].sort()) if (await endTest(context, id)) endedTests.push(id);
  return endedTests;
}

/** Returns whether a session counts for a stored check and is not part of a test. */
const isCheckSession = (session: SessionRecord): session is SessionRecord<string> =>
  session.test_session_id === null && session.check_id !== null;

/** Ends a test session if all its sessions have ended. Returns whether it did. */
async function endTest({ data, now }: ChangeContext, id: string): Promise<boolean> {
  const test = await data.testSessions.lock(id);
  if (test === undefined || test.status !== 'RUNNING') return false;
  const members = await data.sessions.ofTest(test.id);
  const status = testStatusOf(members.map((member) => member.status as SessionStatus));
  if (status === 'RUNNING') return false;
  await data.testSessions.updateFrom(test.id, 'RUNNING', { status, stopped_at: now });
  await data.sessions.notifyEnded([test.id]);
  return true;
}

/** Releases the next held session of a batch, so that its runs can be claimed. Returns it, if there is one. */
async function releaseNext(
  { data, now, limits }: ChangeContext,
  session: SessionRecord,
): Promise<SessionRecord[]> {
  if (session.batch_id === null) return [];
  for (;;) {
    const next = await data.sessions.nextOfBatch(session.batch_id);
    if (next === undefined) return [];
    if (!(await data.runs.queueHeld(next.id, { not_before: now, claim_by: now + limits.claimMs }))) continue;
    const { retry } = JSON.parse(next.plan ?? '{"retry":null}') as Plan;
    const locations = JSON.parse(next.locations) as string[];
    const endsBy = deadlineOf(
      now,
      { retry, timeoutMs: limits.timeoutMs(next.check_type), locations },
      limits,
    );
    await data.sessions.updateFrom([next.id], next.status, { ends_by: endsBy });
    return [next];
  }
}

/** A session of a stored check that has just ended, for alerts in the same transaction. */
export interface EndedSession {
  readonly session: SessionRecord<string>;
  /** Reads all its results in order, attempts included, in the same transaction. */
  readonly results: () => Promise<readonly ResultRecord[]>;
  /** Later sessions of the check that end in the same transaction. Each is passed in its turn. */
  readonly following?: readonly string[];
}

/** The transaction of a change, and what the change needs. */
export interface ChangeContext {
  readonly data: EngineData;
  readonly tx: StoreTransaction;
  readonly now: number;
  readonly random: Random;
  readonly limits: Limits;
  readonly onEnded: ((tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>) | undefined;
}

/** The effects to publish after the commit. */
export interface Effects {
  /** `checkId`: null in a test session. */
  readonly ended: readonly {
    readonly id: string;
    readonly status: string;
    readonly checkId: string | null;
    readonly session: SessionRecord;
  }[];
  readonly testsEnded: readonly string[];
  readonly attempts: number;
  readonly errors: number;
  /** The earliest time at which a new attempt can be claimed, or null. */
  readonly claimableAt: number | null;
  /** The pools of the new attempts. */
  readonly pools: readonly string[];
}

export const NO_EFFECTS: Effects = {
  ended: [],
  testsEnded: [],
  attempts: 0,
  errors: 0,
  claimableAt: null,
  pools: [],
};

export function combineEffects(effects: readonly Effects[]): Effects {
  return {
    ended: effects.flatMap(({ ended }) => ended),
    testsEnded: [...new Set(effects.flatMap(({ testsEnded }) => testsEnded))],
    attempts: effects.reduce((sum, { attempts }) => sum + attempts, 0),
    errors: effects.reduce((sum, { errors }) => sum + errors, 0),
    claimableAt: earliest(...effects.map(({ claimableAt }) => claimableAt)),
    pools: [...new Set(effects.flatMap(({ pools }) => pools))],
  };
}
