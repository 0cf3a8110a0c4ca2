/** Identifies the npm package of sonde, keeps the state of update checks in the user's folder, and decides what is due. */

import { join } from 'node:path';
import { readSmallFile, writeFileAtomically } from '../base/files.ts';
import { isUrl } from '../base/parse-url.ts';

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

/** Publication data from package.json; missing if package.json has none. */
export interface Release {
  readonly name: string;
  /** URL of the source repository. */
  readonly repository: string;
  /** URL of the registry. */
  readonly registry: string;
}

/** Returns whether the repository field of a manifest, in any of npm's notations, is this repository. */
export function isSameRepository(field: unknown, repository: string): boolean {
  const url = typeof field === 'object' && field !== null && 'url' in field ? field.url : field;
  return typeof url === 'string' && normalize(url) === normalize(repository);
}

const normalize = (url: string): string =>
  url
    .toLowerCase()
    .replace(/^git\+/, '')
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://')
    .replace(/(?:\.git|(?<!\/))\/*$/, '');

/**
 * Returns the user's npm registry: `npm_config_registry`, `registry` in `~/.npmrc`, or the one sonde is published to.
 * Returns undefined if it needs credentials or is not a URL.
 */
export function resolveRegistry(
  { registry }: Release,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string | undefined {
  const chosen = env.npm_config_registry || readRegistry(join(home, '.npmrc')) || registry;
  if (!isUrl(chosen)) return undefined;
  const { protocol, username, password } = new URL(chosen);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? chosen : undefined;
}

function readRegistry(npmrc: string): string | undefined {
  try {
    return /^[^\S\n]*registry[^\S\n]*=[^\S\n]*"?([^"\s]+)"?\s*$/m.exec(readSmallFile(npmrc))?.[1];
  } catch {
    return undefined;
  }
}
