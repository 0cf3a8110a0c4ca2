/** Which package is ours, and where it is asked for. */
import { join } from 'node:path';
import { readSmallFile } from '../base/small-file.ts';

/** What our own package.json says of where it is published; there is none while it says nothing of it. */
export interface Release {
  readonly name: string;
  /** The URL of the repository that it is made from. */
  readonly repository: string;
  /** The registry that it is published to. */
  readonly registry: string;
}

/** Whether what a manifest says of its repository is this one, in any of the ways in which npm writes it. */
export function isSameRepository(told: unknown, repository: string): boolean {
  const url = typeof told === 'object' && told !== null && 'url' in told ? told.url : told;
  return typeof url === 'string' && plain(url) === plain(repository);
}

const plain = (url: string): string =>
  url
    .toLowerCase()
    .replace(/^git\+/, '')
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://')
    .replace(/(?:\.git)?\/*$/, '');

/**
 * The registry that the user has npm ask: `npm_config_registry`, `registry` in `~/.npmrc`, else the one that we publish to.
 * Undefined where it cannot be asked without giving away who asks, or is no URL.
 */
export function resolveRegistry(
  { registry }: Release,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string | undefined {
  const chosen = env.npm_config_registry || registryIn(join(home, '.npmrc')) || registry;
  if (!URL.canParse(chosen)) return undefined;
  const { protocol, username, password } = new URL(chosen);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? chosen : undefined;
}

function registryIn(npmrc: string): string | undefined {
  try {
    return /^\s*registry\s*=\s*"?([^"\s]+)"?\s*$/m.exec(readSmallFile(npmrc))?.[1];
  } catch {
    return undefined;
  }
}
