/** Defines the flag that opens the page of a resource in a browser instead of printing the resource. */
import { NotFoundError } from '../../base/errors.ts';
import { type Deps, flag } from '../framework/index.ts';
import type { OutputContext } from '../resources/resource.ts';

export const webOption = flag('Open the page in a browser');

/** Opens the page that the API linked. */
export async function openLink(deps: Deps, line: OutputContext, link: string | undefined): Promise<void> {
  if (link === undefined) throw new NotFoundError('this deployment has no page for the session');
  const { openAddress } = await import('./lazy/open-page.ts');
  await openAddress(deps, line, { url: link });
}
