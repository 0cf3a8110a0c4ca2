/** Runs one operation for several IDs, a few at a time. */
import { SondeError } from '../../base/errors.ts';

const CONCURRENCY = 4;

export type Outcome<R> =
  | { readonly id: string | number; readonly value: R }
  | { readonly id: string | number; readonly error: SondeError };

export interface BulkTask<I, R> {
  /** Inputs with the same ID run once. */
  readonly inputs: readonly I[];
  readonly idOf: (input: I) => string | number;
  readonly work: (input: I) => Promise<R>;
  readonly onSuccess?: (id: string | number, value: R) => Promise<void>;
  /** Called after each success and failure. */
  readonly onSettled?: () => void;
  /** Called if the signal is aborted before all inputs are processed. */
  readonly onInterrupt?: (left: Interruption) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The state of an interrupted run, in input order. */
export interface Interruption {
  readonly done: readonly (string | number)[];
  readonly failed: readonly (string | number)[];
  /** Started, with unknown outcome. */
  readonly unknown: readonly (string | number)[];
  readonly notStarted: readonly (string | number)[];
}

/** Processes all inputs. Returns outcomes in input order. Rejects only after an abort or for a bug. */
export async function runForAll<I, R>(task: BulkTask<I, R>): Promise<readonly Outcome<R>[]> {
  const { idOf, work, onSuccess, onSettled, onInterrupt, signal } = task;
  const inputs = [...new Map(task.inputs.map((input) => [idOf(input), input])).entries()];
  const outcomes = new Map<string | number, Outcome<R>>();
  const started = new Set<string | number>();
  const queue = inputs.values();
  const runLane = async (): Promise<void> => {
    for (const [id, input] of queue) {
      if (signal.aborted) return;
      started.add(id);
      try {
        const value = await work(input);
        outcomes.set(id, { id, value });
        onSettled?.();
        await onSuccess?.(id, value);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof SondeError)) throw error;
        outcomes.set(id, { id, error });
        onSettled?.();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, inputs.length) }, runLane));
  if (outcomes.size < inputs.length) {
    const ids = inputs.map(([id]) => id);
    const isDone = (id: string | number): boolean => 'value' in (outcomes.get(id) ?? {});
    await onInterrupt?.({
      done: ids.filter(isDone),
      failed: ids.filter((id) => outcomes.has(id) && !isDone(id)),
      unknown: ids.filter((id) => started.has(id) && !outcomes.has(id)),
      notStarted: ids.filter((id) => !started.has(id)),
    });
    throw signal.reason;
  }
  return inputs.flatMap(([id]) => outcomes.get(id) ?? []);
}

/** Returns the values of the successes, in input order. */
export function valuesOf<R>(outcomes: readonly Outcome<R>[]): readonly R[] {
  return outcomes.flatMap((outcome) => ('error' in outcome ? [] : [outcome.value]));
}
