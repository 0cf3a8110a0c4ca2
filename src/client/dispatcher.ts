/** Opens the connection pool at the first request: undici's agent, or its proxy agent. */
import type { Dispatcher } from 'undici';
import { UsageError } from '../base/errors.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { isLoopbackHostname } from './url.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Node's own timeouts are disabled: `exchange` limits the whole answer. */
const options = { connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: 0 };

/** Returns whether NO_PROXY exempts the origin: `*`, a domain with its subdomains, or either with a port. */
function isExempt({ hostname, port, protocol }: URL, env: Env): boolean {
  const originPort = Number(port) || (protocol === 'https:' ? 443 : 80);
  return (env.no_proxy ?? env.NO_PROXY ?? '')
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = entry, entryPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '');
      if (entryPort !== undefined && Number(entryPort) !== originPort) return false;
      return entry === '*' || hostname === host || hostname.endsWith(`.${host}`);
    });
}

/**
 * Returns the proxy for the protocol of an origin, unless NO_PROXY exempts it. A remote proxy cannot reach this
 * machine's loopback, so it is not used for it.
 */
export function proxyFor(origin: URL, env: Env): URL | undefined {
  const name = origin.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = (env[name.toLowerCase()] ?? env[name])?.trim();
  if (!value) return undefined;
  let proxy: URL;
  try {
    proxy = new URL(value.includes('://') ? value : `http://${value}`);
  } catch {
    throw new UsageError(`${name} is not a valid proxy URL`);
  }
  if (isExempt(origin, env)) return undefined;
  return isLoopbackHostname(origin.hostname) && !isLoopbackHostname(proxy.hostname) ? undefined : proxy;
}

/** Opens the pool for one origin without connecting. */
export async function openDispatcher(origin: URL, env: Env): Promise<Dispatcher> {
  const proxy = proxyFor(origin, env);
  if (!proxy) {
    const { Agent } = await import('undici');
    return new Agent(options);
  }
  const { EnvHttpProxyAgent } = await import('undici');
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy.href,
    httpsProxy: proxy.href,
    noProxy: '',
    requestTls: { timeout: CONNECT_TIMEOUT_MS },
    proxyTls: { timeout: CONNECT_TIMEOUT_MS },
    // Plain HTTP is sent to the proxy with an absolute URL: many proxies allow tunnels only to port 443.
    proxyTunnel: false,
  });
}
