/** One judge process: it judges in the order of the requests, and is killed when one of them takes longer than its budget. */
import { type ChildProcess, fork } from 'node:child_process';
import type { EvaluationReply, EvaluationRequest } from './protocol.ts';

/** The process went over its budget of time or memory with this request, or with another one of the same message. */
export class BudgetExceeded extends Error {}

/** The process ended while the request waited behind another one: it can be made again. */
export class NotEvaluated extends Error {}

export interface EvaluatorProcess {
  /** False once the process has ended, or is about to. */
  isAlive(): boolean;
  /** Rejects with OverBudget, NotJudged, or with an Error that has the message of what the evaluation threw. */
  request(name: string, input: unknown): Promise<unknown>;
  end(): void;
}

export interface EvaluatorProgram {
  /** The path of the program. */
  readonly path: string;
  readonly execPath: string;
}

/** The memory that judging may take, in MiB. The largest answer that is read has 5 MiB. */
const MAX_MEMORY_MIB = 256;

/** Requests that one message holds: each may carry an answer of some megabytes. */
const MAX_BATCH_SIZE = 16;
/** The least time between two messages that hold fewer, in ms. To wake another process costs more than most evaluations. */
const BATCH_WINDOW_MS = 20;
/** The longest that the process may take to start, in ms: on a busy machine far more than a request does. */
const START_TIMEOUT_MS = 30_000;
/** The ID of its first message, which says that it has started. */
const START_ID = 0;

interface Pending {
  /** The message that carried the request. */
  readonly batch: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a process. `budgetMs`: the longest that one request may take. */
export function startEvaluatorProcess(
  { path, execPath }: EvaluatorProgram,
  budgetMs: number,
): EvaluatorProcess {
  // Without the environment of the service, which holds keys.
  const child = fork(path, [], {
    execPath,
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MIB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pending = new Map<number, Pending>([[START_ID, { batch: 0, resolve: () => {}, reject: () => {} }]]);
  let lastId = START_ID;
  let isAlive = true;
  let timer: NodeJS.Timeout | undefined;
  let unsent: EvaluationRequest[] = [];
  let message = 1;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let batchTimer: NodeJS.Timeout | undefined;

  /** Sends a request at once if it is the first for a while, and the next ones together. */
  function send(request: EvaluationRequest): void {
    unsent.push(request);
    if (unsent.length === MAX_BATCH_SIZE) flush();
    else if (unsent.length === 1)
      batchTimer = setTimeout(flush, Math.max(0, lastSentAt + BATCH_WINDOW_MS - performance.now()));
  }

  function flush(): void {
    clearTimeout(batchTimer);
    lastSentAt = performance.now();
    const requests = unsent;
    unsent = [];
    message += 1;
    // Where they cannot be sent, the process is about to end: its exit rejects them.
    if (isAlive && requests.length > 0) child.send(requests, () => {});
  }

  const firstId = () => pending.keys().next().value;

  /** Gives the request that is first in the row its time. */
  function restartTimer(): void {
    clearTimeout(timer);
    setReferenced(child, pending.size > 0);
    const id = firstId();
    if (id === undefined) return;
    const timeoutMs = id === START_ID ? START_TIMEOUT_MS : budgetMs;
    // A reply that came while this process was busy is read before the verdict on its time.
    timer = setTimeout(
      () => setImmediate(() => firstId() === id && terminate(`took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
  }

  function terminate(reason: string): void {
    if (!isAlive) return;
    isAlive = false;
    clearTimeout(timer);
    child.kill('SIGKILL');
    pending.delete(START_ID);
    const requests = [...pending.values()];
    pending.clear();
    // Replies to one message may come together: any request of it may be the one that took too long.
    for (const { batch: message, reject } of requests)
      reject(message === requests[0]?.batch ? new BudgetExceeded(reason) : new NotEvaluated());
  }

  child.on('message', (replies: readonly EvaluationReply[]) => {
    for (const reply of replies) {
      const request = pending.get(reply.id);
      pending.delete(reply.id);
      if ('error' in reply) request?.reject(new Error(reply.error));
      else request?.resolve(reply.output);
    }
    restartTimer();
  });
  child.on('error', ({ message }) => terminate(`could not be run: ${message}`));
  child.on('exit', (code, signal) =>
    terminate(`ended with ${signal ?? `exit code ${code}`}, possibly because it ran out of memory`),
  );
  restartTimer();

  return {
    isAlive: () => isAlive,
    request: (name, input) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        pending.set(id, { batch: message, resolve, reject });
        if (pending.size === 1) restartTimer();
        send({ id, name, input });
      }),
    end: () => terminate('was stopped'),
  };
}

/** A process that waits for requests keeps nobody from ending. */
function setReferenced(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
