/** Where the browser of a service lies, which command installs one there, and what is said where there is none. */
import { join } from 'node:path';
import { isObject } from '../../base/object.ts';
import { isLocal } from '../../profiles/rules.ts';
import { INSTALL_COMMAND } from '../../runners/browser/install-command.ts';
import { shellWord } from '../framework/command-line.ts';
import type { Deps } from '../framework/index.ts';
import { serviceFolder } from './data-folder.ts';

/** The folder of browsers in a data folder. */
export const browsersFolder = (dataFolder: string): string => join(dataFolder, 'browser');

/** The command as a user types it: it names the data folder if that is not the standard one. */
export const installCommand = (deps: Pick<Deps, 'env' | 'home' | 'cwd'>, dataFolder: string): string =>
  dataFolder === serviceFolder(deps, undefined)
    ? INSTALL_COMMAND
    : `${INSTALL_COMMAND} --data ${shellWord(dataFolder)}`;

/** What a person reads before a browser check ends with that error. */
export const browserWarning = (problem: string): string => `Browser checks cannot run: ${problem}`;

/** Why the service has no browser, by its health; undefined: it has one, or does not say. */
export function findBrowserProblem(health: unknown): string | undefined {
  const { browserChecks } = isObject(health) ? health : {};
  const { problem } = isObject(browserChecks) ? browserChecks : {};
  return typeof problem === 'string' ? problem : undefined;
}

/** Nobody waits longer than this, in ms, for a warning. */
const HEALTH_TIMEOUT_MS = 1000;

/** The warning for a person who makes a browser check, if the service is on this machine and has no browser. Never rejects. */
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
