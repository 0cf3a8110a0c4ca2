/** Moves sessions by what happened to them, ends those of which no run is left, and does what hangs on their end. */
import { grouped } from '../../../base/group-by.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import { deadlineOf, type Plan } from './plan.ts';
import { type Effects, NO_EFFECTS, type Recorder, together } from './recorder.ts';
import { poolOf } from './settings.ts';
import { isTerminal, moved, type SessionEvent, type SessionStatus, testStatusOf } from './states.ts';

/** A session that the transaction has locked, and what happened to it. */
export interface Happened {
  readonly session: SessionRecord;
  readonly events: readonly SessionEvent[];
  /** It waited for its turn in a batch: it had no place there, and leaves none to another. */
  readonly wasHeld?: boolean;
  /** Whether a run of it is left, where the transaction knows without asking. */
  readonly isOpen?: boolean | undefined;
}

/** Moves locked sessions, each once. */
export async function settle(recorder: Recorder, happened: readonly Happened[]): Promise<Effects> {
  const { data, now } = recorder;
  const unknown = happened.filter(({ isOpen }) => isOpen === undefined);
  const open = new Set([
    ...(await data.runs.sessionsWithRuns(unknown.map(({ session }) => session.id))),
    ...happened.flatMap(({ session, isOpen }) => (isOpen ? [session.id] : [])),
  ]);
  const changes = happened.flatMap(({ session, events }) => {
    const before = session.status as SessionStatus;
    let status = events.reduce(moved, before);
    if (!isTerminal(status) && !open.has(session.id)) {
      status = moved(status, { type: session.cancelled_at === null ? 'finished' : 'cancelled' });
    }
    return status === before ? [] : [{ session, before, status }];
  });
  const ending = { stopped_at: now, ends_by: null, plan: null };
  const alike = grouped(changes, ({ before, status }) => `${before} ${status}`);
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
  const held = new Set(happened.flatMap(({ session, wasHeld }) => (wasHeld ? [session.id] : [])));
  for (const session of ended)
    if (!held.has(session.id)) released.push(...(await releaseNext(recorder, session)));
  return together([
    {
      ...NO_EFFECTS,
      ended: ended.map(({ id, status }) => ({ id, status })),
      claimableAt: released.length === 0 ? null : now,
      pools: released.flatMap(({ locations }) => (JSON.parse(locations) as string[]).map(poolOf)),
    },
    { ...NO_EFFECTS, testsEnded: await afterEnds(recorder, ended) },
  ]);
}

const CHECK_STATUS = { PASSED: 'passing', DEGRADED: 'degraded', FAILED: 'failing' } as const;

/** What hangs on sessions' ends: the checks' states and alerts, or the test sessions that they are a part of. */
async function afterEnds(recorder: Recorder, ended: readonly SessionRecord[]): Promise<string[]> {
  const { data, tx, onEnded } = recorder;
  // In the order in which they started, whatever order their reports came in.
  const own = ended
    .filter(isOfItsCheck)
    .sort((one, other) => one.started_at - other.started_at || (one.id < other.id ? -1 : 1));
  // Of several sessions of a check the last one says how it is.
  const states = new Map(own.map((session) => [session.check_id, session.status] as const));
  const said = new Map(
    [...states].flatMap(([id, status]) => {
      const known = CHECK_STATUS[status as keyof typeof CHECK_STATUS];
      return known === undefined ? [] : [[id, known] as const];
    }),
  );
  await data.checks.setStatuses(said);
  if (onEnded && own.length > 0) {
    const open = grouped(own, ({ check_id }) => check_id);
    const ends = own.map((session) => {
      const [, ...following] = open.get(session.check_id) ?? [];
      open.set(session.check_id, following);
      const results = () => data.results.ofSessions([session.id]);
      return { session, results, following: following.map(({ id }) => id) };
    });
    await onEnded(tx, ends);
  }
  const tests = new Set(ended.flatMap((session) => session.test_session_id ?? []));
  const over: string[] = [];
  for (const id of [...tests].sort()) if (await endTest(recorder, id)) over.push(id);
  return over;
}

/** Whether a session says how a stored check is: it is of one, and no part of a test. */
const isOfItsCheck = (session: SessionRecord): session is SessionRecord<string> =>
  session.test_session_id === null && session.check_id !== null;

/** Ends a test session once all its sessions have ended; true where this was the last of them. */
async function endTest({ data, now }: Recorder, id: string): Promise<boolean> {
  const test = await data.testSessions.lock(id);
  if (test === undefined || test.status !== 'RUNNING') return false;
  const members = await data.sessions.ofTest(test.id);
  const status = testStatusOf(members.map((member) => member.status as SessionStatus));
  if (status === 'RUNNING') return false;
  await data.testSessions.updateFrom(test.id, 'RUNNING', { status, stopped_at: now });
  await data.sessions.notifyEnded([test.id]);
  return true;
}

/** Lets the next session of a batch go, whose runs may be claimed from now on; answers it, or nothing where there is none. */
async function releaseNext(
  { data, now, limits }: Recorder,
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
