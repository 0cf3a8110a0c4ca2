/** Chooses the proxy of a URL from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, like curl: the lower-case name wins. */
import { BlockList, isIP } from 'node:net';

export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/**
 * Returns the written proxy of a target, with `http://` if it has no scheme; undefined for a direct connection. The
 * caller validates it.
 */
export function findProxy(target: URL, env: ProxyEnv): string | undefined {
  const read = (name: string) => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const proxy = read(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || isExempt(target, read('NO_PROXY'))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

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
