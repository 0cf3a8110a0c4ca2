/** Decides whether a service may reach private networks, and warns about plain HTTP. */
import { UsageError } from '../../../src/base/errors.ts';
import { isLoopbackHost } from '../../../src/base/ip-addresses.ts';
import type { Terminal } from '../../../src/terminal/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns whether a variable is 1 or true. Throws UsageError unless it is a boolean or unset. */
function readSwitch(env: Env, name: string): boolean {
  const value = env[name] ?? '';
  if (!['', '0', '1', 'false', 'true'].includes(value))
    throw new UsageError(`${name} must be 1 or 0, not "${value}"`);
  return value === '1' || value === 'true';
}

/** Returns the choice of two opposite switches. Undefined: neither is set. Throws UsageError if both are. */
function resolveSwitches(deny: boolean, allow: boolean, names: string): boolean | undefined {
  if (deny && allow)
    throw new UsageError(`${names} are mutually exclusive`, { hint: 'set only one of them' });
  return deny || allow ? deny : undefined;
}

/**
 * Returns whether to deny private networks to checks and webhooks. Options override variables. By default, they are denied if
 * other machines can reach `host`.
 */
export function deniesPrivateNetworks(
  options: { readonly denyPrivateNetworks: boolean; readonly allowPrivateNetworks: boolean },
  env: Env,
  host: string,
): boolean {
  const [denied, allowed] = ['SONDE_DENY_PRIVATE_NETWORKS', 'SONDE_ALLOW_PRIVATE_NETWORKS'] as const;
  return (
    resolveSwitches(
      options.denyPrivateNetworks,
      options.allowPrivateNetworks,
      '--deny-private-networks and --allow-private-networks',
    ) ??
    resolveSwitches(readSwitch(env, denied), readSwitch(env, allowed), `${denied} and ${allowed}`) ??
    !isLoopbackHost(host)
  );
}

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
