/** One judge process: it judges in the order of the requests, and is killed when one of them takes longer than its budget. */
import { type ChildProcess, fork } from 'node:child_process';
import type { JudgeReply, JudgeRequest } from './protocol.ts';

/** The process went over its budget of time or memory with this request, or with another one of the same message. */
export class OverBudget extends Error {}

/** The process ended while the request waited behind another one: it can be made again. */
export class NotJudged extends Error {}

export interface JudgeProcess {
  /** False once the process has ended, or is about to. */
  isAlive(): boolean;
  /** Rejects with OverBudget, NotJudged, or with an Error that has the message of what the judgement threw. */
  request(name: string, input: unknown): Promise<unknown>;
  end(): void;
}

export interface JudgeProgram {
  /** The path of the program. */
  readonly path: string;
  readonly execPath: string;
}

/** The memory that judging may take, in MiB. The largest answer that is read has 5 MiB. */
const MOST_MEMORY_MIB = 256;

/** Requests that one message holds: each may carry an answer of some megabytes. */
const MOST_TOGETHER = 16;
/** The least time between two messages that hold fewer, in ms. To wake another process costs more than most judgements. */
const GATHER_MS = 20;
/** The longest that the process may take to start, in ms: on a busy machine far more than a request does. */
const START_MS = 30_000;
/** The ID of its first message, which says that it has started. */
const START_ID = 0;

interface Pending {
  /** The message that carried the request. */
  readonly message: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a process. `budgetMs`: the longest that one request may take. */
export function startJudgeProcess({ path, execPath }: JudgeProgram, budgetMs: number): JudgeProcess {
  // Without the environment of the service, which holds keys.
  const child = fork(path, [], {
    execPath,
    execArgv: [`--max-old-space-size=${MOST_MEMORY_MIB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pending = new Map<number, Pending>([[START_ID, { message: 0, resolve: () => {}, reject: () => {} }]]);
  let lastId = START_ID;
  let isAlive = true;
  let timer: NodeJS.Timeout | undefined;
  let unsent: JudgeRequest[] = [];
  let message = 1;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let gathering: NodeJS.Timeout | undefined;

  /** Sends a request at once if it is the first for a while, and the next ones together. */
  function send(request: JudgeRequest): void {
    unsent.push(request);
    if (unsent.length === MOST_TOGETHER) flush();
    else if (unsent.length === 1)
      gathering = setTimeout(flush, Math.max(0, lastSentAt + GATHER_MS - performance.now()));
  }

  function flush(): void {
    clearTimeout(gathering);
    lastSentAt = performance.now();
    const requests = unsent;
    unsent = [];
    message += 1;
    // Where they cannot be sent, the process is about to end: its exit rejects them.
    if (isAlive && requests.length > 0) child.send(requests, () => {});
  }

  const first = () => pending.keys().next().value;

  /** Gives the request that is first in the row its time. */
  function watch(): void {
    clearTimeout(timer);
    hold(child, pending.size > 0);
    const id = first();
    if (id === undefined) return;
    const mostMs = id === START_ID ? START_MS : budgetMs;
    // A reply that came while this process was busy is read before the verdict on its time.
    timer = setTimeout(
      () => setImmediate(() => first() === id && ended(`took longer than ${mostMs} ms`)),
      mostMs,
    );
  }

  function ended(reason: string): void {
    if (!isAlive) return;
    isAlive = false;
    clearTimeout(timer);
    child.kill('SIGKILL');
    pending.delete(START_ID);
    const requests = [...pending.values()];
    pending.clear();
    // Replies to one message may come together: any request of it may be the one that took too long.
    for (const { message, reject } of requests)
      reject(message === requests[0]?.message ? new OverBudget(reason) : new NotJudged());
  }

  child.on('message', (replies: readonly JudgeReply[]) => {
    for (const reply of replies) {
      const asked = pending.get(reply.id);
      pending.delete(reply.id);
      if ('error' in reply) asked?.reject(new Error(reply.error));
      else asked?.resolve(reply.output);
    }
    watch();
  });
  child.on('error', ({ message }) => ended(`could not be run: ${message}`));
  child.on('exit', (code, signal) =>
    ended(`ended with ${signal ?? `exit code ${code}`}, possibly because it ran out of memory`),
  );
  watch();

  return {
    isAlive: () => isAlive,
    request: (name, input) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        pending.set(id, { message, resolve, reject });
        if (pending.size === 1) watch();
        send({ id, name, input });
      }),
    end: () => ended('was stopped'),
  };
}

/** A process that waits for requests keeps nobody from ending. */
function hold(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
