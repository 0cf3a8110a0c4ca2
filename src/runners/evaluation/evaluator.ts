/** Evaluates answers in separate processes, so that no target and no check can stop or block the service. */
import { raceWithAbort } from '../../base/abort.ts';
import { CannotRun, type Evaluate } from '../types.ts';
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
const STOPPING = 'sonde is stopping';

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
 * and those of its batch, are retried one at a time in an isolated process with a larger budget. If that is exceeded,
 * the run is a monitor error. Other requests of the shared process are repeated. Costly evaluations have a queue of their
 * own, in which nothing of a check waits.
 */
export function createEvaluator({
  budgetMs = BUDGET_MS,
  secondBudgetMs = RETRY_BUDGET_MS,
  costlyBudgetMs = COSTLY_BUDGET_MS,
  ...program
}: EvaluatorOptions): Evaluator {
  let shared: EvaluatorProcess | undefined;
  const isolated = new Set<EvaluatorProcess>();
  const evaluateSecond = createQueue(secondBudgetMs);
  const evaluateCostly = createQueue(costlyBudgetMs);
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

  async function evaluateIsolated(
    limitMs: number,
    name: string,
    input: unknown,
    isAborted: () => boolean,
  ): Promise<unknown> {
    if (isClosed) throw new CannotRun(STOPPING);
    if (isAborted()) return undefined;
    const child = startEvaluatorProcess(program, limitMs);
    isolated.add(child);
    try {
      return await child.request(name, input);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      throw new CannotRun(
        `the response could not be evaluated: the judge process ${error.message}. Use fewer or simpler assertions, or a smaller response`,
      );
    } finally {
      isolated.delete(child);
      child.end();
    }
  }

  /** Returns a function that evaluates in isolated processes, one at a time. */
  function createQueue(limitMs: number) {
    let last: Promise<unknown> = Promise.resolve();
    return (name: string, input: unknown, isOver: () => boolean): Promise<unknown> => {
      const next = last.then(() => evaluateIsolated(limitMs, name, input, isOver));
      last = next.catch(() => {});
      return next;
    };
  }

  async function evaluateWithRetry(name: string, input: unknown, isOver: () => boolean): Promise<unknown> {
    try {
      return await evaluateShared(name, input);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      return evaluateSecond(name, input, isOver);
    }
  }

  return {
    async evaluate(evaluation, input, signal) {
      signal.throwIfAborted();
      const start = evaluation.isCostly ? evaluateCostly : evaluateWithRetry;
      const evaluating = start(evaluation.name, input, () => signal.aborted);
      return (await raceWithAbort(evaluating, signal)) as never;
    },
    close() {
      isClosed = true;
      shared?.end();
      for (const child of isolated) child.end();
    },
  };
}
