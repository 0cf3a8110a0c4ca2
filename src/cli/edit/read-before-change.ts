/** Reads the current state of a resource before a change, if the deployment offers that. */
import { ApiError, mayLackEndpoint, SondeError } from '../../base/errors.ts';
import type { Deps, Invocation } from '../framework/index.ts';

/**
 * Returns the result of `read`. If the deployment does not offer the endpoint, prints a warning and returns undefined.
 * Throws other errors of `read`, except in a dry run without a reachable deployment.
 */
export async function readBeforeChange<R>(
  { terminal }: Pick<Deps, 'terminal'>,
  resource: string,
  read: () => Promise<R>,
  { dryRun = false }: Partial<Pick<Invocation, 'dryRun'>> = {},
): Promise<R | undefined> {
  try {
    return await read();
  } catch (error) {
    if (dryRun && !(error instanceof ApiError) && error instanceof SondeError) {
      await terminal.warn(`cannot read the ${resource}: only the changes are shown (${error.message})`);
      return undefined;
    }
    if (!mayLackEndpoint(error)) throw error;
    const either = error.absence === 'either' ? `, or does not have the ${resource}` : '';
    await terminal.warn(`cannot show a diff: this deployment does not offer ${error.endpoint}${either}`);
    return undefined;
  }
}
