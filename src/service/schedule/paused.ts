/** Whether a maintenance window keeps a check from being run by the schedule. Pure. */
import { occurrenceAt, type WindowTimes } from '../../calendar/occurrences.ts';

/** What a window says, as the API stores it. */
export interface Window extends WindowTimes {
  readonly pauseAllChecks?: unknown;
  readonly tags?: unknown;
}

/** What windows are matched with: names and tags of a check and its group. */
export interface Pausable {
  readonly names: readonly string[];
  readonly tags: readonly string[];
}

/** Whether a window is open at an instant (ms since the epoch). */
export type IsOpen = (window: Window, instant: number) => boolean;

/** From its start up to its end, each time that it repeats. */
const isOpenThen: IsOpen = (window, instant) => occurrenceAt(window, instant) !== undefined;

/** The window that pauses a check at an instant: one for all checks, or one of its names or tags. */
export function pausedBy<W extends Window>(
  windows: readonly W[],
  check: Pausable,
  instant: number,
  isOpen: IsOpen = isOpenThen,
): W | undefined {
  const labels = new Set([...check.names, ...check.tags]);
  return windows.find((window) => {
    const tags = Array.isArray(window.tags) ? window.tags : [];
    const isMeant = window.pauseAllChecks === true || tags.some((tag) => labels.has(String(tag)));
    return isMeant && isOpen(window, instant);
  });
}
