/** Prints a list once, or with `--watch` again and again until Ctrl-C. */
import { UsageError } from '../../base/errors.ts';
import type { EntryOf } from '../../client/index.ts';
import type { Endpoint } from '../../contract/index.ts';
import { isHumanReadable } from '../../terminal/index.ts';
import { type Deps, duration, flag } from './index.ts';
import type { WatchableView, WatchRequest } from './lazy/watch-list.ts';
import { printList } from './print-list.ts';
import { streamOutput } from './stream-output.ts';

const MIN_INTERVAL_MS = 1000;

export const watchOptions = {
  watch: flag('Refresh the list until Ctrl-C'),
  interval: duration('Time between refreshes with --watch, at least 1s', { default: '5s' }),
};

/** The part of a description that explains `--watch`. */
export const WATCH_DESCRIPTION =
  'With --watch, a table is refreshed in place. For programs, each new or changed row is printed once, oldest first; --json prints one ' +
  'object per line. Failed refreshes are repeated; denied access ends the command.';

/** Prints a list once, or with `--watch` until the signal aborts or the reader of stdout is gone. */
export async function printWatchableList<E extends Endpoint>(
  deps: Deps,
  endpoint: E,
  line: WatchRequest<E>,
  view: WatchableView<EntryOf<E>>,
): Promise<void> {
  const { watch, interval } = line.options;
  if (!watch) return printList(deps, endpoint, line, view);
  const { terminal } = deps;
  const isTable = isHumanReadable(terminal, line.output) && terminal.stdoutIsTTY && terminal.canDraw;
  if (interval < MIN_INTERVAL_MS) throw new UsageError('--interval must be at least 1s');
  const { printChanges, watchTable } = await import('./lazy/watch-list.ts');
  if (isTable) return watchTable(deps, endpoint, line, view);
  await printChanges(deps, endpoint, { ...line, output: streamOutput(line.output, '--watch') }, view);
}
