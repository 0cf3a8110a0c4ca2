/** Opens the connection pool at the first request: undici's agent, or its proxy agent. */

import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
import { UsageError } from '../base/errors.ts';
import { findProxy, type ProxyEnv, parseProxy, proxyVariableOf } from '../base/proxy.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { isLoopbackHostname } from './url.ts';

/** Node's own timeouts are disabled: `exchange` limits the whole answer. */
const options = { connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: 0 };

/**
 * Returns the proxy for the protocol of an origin, unless NO_PROXY exempts it. A remote proxy cannot reach this
 * machine's loopback, so it is not used for it.
 */
export function proxyFor(origin: URL, env: ProxyEnv): URL | undefined {
  const value = findProxy(origin, env);
  if (value === undefined) return undefined;
  const parsed = parseProxy(value);
  if ('problem' in parsed) throw new UsageError(`${proxyVariableOf(origin, env)} ${parsed.problem}`);
  const proxy = parsed.url;
  return isLoopbackHostname(origin.hostname) && !isLoopbackHostname(proxy.hostname) ? undefined : proxy;
}

/** Opens the pool for one origin without connecting. */
export async function openDispatcher(origin: URL, env: ProxyEnv): Promise<Dispatcher> {
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

/**
 * Compiles the WASM of the HTTP parser with the fast compiler only, because optimization does not pay off in a short
 * process. Call it before the first request; never in the service or an agent.
 */
export function prepareProcess(): void {
  setFlagsFromString('--liftoff-only');
}
