/** The one pool of connections, made at the first request: undici's agent, or its proxy agent where a proxy applies. */
import type { Dispatcher } from 'undici';
import { UsageError } from '../base/errors.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { isLoopbackHostname } from './url.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Node's own time-outs are off: the exchange keeps one for the whole answer. */
const options = { connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: 0 };

/** Whether NO_PROXY names the origin: `*`, a host and all below it, or either with a port. */
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
 * The proxy for an origin by the variable of its protocol; undefined where none is set, or NO_PROXY names the origin. A proxy on another machine cannot
 * reach this machine's loopback, so it is not asked to.
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

/** Opens the pool for one origin. Nothing is connected yet. */
export async function openDispatcher(origin: URL, env: Env): Promise<Dispatcher> {
  const proxy = proxyFor(origin, env);
  if (!proxy) {
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
    return new Agent(options);
  }
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: Base } = await import('undici/lib/dispatcher/dispatcher.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  // The proxy agent opens tunnels by a method that only undici's own index adds.
  Object.assign(Base.prototype, { connect });
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy.href,
    httpsProxy: proxy.href,
    noProxy: '',
    requestTls: { timeout: CONNECT_TIMEOUT_MS },
    proxyTls: { timeout: CONNECT_TIMEOUT_MS },
    // Plain http goes to the proxy as a request with a whole URL: many refuse a tunnel to anything but port 443.
    proxyTunnel: false,
  });
}
