/** Reads and writes the state of update checks in the user's state folder and decides what is due. */

import { readSmallFile, writeFileAtomically } from '../base/files.ts';

/** Times in ms since the epoch. */
export interface UpdateState {
  /** Time of the last request to the registry. */
  readonly askedAt?: number | undefined;
  /** Time of the last notice. */
  readonly toldAt?: number | undefined;
  /** Latest version in the registry. */
  readonly latest?: string | undefined;
}

/** Due actions. */
export interface DueActions {
  readonly shouldFetch: boolean;
  /** Version to announce. */
  readonly newVersion: string | undefined;
}

const DAY = 24 * 60 * 60 * 1000;
/** A release version; pre-releases are not announced. */
const RELEASE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** Fetches and notifies at most once a day each. Ignores times in the future, written by a wrong clock. */
export function findDueActions(
  { askedAt, toldAt, latest }: UpdateState,
  now: number,
  version: string,
): DueActions {
  const isDue = (then: number | undefined): boolean => then === undefined || then > now || now - then >= DAY;
  const hasNews = latest !== undefined && isNewer(latest, version) && isDue(toldAt);
  return { shouldFetch: isDue(askedAt), newVersion: hasNews ? latest : undefined };
}

/** Returns whether a release is newer than a version. A pre-release is older than its release. */
export function isNewer(candidate: string, version: string): boolean {
  const candidateParts = RELEASE.exec(candidate)?.slice(1).map(Number);
  const core = version.split(/[-+]/)[0] ?? '';
  const versionParts = RELEASE.exec(core)?.slice(1).map(Number);
  if (candidateParts === undefined || versionParts === undefined) return false;
  const at = candidateParts.findIndex((part, index) => part !== versionParts[index]);
  return at === -1 ? version.startsWith(`${core}-`) : (candidateParts[at] ?? 0) > (versionParts[at] ?? 0);
}

/** Returns the state; empty if it is missing or unreadable. */
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

/** Writes the state atomically. Throws if the folder is not writable. */
export function writeUpdateState(path: string, state: UpdateState): void {
  writeFileAtomically(path, JSON.stringify(state));
}
