/** Runs one evaluator process, which handles requests in order and is killed when one exceeds its budget. */
import { type ChildProcess, fork } from 'node:child_process';
import type { EvaluationReply, EvaluationRequest } from './protocol.ts';

/** The process exceeded its time or memory with this request or with another one of its batch. */
export class BudgetExceeded extends Error {}

/** The process ended before the request was evaluated. It can be retried. */
export class NotEvaluated extends Error {}

export interface EvaluatorProcess {
  /** False once the process has ended or is ending. */
  isAlive(): boolean;
  /** Resolves once it has started or ended. */
  readonly started: Promise<void>;
  /** Rejects with BudgetExceeded, NotEvaluated, or an Error with the message that the evaluation threw. */
  request(name: string, input: unknown): Promise<unknown>;
  end(): void;
}

export interface EvaluatorProgram {
  /** Path of the program. */
  readonly path: string;
  readonly execPath: string;
}

/** Memory limit of the process, in MiB. The largest answer has 5 MiB. */
const MAX_MEMORY_MIB = 256;

/** Maximum requests in a message, since each may carry an answer of some megabytes. */
const MAX_BATCH_SIZE = 16;
/** Minimum time between two incomplete batches, in ms: waking a process costs more than most evaluations. */
const BATCH_WINDOW_MS = 20;
/** Maximum start time, in ms. Starting takes much longer than a request on a busy machine. */
const START_TIMEOUT_MS = 30_000;
/** The ID of the first reply, which reports the start. */
const START_ID = 0;

interface Pending {
  /** The number of the batch that contained the request. */
  readonly batch: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a process. `budgetMs` limits each request. */
export function startEvaluatorProcess(
  { path, execPath }: EvaluatorProgram,
  budgetMs: number,
): EvaluatorProcess {
  // The environment of the service contains keys.
  const child = fork(path, [], {
    execPath,
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MIB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pending = new Map<number, Pending>();
  const started = new Promise<void>((resolve) => {
    const end = () => resolve();
    pending.set(START_ID, { batch: 0, resolve: end, reject: end });
  });
  let lastId = START_ID;
  let isAlive = true;
  let timer: NodeJS.Timeout | undefined;
  let unsent: EvaluationRequest[] = [];
  let batch = 1;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let batchTimer: NodeJS.Timeout | undefined;

  /** Sends the first request after a pause immediately and collects the following ones. */
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
    batch += 1;
    // If sending fails, the process is ending, and its exit rejects the requests.
    if (isAlive && requests.length > 0) child.send(requests, () => {});
  }

  const firstId = () => pending.keys().next().value;

  /** Starts the time budget of the oldest request. */
  function restartTimer(): void {
    clearTimeout(timer);
    setReferenced(child, pending.size > 0);
    const id = firstId();
    if (id === undefined) return;
    const timeoutMs = id === START_ID ? START_TIMEOUT_MS : budgetMs;
    // Reads pending replies before it decides that the request took too long.
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
    pending.get(START_ID)?.resolve(undefined);
    pending.delete(START_ID);
    const requests = [...pending.values()];
    pending.clear();
    // Replies of one batch may arrive together, so any request of it may have taken too long.
    for (const { batch, reject } of requests)
      reject(batch === requests[0]?.batch ? new BudgetExceeded(reason) : new NotEvaluated());
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
    started,
    request: (name, input) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        pending.set(id, { batch, resolve, reject });
        if (pending.size === 1) restartTimer();
        send({ id, name, input });
      }),
    end: () => terminate('was stopped'),
  };
}

/** References the process only while it is needed, so that an idle one does not keep this process alive. */
function setReferenced(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
