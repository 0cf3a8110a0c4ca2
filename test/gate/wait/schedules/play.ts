/** Plays schedules of answers to the gate, through the real client, under a clock that jumps; and notes what was sent when. */
import type { Dispatcher } from 'undici';
import { createClient } from '../../../../src/client/index.ts';
import {
  checkSessions,
  pollCheckSessions,
  pollTestSessions,
  testSessions,
} from '../../../../src/gate/index.ts';
import {
  type GateOptions,
  type GateResult,
  waitForSessions,
} from '../../../../src/gate/wait/wait-for-sessions.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';
import { isEntry, type ListStep, NO_LIST, type Sent as Reply, type Step } from './wire.ts';

/** One gate: what each of its sessions is answered, and what it was told to do. */
export interface Schedule {
  readonly kind: 'check' | 'test';
  /** The answers about each session, the last for ever. */
  readonly sessions: readonly (readonly Step[])[];
  readonly timeoutMs: number;
  readonly failFast: boolean;
  readonly failOnDegraded: boolean;
  readonly justStarted: boolean;
  readonly live: boolean;
  /** Answers to requests for the list, in order; the last one repeats. Without answers, the deployment has no list. */
  readonly lists?: readonly ListStep[] | undefined;
  /** When a person interrupts, in ms. */
  readonly stopAt?: number | undefined;
}

/** A request and what came of it. Times are on the monotonic clock, in ms. */
export interface Sent {
  readonly id: string;
  readonly at: number;
  /** Seconds that the service was asked to wait; 0 for a look. */
  readonly wait: number;
  readonly step: Step;
  /** Whether it was an entry of a list instead of a single read. */
  readonly isListed?: boolean;
  /** When all of the answer was there, or it broke off; undefined where nobody waited for it. */
  answeredAt?: number;
}

/** A request for a page of the list. */
export interface SentList {
  readonly at: number;
  readonly step: ListStep;
  answeredAt?: number;
}

export interface Played {
  readonly lists: readonly SentList[];
  readonly result: GateResult | { readonly stoppedAt: number; readonly reason: unknown };
  readonly sent: readonly Sent[];
  readonly ids: readonly string[];
  readonly took: number;
}

