/** Decides whether a service may reach private networks, and warns about plain HTTP. */

import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { UsageError } from '../../../src/base/errors.ts';
import { isLoopbackHost } from '../../../src/base/ip-addresses.ts';
import { type Deps, texts } from '../../../src/cli/framework/index.ts';
import { duration, integer, type ReportProblem } from '../../../src/cli/framework/options.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';
import { type Canary, parseCanary, splitCanaries } from '../../../src/runners/uplink/canary.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
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

export const trustProxyOption = texts(
  'Address or network of a trusted reverse proxy, which reports the client (X-Forwarded-For, X-Forwarded-Proto)',
  { placeholder: 'address[/bits]' },
);

/** Whether a text is an address or network. A network of all addresses would trust every client, so it is not accepted. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns the addresses and networks of the option, or else of the variable. Throws UsageError for anything else. */
export function parseTrustedProxies(
  option: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const name = option.length > 0 ? '--trust-proxy' : 'SONDE_TRUST_PROXY';
  const words = option.length > 0 ? option : [env.SONDE_TRUST_PROXY ?? ''];
  const networks = words.flatMap((word) => word.split(',')).flatMap((word) => word.trim() || []);
  for (const network of networks) {
    if (isNetwork(network)) continue;
    throw new UsageError(`${name} must be addresses or networks of proxies, not "${network}"`, {
      hint: 'for example 10.0.0.5, 172.16.0.0/12 or fd00::/8, separated by commas',
    });
  }
  return networks;
}

export const canaryOption = texts(
  'URL or host:port that answers while this machine has a network; if none does, failures become monitor errors',
  { placeholder: 'url|host:port', env: 'SONDE_CANARIES' },
);

/** Returns the canaries of the option, or else of the variable. Throws UsageError for an invalid one. */
export function parseCanaries(option: readonly string[], env: Env): readonly Canary[] {
  const name = option.length > 0 ? '--canary' : 'SONDE_CANARIES';
  return splitCanaries(option, env.SONDE_CANARIES).map((text) => {
    const parsed = parseCanary(text);
    if ('value' in parsed) return parsed.value;
    throw new UsageError(`${name} ${parsed.problem}`, {
      hint: 'for example https://example.com/ or 192.0.2.1:443; separate several in SONDE_CANARIES by commas',
    });
  });
}

export const databaseOptions = {
  databaseWait: duration('Time to wait at start for a PostgreSQL database (default 60s)', {
    env: 'SONDE_DATABASE_WAIT',
  }),
  databaseConnections: integer('Maximum connections to PostgreSQL (default 10)', {
    minimum: 2,
    maximum: 1000,
    env: 'SONDE_DATABASE_CONNECTIONS',
  }),
};

const WAIT_MS = 60_000;

/** Returns the settings from options, variables or defaults. Throws UsageError for an invalid variable. */
export function databaseSettings(
  options: { readonly databaseWait: number | undefined; readonly databaseConnections: number | undefined },
  env: Readonly<Record<string, string | undefined>>,
) {
  const read = (name: keyof typeof databaseOptions): number | undefined => {
    const { read: parse, env: variable = '' } = databaseOptions[name];
    const text = env[variable];
    const reportProblem: ReportProblem = ({ message }) => {
      throw new UsageError(`${variable} ${message}`);
    };
    return options[name] ?? (text ? parse([text], reportProblem) : undefined);
  };
  return { waitMs: read('databaseWait') ?? WAIT_MS, connections: read('databaseConnections') };
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export const ISOLATIONS = ['auto', 'uid', 'namespace', 'process'] as const;

/** Resolves when the process is asked to stop. */
export const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    return undefined;
  });

/** Returns a sandbox that hides the data, the profiles and their keys. */
export function sandboxOptions(
  { env, home, self }: Pick<Deps, 'env' | 'home' | 'self'>,
  folder: string,
  level: SandboxOptions['level'],
): SandboxOptions {
  const { config, state, data, cache } = dataFolders(env, home);
  return {
    level,
    self,
    home,
    readable: [dirname(self.script)],
    hidden: [folder, config, state, data, cache],
  };
}
