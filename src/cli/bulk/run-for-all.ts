/** Does one thing to several ids: a few at once, every one tried, each outcome told. */
import { combinedExitCode, PartialFailureError, SondeError } from '../../base/errors.ts';
import { type Column, type OutputOptions, render, type Terminal } from '../../terminal/index.ts';

/** How many are worked on at once. */
const CONCURRENCY = 4;

/** What became of one id. */
export type Outcome<R> =
  | { readonly id: string | number; readonly value: R }
  | { readonly id: string | number; readonly error: SondeError };

export interface BulkTask<I, R> {
  /** Two inputs of one id are done once. */
  readonly inputs: readonly I[];
  readonly idOf: (input: I) => string | number;
  readonly work: (input: I) => Promise<R>;
  /** Told of each success as it comes. */
  readonly onSuccess: (id: string | number, value: R) => Promise<void>;
  /** Told of each that is over, well or not. */
  readonly onSettled?: () => void;
  /** Told what is left where the whole is stopped before its end. */
  readonly onInterrupt?: (left: Interruption) => Promise<void>;
  readonly signal: AbortSignal;
}

/** What a stop leaves, in the order given. */
export interface Interruption {
  readonly done: readonly (string | number)[];
  readonly failed: readonly (string | number)[];
  /** Begun, and nobody knows whether it was done. */
  readonly unknown: readonly (string | number)[];
  readonly notStarted: readonly (string | number)[];
}

/** Works through all inputs. Outcomes are in the order given. Rejects only where the whole is stopped, or for a bug. */
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
        await onSuccess(id, value);
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

/** The values of those that went well, in the order given. */
export function valuesOf<R>(outcomes: readonly Outcome<R>[]): readonly R[] {
  return outcomes.flatMap((outcome) => ('error' in outcome ? [] : [outcome.value]));
}

/**
 * Prints `{id, deleted}` rows where a format or fields were asked for: a person sees each outcome on stderr already. A single
 * id that failed is an error and no result.
 */
export async function printOutcomes<T>(
  terminal: Terminal,
  output: OutputOptions,
  { rows, many, failed, columns }: OutcomeRows<T>,
): Promise<void> {
  if (output.format === undefined && output.fields === undefined) return;
  const [only] = rows;
  if (many || only === undefined) return render(terminal, { kind: 'list', data: rows, output, columns });
  if (!failed) await render(terminal, { kind: 'item', data: only, output, columns });
}

export interface OutcomeRows<T> {
  readonly rows: readonly T[];
  readonly many: boolean;
  readonly failed: boolean;
  readonly columns: readonly Column<T>[];
}

/**
 * Throws where some went wrong: for a single id the error as it was; of several a PartialFailureError that lists them.
 *
 * @param noun what each is, in the singular: `snippet`
 * @param verb what was done to it: `deleted`
 */
export function throwFailures(
  outcomes: readonly Outcome<unknown>[],
  many: boolean,
  { noun, verb }: { readonly noun: string; readonly verb: string },
): void {
  const failed = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : []));
  const [first] = failed;
  if (!first) return;
  if (!many) throw first.error;
  const details = failed.map(({ id, error }) => ({ place: `${noun} ${id}`, message: error.message }));
  const hints = new Set(failed.flatMap(({ error }) => error.hint ?? []));
  throw new PartialFailureError(
    `${failed.length} of ${outcomes.length} could not be ${verb}`,
    combinedExitCode(failed.map(({ error }) => error.exitCode)),
    { details, hint: hints.size === 1 ? [...hints][0] : undefined, cause: first.error },
  );
}
