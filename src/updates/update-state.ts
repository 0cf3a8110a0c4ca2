/** What is remembered of newer versions, in the user's state folder, and what follows from it. */

import { readSmallFile } from '../base/small-file.ts';
import { putFile } from '../base/write-file.ts';

/** Times in ms since the epoch. */
export interface UpdateState {
  /** When the registry was last asked. */
  readonly askedAt?: number | undefined;
  /** When a person was last told. */
  readonly toldAt?: number | undefined;
  /** The newest version that the registry told of. */
  readonly latest?: string | undefined;
}

/** What is due now. */
export interface DueActions {
  readonly shouldFetch: boolean;
  /** The version to tell of. */
  readonly newVersion: string | undefined;
}

const DAY = 24 * 60 * 60 * 1000;
/** A release; versions before one are nobody's to be told of. */
const RELEASE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** Asks and tells once a day each. A time in the future was written by a clock that was wrong. */
export function findDueActions(
  { askedAt, toldAt, latest }: UpdateState,
  now: number,
  version: string,
): DueActions {
  const isPast = (then: number | undefined): boolean => then === undefined || then > now || now - then >= DAY;
  const isNews = latest !== undefined && isNewer(latest, version) && isPast(toldAt);
  return { shouldFetch: isPast(askedAt), newVersion: isNews ? latest : undefined };
}

/** Whether one release comes after another version. A pre-release comes before its release. */
export function isNewer(candidate: string, version: string): boolean {
  const one = RELEASE.exec(candidate)?.slice(1).map(Number);
  const core = version.split(/[-+]/)[0] ?? '';
  const other = RELEASE.exec(core)?.slice(1).map(Number);
  if (one === undefined || other === undefined) return false;
  const at = one.findIndex((part, index) => part !== other[index]);
  return at === -1 ? version.startsWith(`${core}-`) : (one[at] ?? 0) > (other[at] ?? 0);
}

/** Nothing where there is none, or none that can be read: it is written anew. */
export function readUpdateState(path: string): UpdateState {
  try {
    const { askedAt, toldAt, latest } = JSON.parse(readSmallFile(path)) as Record<string, unknown>;
    return {
      askedAt: typeof askedAt === 'number' ? askedAt : undefined,
      toldAt: typeof toldAt === 'number' ? toldAt : undefined,
      latest: typeof latest === 'string' && RELEASE.test(latest) ? latest : undefined,
    };
  } catch {
    return {};
  }
}

/** In one step, so that nobody reads half of it. Throws where the folder cannot be written. */
export function writeUpdateState(path: string, state: UpdateState): void {
  putFile(path, JSON.stringify(state));
}
