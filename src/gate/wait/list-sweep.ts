/** Reads many sessions at once from the list of the deployment. */
import type { Clock } from '../../base/clock.ts';
import { isObject } from '../../base/object.ts';
import type { Pace, Quota } from './pace.ts';
import type { SessionKind } from './verdict.ts';

export interface ListPage {
  readonly entries: readonly unknown[];
  /** The cursor of the next page. */
  readonly nextId: string | undefined;
  readonly quota?: Quota | undefined;
}

/** Why a list cannot be read. `missing`: the deployment does not offer it. */
export interface ListFault {
  readonly kind: 'missing' | 'limited' | 'fault';
  readonly retryAfterMs?: number | undefined;
}

/** Yields the pages of the list from a cursor on, newest session first; a fault ends it. Rejects only when aborted. */
export type ReadList = (from: string | undefined, signal: AbortSignal) => AsyncIterable<ListPage | ListFault>;

/** Maximum number of pages for each wanted session: single reads of the rest cost less than a long list. */
const PAGES_PER_SESSION = 1 / 5;
/** Maximum number of consecutive lists with fewer wanted sessions than pages; after it, the list is no longer read. */
const MAX_USELESS = 2;

export interface Sweep {
  /** The entries by the key of their session. They prove nothing yet. */
  readonly entries: ReadonlyMap<string, unknown>;
  readonly pages: number;
  /** Whether the list is worth reading again. */
  readonly isUseful: boolean;
}

/** UUIDs are case-insensitive. */
export const keyOf = (id: string): string => id.toLowerCase();

/** Creates a function that looks for the wanted sessions in the list. It begins at the first page that had one of them. */
export function createListSweep(
  read: ReadList,
  { idField }: SessionKind,
  { pace, clock }: { readonly pace: Pace; readonly clock: Clock },
) {
  let from: string | undefined;
  let useless = 0;
  /** Adds the wanted sessions of a page. Two entries of one session contradict each other, so neither counts. */
  const collect = (page: ListPage, wanted: ReadonlySet<string>, found: Map<string, unknown>): void => {
    for (const entry of page.entries) {
      const id = isObject(entry) ? entry[idField] : undefined;
      const key = typeof id === 'string' ? keyOf(id) : '';
      if (wanted.has(key)) found.set(key, found.has(key) ? undefined : entry);
    }
  };

  return async (wanted: ReadonlySet<string>, signal: AbortSignal): Promise<Sweep> => {
    const found = new Map<string, unknown>();
    if (pace.pausedUntil() > clock.monotonic()) return { entries: found, pages: 0, isUseful: true };
    const began = from;
    let cursor = from;
    let pages = 0;
    let fault: ListFault | undefined;
    from = undefined;
    try {
      for await (const page of read(began, signal)) {
        pages += 1;
        pace.spend();
        if ('kind' in page) {
          fault = page;
          if (page.kind === 'limited') pace.pause(page.retryAfterMs);
          break;
        }
        pace.learn(page.quota);
        const before = found.size;
        collect(page, wanted, found);
        // Later sweeps need no page before the first with one of the sessions.
        if (before === 0 && found.size > 0) from = cursor;
        cursor = page.nextId;
        if (found.size === wanted.size || pages >= wanted.size * PAGES_PER_SESSION) break;
        const pauseMs = pace.pausedUntil() - clock.monotonic();
        if (pauseMs > 0) await clock.sleep(pauseMs, signal);
      }
    } catch (error) {
      // The entries that arrived until then count.
      if (!signal.aborted) throw error;
    }
    for (const [key, entry] of found) if (entry === undefined) found.delete(key);
    // A cursor may have expired; without one, the list itself is missing.
    const isMissing = fault?.kind === 'missing' && cursor === undefined;
    const isUseless = !fault && !signal.aborted && began === undefined && found.size < pages;
    useless = isUseless ? useless + 1 : 0;
    return { entries: found, pages, isUseful: !isMissing && useless < MAX_USELESS };
  };
}
