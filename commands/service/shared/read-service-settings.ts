/** Reads the settings of a service that a flag or an environment variable sets. */

import { isIP } from 'node:net';
import { UsageError } from '../../../src/base/errors.ts';
import { isLoopbackHost } from '../../../src/base/ip-addresses.ts';
import type { Option, ReportProblem } from '../../../src/cli/framework/options.ts';
import { SERVICE_SETTINGS } from '../../../src/cli/settings/service-settings.ts';
import { canaryOption } from '../../../src/cli/settings/shared-settings.ts';
import { type Canary, parseCanary, splitCanaries } from '../../../src/runners/uplink/canary.ts';

type Env = Readonly<Record<string, string | undefined>>;
const { flags } = SERVICE_SETTINGS;

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
  const [denied, allowed] = [flags.denyPrivateNetworks.env, flags.allowPrivateNetworks.env];
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

/** Whether a text is an address or network. A network of all addresses would trust every client, so it is not accepted. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns the addresses and networks of the option, or else of the variable. Throws UsageError for anything else. */
export function parseTrustedProxies(option: readonly string[], env: Env): readonly string[] {
  const variable = flags.trustProxy.env;
  const name = option.length > 0 ? '--trust-proxy' : variable;
  const words = option.length > 0 ? option : [env[variable] ?? ''];
  const networks = words.flatMap((word) => word.split(',')).flatMap((word) => word.trim() || []);
  for (const network of networks) {
    if (isNetwork(network)) continue;
    throw new UsageError(`${name} must be addresses or networks of proxies, not "${network}"`, {
      hint: 'for example 10.0.0.5, 172.16.0.0/12 or fd00::/8, separated by commas',
    });
  }
  return networks;
}

/** Returns the canaries of the option, or else of the variable. Throws UsageError for an invalid one. */
export function parseCanaries(option: readonly string[], env: Env): readonly Canary[] {
  const variable = canaryOption.env;
  const name = option.length > 0 ? '--canary' : variable;
  return splitCanaries(option, env[variable]).map((text) => {
    const parsed = parseCanary(text);
    if ('value' in parsed) return parsed.value;
    throw new UsageError(`${name} ${parsed.problem}`, {
      hint: `for example https://example.com/ or 192.0.2.1:443; separate several in ${variable} by commas`,
    });
  });
}

/** Returns the value of a variable, else the default. Throws UsageError for an invalid variable. */
function readVariable<T>(
  { env: variable, default: standard, read }: Option<T> & { readonly env: string },
  env: Env,
): T {
  const reportProblem: ReportProblem = ({ message }) => {
    throw new UsageError(`${variable} ${message}`);
  };
  const text = env[variable] || standard;
  return read(text === undefined ? undefined : [text], reportProblem);
}

/** Returns the settings from options, variables or defaults. Throws UsageError for an invalid variable. */
export const databaseSettings = (
  options: { readonly databaseWait: number | undefined; readonly databaseConnections: number | undefined },
  env: Env,
) => ({
  waitMs: options.databaseWait ?? readVariable(flags.databaseWait, env),
  connections: options.databaseConnections ?? readVariable(flags.databaseConnections, env),
});

/** Returns the resolvers of the option, or else of the variable; none: those of the system. */
export const resolversOf = (option: readonly string[], env: Env): readonly string[] =>
  option.length > 0 ? option : (env[flags.resolver.env]?.split(',') ?? []);
