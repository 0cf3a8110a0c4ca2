/** Finds the browser of a local service, and explains how to install one. */
import { join } from 'node:path';
import { isObject } from '../../base/object.ts';
import { isLocal } from '../../profiles/rules.ts';
import { INSTALL_COMMAND } from '../../runners/browser/find-browser.ts';
import { quoteShellWord } from '../framework/format-command-line.ts';
import type { Deps } from '../framework/index.ts';
import { serviceFolder } from './data-folder.ts';

export const browsersFolder = (dataFolder: string): string => join(dataFolder, 'browser');

/** Returns the install command; it names the data folder unless it is the default. */
export const installCommand = (deps: Pick<Deps, 'env' | 'home' | 'cwd'>, dataFolder: string): string =>
  dataFolder === serviceFolder(deps, undefined)
    ? INSTALL_COMMAND
    : `${INSTALL_COMMAND} --data ${quoteShellWord(dataFolder)}`;

export const browserWarning = (problem: string): string => `Browser checks cannot run: ${problem}`;

/** Returns from the health response why the service has no browser. Undefined: it has one, or does not say. */
export function findBrowserProblem(health: unknown): string | undefined {
  const { browserChecks } = isObject(health) ? health : {};
  const { problem } = isObject(browserChecks) ? browserChecks : {};
  return typeof problem === 'string' ? problem : undefined;
}

const HEALTH_TIMEOUT_MS = 1000;

/** Returns a warning if the service is on this machine and has no browser. Never rejects. */
export async function localBrowserWarning({
  profiles,
  signal,
}: Pick<Deps, 'profiles' | 'signal'>): Promise<string | undefined> {
  try {
    const { baseUrl, apiKey } = await profiles();
    if (baseUrl === undefined || !isLocal(baseUrl)) return undefined;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)]);
    const key = await apiKey?.();
    if (key === undefined) return undefined;
    const headers = { authorization: `Bearer ${key.reveal()}` };
    const answer = await fetch(`${baseUrl}/health`, { headers, signal: timeout });
    const problem = findBrowserProblem(await answer.json());
    return problem === undefined ? undefined : browserWarning(problem);
  } catch {
    return undefined;
  }
}