/** What the client would take for silence after that long, in ms: it breaks off by itself. */
const patience = (wait: number): number => (wait > 0 ? wait * 1000 + 10_000 : 30_000);

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A pool of connections behind which the schedule answers. */
function scheduled(schedule: Schedule, clock: ManualClock, sent: Sent[], lists: SentList[]): Dispatcher {
  const asked = new Map<string, number>();
  /** The next step of a session. */
  const stepOf = (id: string): Step => {
    const steps = schedule.sessions[Number(id.split('-').at(-1))] ?? [];
    const count = asked.get(id) ?? 0;
    asked.set(id, count + 1);
    const step = steps[Math.min(count, steps.length - 1)];
    if (!step) throw new Error(`nothing is scheduled for ${id}`);
    return step;
  };
  /** A page of the list: each session as its next step has it, where that is whole. */
  const pageOf = (step: ListStep, from: number) => {
    const ids = schedule.sessions.map((_, index) => idOf(index)).slice(from, from + step.size);
    const listed = ids.flatMap((id) => {
      const own = stepOf(id);
      return isEntry(own) ? [{ id, wait: 0, step: own, isListed: true }] : [];
    });
    const entries = listed.map(({ id, step: own }) =>
      JSON.parse(own.answer?.({ id, idField: 'checkSessionId', now: clock.now() }).text ?? ''),
    );
    const next = from + step.size;
    const nextId = next < schedule.sessions.length ? String(next) : null;
    return { listed, page: { length: entries.length, entries, nextId } };
  };
  const playList = async (url: URL, reply: (answer: Reply) => void, over: AbortSignal) => {
    const steps = schedule.lists ?? [NO_LIST];
    const step = steps[Math.min(lists.length, steps.length - 1)] ?? NO_LIST;
    const entry: SentList = { at: clock.monotonic(), step };
    lists.push(entry);
    await clock.sleep(step.hangs ? 30_000 : step.takes, over);
    const { listed, page } = pageOf(step, Number(url.searchParams.get('nextId') ?? 0));
    entry.answeredAt = clock.monotonic();
    const at = clock.monotonic();
    if (step.isTrue) for (const each of listed) sent.push({ ...each, at, answeredAt: at });
    reply(step.answer(page));
  };
  const idField = schedule.kind === 'check' ? 'checkSessionId' : 'testSessionId';
  const dispatch: Dispatcher['dispatch'] = ({ path }, handler) => {
    const url = new URL(String(path), 'http://service.test');
    const isList = url.pathname.endsWith('/check-sessions');
    const id = /-sessions\/([^/]+)/.exec(url.pathname)?.[1] ?? '';
    const wait = Number(url.searchParams.get('maxWaitSeconds') ?? 0);

    const over = new AbortController();
    const controller = {
      aborted: false,
      reason: null,
      paused: false,
      pause() {},
      resume() {},
      abort: () => over.abort(),
    } as unknown as Dispatcher.DispatchController;
    const reply = (answer: Reply | undefined) => {
      if (!answer) return handler.onResponseError?.(controller, new Error('the connection was reset'));
      handler.onResponseStart?.(controller, answer.status, { ...answer.headers });
      const bytes = Buffer.from(answer.text);
      handler.onResponseData?.(controller, answer.cut ? bytes.subarray(0, bytes.length / 2) : bytes);
      if (answer.cut) handler.onResponseError?.(controller, new Error('the connection was reset'));
      else handler.onResponseEnd?.(controller, {});
    };
    const play = async () => {
      const step = stepOf(id);
      const entry: Sent = { id, at: clock.monotonic(), wait, step };
      sent.push(entry);
      const lasts = step.hangs ? patience(wait) : Math.min(step.takes, wait > 0 ? wait * 1000 : 29_000);
      await clock.sleep(lasts, over.signal);
      clock.step(step.clockStep);
      entry.answeredAt = clock.monotonic();
      reply(step.hangs ? undefined : step.answer?.({ id, idField, now: clock.now() }));
    };
    handler.onRequestStart?.(controller, null);
    (isList ? playList(url, reply, over.signal) : play()).catch(() => {});
    return true;
  };
  return { dispatch, destroy: async () => {} } as unknown as Dispatcher;
}

/** Runs the gate through a schedule. */
export async function play(schedule: Schedule): Promise<Played> {
  const clock = createManualClock(undefined, 1);
  const sent: Sent[] = [];
  const lists: SentList[] = [];
  const ids = schedule.sessions.map((_, index) => idOf(index));
  let chance = 1;
  const random = {
    next() {
      chance = (chance * 16_807) % 2_147_483_647;
      return chance / 2_147_483_647;
    },
    uuid: () => idOf(0),
  };
  const client = createClient({
    baseUrl: 'http://service.test',
    getKey: async () => 'key',
    userAgent: 'test',
    clock,
    random,
    dispatcher: scheduled(schedule, clock, sent, lists),
  });
  const stop = new AbortController();
  const { stopAt, kind, timeoutMs, failFast, failOnDegraded, justStarted, live } = schedule;
  const options: GateOptions = {
    ...{
      ids,
      clock,
      random,
      deadline: timeoutMs,
      failFast,
      failOnDegraded,
      justStarted,
      live,
      signal: stop.signal,
    },
    kind: kind === 'check' ? checkSessions : testSessions,
    poll: kind === 'check' ? pollCheckSessions(client) : pollTestSessions(client),
  };
  if (stopAt !== undefined)
    void clock.sleep(stopAt).then(() => stop.abort(new Error('interrupted by a person')));
  const result = await clock.run(
    waitForSessions(options).catch((reason: unknown) => ({ stoppedAt: clock.monotonic(), reason })),
  );
  return { result, sent, lists, ids, took: clock.monotonic() };
}
