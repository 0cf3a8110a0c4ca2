/** Prints warnings and notes about the network settings of a service. */
import type { Terminal } from '../../../src/terminal/index.ts';

const DENIAL_NOTE =
  'Private networks are denied: checks and webhooks can reach only public addresses and the resolvers and gateways that you configured. To allow private networks, pass --allow-private-networks.';
/** The warning for a service that other machines reach without TLS. */
export const PLAIN_HTTP_WARNING =
  'Other machines can reach this service over plain HTTP, which exposes API keys and results. Put a reverse proxy with TLS in front and set SONDE_PUBLIC_URL to its https:// URL, or listen on 127.0.0.1.';

/** Prints warnings and notes about the network settings in a health response. */
export async function reportNetwork(
  terminal: Pick<Terminal, 'note' | 'warn'>,
  {
    isPlainHttp,
    deniesPrivateNetworks: denies,
  }: { readonly isPlainHttp?: unknown; readonly deniesPrivateNetworks?: unknown },
): Promise<void> {
  if (isPlainHttp === true) await terminal.warn(PLAIN_HTTP_WARNING);
  if (denies === true) await terminal.note(DENIAL_NOTE);
}
