/** Compares the number of entries that a list announces with the number that was read. */
import { NetworkError } from '../base/errors.ts';
import { plural } from '../base/plural.ts';
import type { Answer } from './attempt.ts';

/** The start and the total of `0-9/11`, also with a unit or without a start. A range of bytes counts no entries. */
const RANGE = /^(?!bytes\b)[^\d*]*(?:(\d{1,15})-\d{1,15}|\*)\s*\/\s*(\d{1,15})$/i;

/** Returns the error of a list that cannot be read as a whole. */
export const incompleteList = (endpoint: string, why: string, hint: string): NetworkError =>
  new NetworkError(`cannot read the whole list: ${why}`, { endpoint, mayHaveActed: false }, { hint });

const formatCount = (count: number): string => plural(count, 'entry', 'entries');

/**
 * Creates a count for one list. `skipped`: the number of entries before the first page; undefined if only the service
 * knows. The latest total counts, because entries may be deleted while the list is read.
 */
export function createEntryCount(endpoint: string, skipped: number | undefined) {
  let start = skipped;
  let read = 0;
  let isFirst = true;
  let total: number | undefined;
  /** The largest total: entries that were read may be deleted before the next page. */
  let largest = 0;
  /** The latest page whose `length` exceeds its entries. Some services send the total there. */
  let cut: { readonly length: number; readonly entries: number } | undefined;
  return {
    /** Adds a page. Returns the total that it announces, and whether more entries must follow. */
    add({ headers, body }: Pick<Answer<unknown>, 'headers' | 'body'>, entries: number) {
      const [, first, announced] = RANGE.exec(headers['content-range']?.trim() ?? '') ?? [];
      if (isFirst && first !== undefined) start ??= Number(first);
      isFirst = false;
      read += entries;
      if (announced !== undefined) total = Number(announced);
      largest = Math.max(largest, total ?? 0);
      const { length } = body as { readonly length?: unknown };
      if (typeof length === 'number' && length > entries) cut = { length, entries };
      return {
        total: announced === undefined ? undefined : Number(announced),
        isShort: start !== undefined && total !== undefined && start + read < total,
      };
    },
    /** Throws NetworkError if the list, which goes on, has more entries than it ever announced. */
    assertEnds(): void {
      if (start === undefined || total === undefined || start + read <= largest) return;
      throw incompleteList(
        endpoint,
        `the service announced ${formatCount(largest)}, returned ${start + read}, and announces more`,
        'the paging of the service or a proxy is faulty',
      );
    },
    /** Throws NetworkError if the list, which has ended, announced more entries than were read. */
    assertWhole(): void {
      const hint = 'run the command again; if it fails again, the paging of the service or a proxy is faulty';
      if (start !== undefined && total !== undefined && start + read < total)
        throw incompleteList(
          endpoint,
          `the service announced ${formatCount(total)}, but returned ${start + read}`,
          hint,
        );
      if (cut && cut.length !== (start ?? 0) + read)
        throw incompleteList(
          endpoint,
          `a page announced ${formatCount(cut.length)}, but contained ${cut.entries}`,
          hint,
        );
    },
  };
}
