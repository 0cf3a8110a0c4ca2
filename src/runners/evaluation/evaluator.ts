/** Evaluates answers in separate processes, so that no target and no check can stop or block the service. */
import { type AbortSignalLike, raceWithAbort } from '../../base/abort.ts';
import { CannotRun, type Evaluate, type EvaluationOrigin } from '../core/runner.ts';
import {
  BudgetExceeded,
  type EvaluatorProcess,
  type EvaluatorProgram,
  NotEvaluated,
  startEvaluatorProcess,
} from './evaluator-process.ts';

/**
 * Time limits of an evaluation in the shared process, and of a retry in an isolated one, in ms. Most take less than
 * one.
 */
const BUDGET_MS = 2000;
const RETRY_BUDGET_MS = 10_000;
/** Time limit of a costly evaluation, in ms. Decrypting a key takes up to a second. */
const COSTLY_BUDGET_MS = 5000;
/** Time for which evaluations of a check that exceeded the budget start in an isolated process, in ms. */
const SLOW_FOR_MS = 10 * 60_000;
/** Number of checks to remember as quick. */
const MAX_QUICK = 10_000;
/** The queue of costly evaluations. The others have the name of an account. */
const COSTLY = 'costly';
const STOPPING = 'sonde is stopping';

interface Request {
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignalLike;
  readonly origin: EvaluationOrigin | undefined;
}

export interface EvaluatorOptions extends EvaluatorProgram {
  /** Override the default budgets, in ms. */
  readonly budgetMs?: number;
  readonly secondBudgetMs?: number;
  readonly costlyBudgetMs?: number;
}

export interface Evaluator {
  readonly evaluate: Evaluate;
  /** Ends the processes and rejects evaluations in progress. */
  close(): void;
}

/**
 * Creates an evaluator. Evaluations share one process, started with the first of them. One that exceeds its budget,
 * and those of its batch, are retried in isolated processes with a larger budget, one at a time for each account. If that
 * is exceeded, the run is a monitor error. Other requests of the shared process are repeated. Checks that were slow skip
 * the shared process for a while, and costly evaluations always do.
 */
export function createEvaluator({
  budgetMs = BUDGET_MS,
  secondBudgetMs = RETRY_BUDGET_MS,
  costlyBudgetMs = COSTLY_BUDGET_MS,
  ...program
}: EvaluatorOptions): Evaluator {
  let shared: EvaluatorProcess | undefined;
  const isolated = new Set<EvaluatorProcess>();
  const enqueue = createQueues();
  const paces = createPaces();
  let isClosed = false;

  async function evaluateShared(name: string, input: unknown): Promise<unknown> {
    for (;;) {
      if (isClosed) throw new CannotRun(STOPPING);
      if (shared?.isAlive() !== true) shared = startEvaluatorProcess(program, budgetMs);
      try {
        return await shared.request(name, input);
      } catch (error) {
        if (!(error instanceof NotEvaluated)) throw error;
      }
    }
  }

  async function evaluateIsolated(request: Request, limitMs: number): Promise<unknown> {
    if (isClosed) throw new CannotRun(STOPPING);
    if (request.signal.aborted) return undefined;
    const child = startEvaluatorProcess(program, limitMs);
    isolated.add(child);
    let startedAt = Number.POSITIVE_INFINITY;
    void child.started.then(() => {
      startedAt = performance.now();
    });
    try {
      return await child.request(request.name, request.input);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      throw new CannotRun(
        `the response could not be evaluated: the judge process ${error.message}. Use fewer or simpler assertions, or a smaller response`,
      );
    } finally {
      if (performance.now() - startedAt > budgetMs) paces.addSlow(paceKey(request));
      isolated.delete(child);
      child.end();
    }
  }

  const evaluateCostly = (request: Request) =>
    enqueue(COSTLY, () => evaluateIsolated(request, costlyBudgetMs));
  /** A check that was quick before was probably only in the batch of a slow one, so it does not wait for slow ones. */
  const evaluateSecond = (request: Request) => {
    const { accountId = '' } = request.origin ?? {};
    const queue = paces.isQuick(paceKey(request)) ? `${accountId} quick` : accountId;
    return enqueue(queue, () => evaluateIsolated(request, secondBudgetMs));
  };

  async function evaluateWithRetry(request: Request): Promise<unknown> {
    const key = paceKey(request);
    if (paces.isSlow(key)) return evaluateSecond(request);
    try {
      const output = await evaluateShared(request.name, request.input);
      paces.addQuick(key);
      return output;
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      return evaluateSecond(request);
    }
  }

  return {
    async evaluate({ name, isCostly }, input, signal, origin) {
      signal.throwIfAborted();
      const start = isCostly ? evaluateCostly : evaluateWithRetry;
      return (await raceWithAbort(start({ name, input, signal, origin }), signal)) as never;
    },
    close() {
      isClosed = true;
      shared?.end();
      for (const child of isolated) child.end();
    },
  };
}

/** Returns a function that runs a task after all others of its queue. Queues do not wait for each other. */
function createQueues() {
  const tails = new Map<string, Promise<void>>();
  return <T>(name: string, task: () => Promise<T>): Promise<T> => {
    const done = (tails.get(name) ?? Promise.resolve()).then(task);
    const forget = () => {
      if (tails.get(name) === tail) tails.delete(name);
    };
    const tail = done.then(forget, forget);
    tails.set(name, tail);
    return done;
  };
}

/** Each kind of evaluation of a check has a separate pace: masking secrets is quick, whatever the assertions are. */
const paceKey = ({ name, origin }: Request): string | undefined => origin && `${name} ${origin.subjectId}`;

/** Remembers how long evaluations of checks took: slow ones for a while, quick ones until there are too many. */
function createPaces() {
  const slowUntil = new Map<string, number>();
  const quick = new Set<string>();
  const isSlow = (id = '') => (slowUntil.get(id) ?? 0) > performance.now();
  return {
    isSlow,
    isQuick: (id = '') => quick.has(id),
    addQuick(id: string | undefined): void {
      if (id === undefined || quick.has(id)) return;
      if (quick.size === MAX_QUICK) quick.clear();
      quick.add(id);
    },
    addSlow(id: string | undefined): void {
      for (const known of slowUntil.keys()) if (!isSlow(known)) slowUntil.delete(known);
      if (id === undefined) return;
      quick.delete(id);
      slowUntil.set(id, performance.now() + SLOW_FOR_MS);
    },
  };
}
