/** Runs judgements in processes of their own, so that no target and no check can stop or block the service. */
import { CannotRun, type Judge } from '../types.ts';
import {
  type JudgeProcess,
  type JudgeProgram,
  NotJudged,
  OverBudget,
  startJudgeProcess,
} from './evaluator-process.ts';

/** The longest that a judgement may take beside others, and then by itself, in ms. Most take less than one. */
const BUDGET_MS = 2000;
const SECOND_BUDGET_MS = 10_000;
const STOPPING = 'sonde is stopping';

export interface JudgeOptions extends JudgeProgram {
  /** Other budgets than the usual ones, in ms. */
  readonly budgetMs?: number;
  readonly secondBudgetMs?: number;
}

export interface Judges {
  readonly judge: Judge;
  /** Ends the processes. Judgements that are under way are rejected. */
  close(): void;
}

/**
 * Judgements share one process, which is started with the first of them. One that goes over its budget of time or memory is made
 * once more in a separate process, one at a time, with a larger budget, and so are those that were sent together with it. If it
 * exceeds that too, the run is a monitor error. The others of the shared process are made again.
 */
export function openJudges({
  budgetMs = BUDGET_MS,
  secondBudgetMs = SECOND_BUDGET_MS,
  ...program
}: JudgeOptions): Judges {
  let shared: JudgeProcess | undefined;
  let alone: JudgeProcess | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function inShared(name: string, input: unknown): Promise<unknown> {
    for (;;) {
      if (isClosed) throw new CannotRun(STOPPING);
      if (shared?.isAlive() !== true) shared = startJudgeProcess(program, budgetMs);
      try {
        return await shared.request(name, input);
      } catch (error) {
        if (!(error instanceof NotJudged)) throw error;
      }
    }
  }

  async function byItself(name: string, input: unknown, isOver: () => boolean): Promise<unknown> {
    if (isClosed) throw new CannotRun(STOPPING);
    if (isOver()) return undefined;
    const own = startJudgeProcess(program, secondBudgetMs);
    alone = own;
    try {
      return await own.request(name, input);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      throw new CannotRun(
        `the response could not be evaluated: the judge process ${error.message}. Use fewer or simpler assertions, or a smaller response`,
      );
    } finally {
      own.end();
    }
  }

  async function made(name: string, input: unknown, isOver: () => boolean): Promise<unknown> {
    try {
      return await inShared(name, input);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      const second = queue.then(() => byItself(name, input, isOver));
      queue = second.catch(() => {});
      return second;
    }
  }

  return {
    judge: (judgement, input, signal) =>
      new Promise((resolve, reject) => {
        const onAbort = () => reject(signal.reason);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort);
        made(judgement.name, input, () => signal.aborted)
          .then((output) => resolve(output as never), reject)
          .finally(() => signal.removeEventListener('abort', onAbort));
        return undefined;
      }),
    close() {
      isClosed = true;
      shared?.end();
      alone?.end();
    },
  };
}
