/** How far a service is open to other machines: what its checks may reach, and how keys travel to it. */
import { UsageError } from '../../../src/base/errors.ts';
import { isLoopbackHost } from '../../../src/base/loopback.ts';
import type { Terminal } from '../../../src/terminal/index.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a variable that is 1 or 0 is 1. Throws UsageError where it is anything else. */
function readSwitch(env: Env, name: string): boolean {
  const given = env[name] ?? '';
  if (!['', '0', '1', 'false', 'true'].includes(given))
    throw new UsageError(`${name} must be 1 or 0, not "${given}"`);
  return given === '1' || given === 'true';
}

/** Returns what two opposite switches say; undefined: neither is set. Throws UsageError where both are. */
function resolveSwitches(deny: boolean, allow: boolean, names: string): boolean | undefined {
  if (deny && allow)
    throw new UsageError(`${names} are mutually exclusive`, { hint: 'set only one of them' });
  return deny || allow ? deny : undefined;
}

/**
 * Returns whether checks and webhooks are denied private networks: as the options say, else the variables, else if other
 * machines reach the service on `host`.
 */
export function deniesPrivateNetworks(
  given: { readonly denyPrivateNetworks: boolean; readonly allowPrivateNetworks: boolean },
  env: Env,
  host: string,
): boolean {
  const [denied, allowed] = ['SONDE_DENY_PRIVATE_NETWORKS', 'SONDE_ALLOW_PRIVATE_NETWORKS'] as const;
  return (
    resolveSwitches(
      given.denyPrivateNetworks,
      given.allowPrivateNetworks,
      '--deny-private-networks and --allow-private-networks',
    ) ??
    resolveSwitches(readSwitch(env, denied), readSwitch(env, allowed), `${denied} and ${allowed}`) ??
    !isLoopbackHost(host)
  );
}

const DENIAL_NOTE =
  'Private networks are denied: checks and webhooks can reach only public addresses and the resolvers and gateways that you configured. To allow private networks, pass --allow-private-networks.';
/** What a person reads where other machines reach the service without TLS. */
export const PLAIN_HTTP_WARNING =
  'Other machines can reach this service over plain HTTP, which exposes API keys and results. Put a reverse proxy with TLS in front and set SONDE_PUBLIC_URL to its https:// URL, or listen on 127.0.0.1.';

/** Says what holds of a service's networks, by what it tells of itself (`/health`). */
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
