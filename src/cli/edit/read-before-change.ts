/** Reads the current state of a resource before a change, if the deployment offers that. */
import { mayLackEndpoint } from '../../base/errors.ts';
import type { Deps } from '../framework/index.ts';

/**
 * Returns the result of `read`. If the deployment does not offer the endpoint, prints a warning and returns undefined.
 * Throws other errors of `read`.
 */
export async function readBeforeChange<R>(
  { terminal }: Pick<Deps, 'terminal'>,
  resource: string,
  read: () => Promise<R>,
): Promise<R | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!mayLackEndpoint(error)) throw error;
    const either = error.absence === 'either' ? `, or does not have the ${resource}` : '';
    await terminal.warn(`cannot show a diff: this deployment does not offer ${error.endpoint}${either}`);
    return undefined;
  }
}
