/** Whether a maintenance window keeps a check from being run by the schedule. Pure. */

/** What a window says, as the API stores it. */
export interface Window {
  readonly startsAt?: unknown;
  readonly endsAt?: unknown;
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

/** Once, from its start up to its end. */
const isOpenOnce: IsOpen = ({ startsAt, endsAt }, instant) => {
  const [from, to] = [startsAt, endsAt].map((date) => Date.parse(String(date)));
  return from !== undefined && to !== undefined && from <= instant && instant < to;
};

/** The window that pauses a check at an instant: one for all checks, or one of its names or tags. */
export function pausedBy<W extends Window>(
  windows: readonly W[],
  check: Pausable,
  instant: number,
  isOpen: IsOpen = isOpenOnce,
): W | undefined {
  const labels = new Set([...check.names, ...check.tags]);
  return windows.find((window) => {
    const tags = Array.isArray(window.tags) ? window.tags : [];
    const isMeant = window.pauseAllChecks === true || tags.some((tag) => labels.has(String(tag)));
    return isMeant && isOpen(window, instant);
  });
}
