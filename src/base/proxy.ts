/** Chooses the proxy of a URL from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, like curl: the lower-case name wins. */

import { BlockList, isIP } from 'node:net';
import { decodePercent } from './decode-percent.ts';
import { isUrl } from './parse-url.ts';

export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** Returns the name of a variable that the environment has: in lower case, if both are set. */
export const nameOfVariable = (name: string, env: ProxyEnv): string =>
  env[name.toLowerCase()] === undefined ? name : name.toLowerCase();

export const proxyVariableOf = ({ protocol }: URL, env: ProxyEnv): string =>
  nameOfVariable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', env);

/**
 * Returns the written proxy of a target, with `http://` if it has no scheme; undefined for a direct connection. The
 * caller validates it with `parseProxy`.
 */
export function findProxy(target: URL, env: ProxyEnv): string | undefined {
  const read = (name: string) => (env[name] ?? '').trim();
  const proxy = read(proxyVariableOf(target, env));
  if (proxy === '' || isExempt(target, read(nameOfVariable('NO_PROXY', env)))) return undefined;
  return withScheme(proxy);
}

const withScheme = (proxy: string): string => (proxy.includes('://') ? proxy : `http://${proxy}`);

/** Parses the URL of an HTTP proxy. The problem does not repeat the URL, which may hold a password. */
export function parseProxy(written: string): { readonly url: URL } | { readonly problem: string } {
  const text = withScheme(written);
  if (!isUrl(text)) return { problem: `is not the URL of a proxy, such as ${EXAMPLE}` };
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol))
    return { problem: `names a proxy of the kind "${url.protocol.slice(0, -1)}": only http and https work` };
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return {
      problem: `has a path: it must be the URL of a proxy, such as ${EXAMPLE}, and no file of settings`,
    };
  if ([url.username, url.password].some((part) => decodePercent(part) === undefined))
    return { problem: 'has a % in its user name or password that escapes nothing: write %25' };
  return { url };
}

const EXAMPLE = 'http://proxy.example.com:3128';

/** Matches `*`, a host with its subdomains, an address or a network (`10.0.0.0/8`), each with an optional port. */
function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const targetPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, entryPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== targetPort) return false;
      const exempt = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
      return host === exempt || (!isIP(host) && host.endsWith(`.${exempt}`)) || isInNetwork(host, exempt);
    });
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', prefix] = network.split('/');
  const family = isIP(address);
  if (prefix === undefined || family === 0 || isIP(host) !== family) return false;
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(address, Number(prefix), type);
  return list.check(host, type);
}
