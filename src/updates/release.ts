/** Identifies the npm package of sonde and its registry. */
import { join } from 'node:path';
import { readSmallFile } from '../base/files.ts';

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
    .replace(/(?:\.git)?\/*$/, '');

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
  if (!URL.canParse(chosen)) return undefined;
  const { protocol, username, password } = new URL(chosen);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? chosen : undefined;
}

function readRegistry(npmrc: string): string | undefined {
  try {
    return /^\s*registry\s*=\s*"?([^"\s]+)"?\s*$/m.exec(readSmallFile(npmrc))?.[1];
  } catch {
    return undefined;
  }
}
