/** Runs one operation for several IDs, and shows the progress, each outcome and what an interruption leaves. */
import { sanitizeLine } from '../../terminal/index.ts';
import { formatIds } from '../framework/confirm-change.ts';
import type { Deps } from '../framework/index.ts';
import { type Interruption, type Outcome, runForAll } from './run-for-all.ts';

export interface ProgressLabels {
  /** `snippet`, `snippets` */
  readonly noun: string;
  readonly plural: string;
  /** `Deleting` */
  readonly doing: string;
  /** `deleted` */
  readonly done: string;
  /** How to continue after an interruption: `run the same command again`. */
  readonly resumeHint: string;
}

export interface ProgressTask<I, R> {
  readonly inputs: readonly I[];
  readonly idOf: (input: I) => string | number;
  readonly work: (input: I) => Promise<R>;
  readonly formatSuccess: (id: string | number, value: R) => string;
  readonly labels: ProgressLabels;
}

/** Above this number, the last line states the total. */
const MANY = 20;

/** Returns the outcomes as `runForAll` does. */
export async function runWithProgress<I, R>(
  { terminal, signal }: Deps,
  { inputs, idOf, work, formatSuccess, labels }: ProgressTask<I, R>,
): Promise<readonly Outcome<R>[]> {
  const { noun, plural, doing, done } = labels;
  const ids = [...new Set(inputs.map(idOf))];
  if (ids.length === 0) return [];
  let settled = 0;
  const formatProgress = () =>
    ids.length === 1
      ? `${doing} the ${noun} ${ids[0]}`
      : `${doing} ${Math.min(settled + 1, ids.length)} of ${ids.length} ${plural}`;
  const live = terminal.live(({ width, spinnerFrame: turning, measure, styles }) => [
    { mark: styles.cyan(turning), text: measure.cut(sanitizeLine(formatProgress()), width - 2) },
  ]);
  try {
    const outcomes = await runForAll({
      inputs,
      idOf,
      work,
      signal,
      onSettled: () => {
        settled += 1;
      },
      onSuccess: (id, value) => terminal.note(formatSuccess(id, value)),
      onInterrupt: async (left) => {
        await live.stop();
        if (ids.length < 2) return;
        await terminal.warn(`interrupted: ${left.done.length} of ${ids.length} ${plural} ${done}`);
        await terminal.lines(formatInterruption(left, labels), undefined, '  ');
      },
    });
    const failed = outcomes.filter((outcome) => 'error' in outcome).length;
    if (outcomes.length > MANY && failed === 0) {
      await terminal.note(`${upperFirst(done)}: all ${outcomes.length} ${plural}.`);
    }
    return outcomes;
  } finally {
    await live.stop();
  }
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Lists the IDs with unknown outcome, those that failed and those not started. */
function formatInterruption(
  { failed, unknown, notStarted }: Interruption,
  { done, resumeHint }: ProgressLabels,
): string {
  const sentences = [
    unknown.length > 0 ? `Unknown, no response: ${formatIds(unknown)}.` : '',
    failed.length > 0 ? `Failed: ${formatIds(failed)}.` : '',
    notStarted.length > 0 ? `Not ${done}: ${formatIds(notStarted)}.` : '',
    `To continue, ${resumeHint}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join('\n');
}
