/** Changes several resources: asks for confirmation, and shows the progress, each outcome and what an interruption leaves. */
import { combinedExitCode, PartialFailureError } from '../../base/errors.ts';
import type { Client } from '../../client/index.ts';
import { type Column, render, sanitizeLine } from '../../terminal/index.ts';
import { formatIds, formatNameAndId } from '../framework/confirm-change.ts';
import type { Deps, Invocation } from '../framework/index.ts';
import { type ConfirmOptions, confirmChange } from './confirm-change.ts';
import { type Interruption, type Outcome, runForAll } from './run-for-all.ts';

type Id = string | number;

export interface SeveralChanges<I, R> extends Omit<ConfirmOptions, 'ids'> {
  readonly inputs: readonly I[];
  /** The path parameter for the ID. */
  readonly param: string;
  /** Whether several IDs were given. */
  readonly many: boolean;
  /** `Deleting` */
  readonly doing: string;
  /** `deleted` */
  readonly done: string;
  /** How to continue after an interruption. */
  readonly resumeHint?: string;
  readonly work: (input: I, api: Client) => Promise<R>;
  /** `shown`: the ID with the name, if it is known. */
  readonly formatSuccess: (shown: string, value: R) => string;
  readonly print: (outcomes: readonly Outcome<R>[]) => Promise<void>;
}

/** Above this number, the last line states the total. */
const MANY = 20;

/** Makes the changes and prints their outcomes. Throws for those that failed, at the end. */
export async function changeSeveral<I, R>(deps: Deps, change: SeveralChanges<I, R>): Promise<void> {
  const idOf = (input: I): Id =>
    (input as { readonly params: Readonly<Record<string, Id>> }).params[change.param] ?? '';
  const ids = [...new Set(change.inputs.map(idOf))];
  await confirmChange(deps, { ...change, ids });
  const api = await deps.client();
  const outcomes = ids.length === 0 ? [] : await runWithProgress(deps, change, ids, idOf, api);
  await change.print(outcomes);
  throwFailures(outcomes, change);
}

async function runWithProgress<I, R>(
  { terminal, signal }: Deps,
  change: SeveralChanges<I, R>,
  ids: readonly Id[],
  idOf: (input: I) => Id,
  api: Client,
): Promise<readonly Outcome<R>[]> {
  const { inputs, noun, plural, doing, done, names = new Map(), work, formatSuccess } = change;
  let settled = 0;
  const formatProgress = () =>
    ids.length === 1
      ? `${doing} the ${noun} ${ids[0]}`
      : `${doing} ${Math.min(settled + 1, ids.length)} of ${ids.length} ${plural}`;
  const live = terminal.live(({ width, spinnerFrame, measure, styles }) => [
    { mark: styles.cyan(spinnerFrame), text: measure.cut(sanitizeLine(formatProgress()), width - 2) },
  ]);
  try {
    const outcomes = await runForAll({
      inputs,
      idOf,
      work: (input) => work(input, api),
      signal,
      onSettled: () => {
        settled += 1;
      },
      onSuccess: (id, value) => terminal.note(formatSuccess(formatNameAndId(names, id), value)),
      onInterrupt: async (left) => {
        await live.stop();
        if (ids.length < 2) return;
        await terminal.warn(`interrupted: ${left.done.length} of ${ids.length} ${plural} ${done}`);
        await terminal.lines(formatInterruption(left, change), undefined, '  ');
      },
    });
    if (outcomes.length > MANY && outcomes.every((outcome) => 'value' in outcome)) {
      await terminal.note(
        `${done.charAt(0).toUpperCase()}${done.slice(1)}: all ${outcomes.length} ${plural}.`,
      );
    }
    return outcomes;
  } finally {
    await live.stop();
  }
}

/** Lists the IDs with unknown outcome, those that failed and those not started. */
function formatInterruption(
  { failed, unknown, notStarted }: Interruption,
  {
    done,
    resumeHint = 'run the same command again',
  }: Pick<SeveralChanges<never, never>, 'done' | 'resumeHint'>,
): string {
  const sentences = [
    unknown.length > 0 ? `Unknown, no response: ${formatIds(unknown)}.` : '',
    failed.length > 0 ? `Failed: ${formatIds(failed)}.` : '',
    notStarted.length > 0 ? `Not ${done}: ${formatIds(notStarted)}.` : '',
    `To continue, ${resumeHint}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join('\n');
}

/** Throws the error of a single ID itself, and a PartialFailureError that lists the failures of several. */
function throwFailures(
  outcomes: readonly Outcome<unknown>[],
  { many, noun, done }: { readonly many: boolean; readonly noun: string; readonly done: string },
): void {
  const failed = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : []));
  const [first] = failed;
  if (!first) return;
  if (!many) throw first.error;
  const details = failed.map(({ id, error }) => ({ place: `${noun} ${id}`, message: error.message }));
  const hints = new Set(failed.flatMap(({ error }) => error.hint ?? []));
  throw new PartialFailureError(
    `${failed.length} of ${outcomes.length} could not be ${done}`,
    combinedExitCode(failed.map(({ error }) => error.exitCode)),
    { details, hint: hints.size === 1 ? [...hints][0] : undefined, cause: first.error },
  );
}

/** Prints rows if an output format or fields are set; stderr has each outcome already. Prints nothing for a single failure. */
export async function printOutcomes<T extends { readonly id: Id }>(
  { terminal }: Deps,
  { output, many }: Pick<Invocation, 'output' | 'many'>,
  { rows, key, failed }: { readonly rows: readonly T[]; readonly key: string; readonly failed: boolean },
): Promise<void> {
  if (output.format === undefined && output.fields === undefined) return;
  const columns: readonly Column<T>[] = [
    { key: 'id', kind: 'id' },
    { key, kind: 'boolean' },
  ];
  const [only] = rows;
  if (many || only === undefined) return render(terminal, { kind: 'list', data: rows, output, columns });
  if (!failed) await render(terminal, { kind: 'item', data: only, output, columns });
}
