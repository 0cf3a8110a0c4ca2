/** Refreshes a list: as a table in place in a terminal, as new and changed rows for programs. */
import { raceWithAbort } from '../../../base/abort.ts';
import { ApiError, NetworkError } from '../../../base/errors.ts';
import { type EntryOf, RefusedError } from '../../../client/index.ts';
import type { Endpoint } from '../../../contract/index.ts';
import { formatAbsoluteTime, render, toArray } from '../../../terminal/index.ts';
import { startLiveTable } from '../../../terminal/live-table.ts';
import type { Deps } from '../index.ts';
import { formatEmpty, type ListRequest, type ListView, type Query, summarize } from '../print-list.ts';

export interface WatchableView<T> extends ListView<T> {
  /** Returns the ID of a row. */
  readonly idOf: (row: T) => string;
  /** Returns the parts of a row whose change counts. */
  readonly stateOf: (row: T) => unknown;
}

export interface WatchRequest<E> extends ListRequest<E> {
  readonly options: { readonly watch: boolean; readonly interval: number };
}

interface Snapshot<T> {
  readonly rows: readonly T[];
  readonly total: number | undefined;
  /** Whether the list has more pages than these rows. */
  readonly hasMore: boolean;
}

async function fetchSnapshot<E extends Endpoint>(
  { client, signal }: Deps,
  endpoint: E,
  { input, all }: WatchRequest<E>,
  retry: boolean,
): Promise<Snapshot<EntryOf<E>>> {
  const pages = await toArray((await client()).pages(endpoint, input, { all, signal, retry }));
  const last = pages.at(-1);
  return {
    rows: pages.flatMap(({ entries }) => entries),
    total: last?.total,
    hasMore: last?.more === true,
  };
}

/** Returns the message of an error after which a later refresh may work. */
function messageIfTransient(error: unknown): string | undefined {
  const isTransient =
    error instanceof NetworkError ||
    (error instanceof ApiError && (error.status === 429 || error.status >= 500));
  return isTransient ? error.message : undefined;
}

/**
 * Yields a snapshot or the message of a failed refresh. Throws if the first refresh fails, and errors that will not pass.
 * Only the first refresh is retried at once, because the next one is due soon.
 */
async function* refresh<E extends Endpoint>(
  deps: Deps,
  endpoint: E,
  line: WatchRequest<E>,
): AsyncGenerator<Snapshot<EntryOf<E>> | string> {
  const { terminal, clock, signal } = deps;
  for (let isFirst = true; !terminal.readerGone; isFirst = false) {
    let waitMs = line.options.interval;
    try {
      yield await fetchSnapshot(deps, endpoint, line, isFirst);
    } catch (error) {
      const message = isFirst || signal.aborted ? undefined : messageIfTransient(error);
      if (message === undefined) throw error;
      if (error instanceof RefusedError) waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
      yield message;
    }
    await raceWithAbort(Promise.race([clock.sleep(waitMs, signal), terminal.whenReaderGone]), signal);
  }
}

/** Draws the list in place. The last table remains on the screen. */
export async function watchTable<E extends Endpoint>(
  deps: Deps,
  endpoint: E,
  line: WatchRequest<E>,
  view: WatchableView<EntryOf<E>>,
): Promise<void> {
  const { terminal, clock } = deps;
  const { output } = line;
  const { columns, table, noun, statusOf, emptyHint } = view;
  const shown = output.fields ? undefined : table;
  const query: Query = (line.input as { readonly query?: Query }).query ?? {};
  const live = await startLiveTable(terminal, shown?.columns ?? columns, output);
  let rows: readonly EntryOf<E>[] = [];
  let summary = '';
  let refreshedAt = clock.now();
  try {
    for await (const snapshot of refresh(deps, endpoint, line)) {
      if (typeof snapshot !== 'string') {
        rows = shown?.addDetails
          ? await toArray(shown.addDetails(deps, iterate(snapshot.rows)))
          : snapshot.rows;
        summary =
          rows.length === 0
            ? formatEmpty(noun, query, emptyHint)
            : summarize(rows, snapshot.total, { noun, statusOf });
        refreshedAt = clock.now();
      }
      const time = formatAbsoluteTime(refreshedAt, output)?.split(' ')[1];
      const failure = typeof snapshot === 'string' ? [`Refresh failed: ${snapshot}.`] : [];
      await live.update(rows, [summary, ...failure, `Refreshed at ${time}. To stop, press Ctrl-C.`]);
    }
  } finally {
    await live.stop();
    await render(terminal, {
      ...{ kind: 'list', data: rows, output, columns: shown?.columns ?? columns },
      summary: () => summary,
    });
  }
}

async function* iterate<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

/** Prints each new or changed row, oldest first. */
export async function printChanges<E extends Endpoint>(
  deps: Deps,
  endpoint: E,
  line: WatchRequest<E>,
  { columns, noun, idOf, stateOf }: WatchableView<EntryOf<E>>,
): Promise<void> {
  const { terminal } = deps;
  const { output } = line;
  let states: ReadonlyMap<string, string> = new Map();
  let failure: string | undefined;
  async function* changes(): AsyncGenerator<EntryOf<E>> {
    for await (const snapshot of refresh(deps, endpoint, line)) {
      if (typeof snapshot === 'string') {
        if (failure !== snapshot) await terminal.warn(`Refresh failed: ${snapshot}.`);
        failure = snapshot;
        continue;
      }
      failure = undefined;
      const rows = snapshot.rows.toReversed();
      const next = new Map(rows.map((row) => [idOf(row), JSON.stringify(stateOf(row))]));
      const isGap = snapshot.hasMore && states.size > 0 && ![...next.keys()].some((id) => states.has(id));
      if (isGap)
        await terminal.warn(`Some ${noun} may be missing: pass a larger --limit or a shorter --interval.`);
      yield* rows.filter((row) => states.get(idOf(row)) !== next.get(idOf(row)));
      states = next;
    }
  }
  await render(terminal, { kind: 'list', data: changes(), output, columns });
}
