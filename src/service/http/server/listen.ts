/** Makes HTTP servers listen, and explains why an address is not available. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { UsageError } from '../../../base/errors.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

export interface BoundAddress {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
  /** The URL on this machine: `http://127.0.0.1:4100`. */
  readonly url: string;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'the host name cannot be resolved',
};
const UNSPECIFIED_HOSTS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Starts to listen. Throws UsageError, which names the flag, if the address is not available. */
export async function listen(
  server: Server,
  at: ListenAddress,
  flag: '--listen' | '--metrics-listen',
  start: () => Promise<unknown> = () => once(server.listen({ ...at }), 'listening'),
): Promise<BoundAddress> {
  try {
    await start();
  } catch (error) {
    const reason = REASONS[(error as { code?: string }).code ?? ''];
    if (!reason) throw error;
    throw new UsageError(`The service cannot listen on ${at.host}:${at.port}: ${reason}`, {
      hint: `choose another address with ${flag} HOST:PORT`,
      cause: error,
    });
  }
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The service listens on no address');
  const { address: host, port } = address;
  const urlHost = UNSPECIFIED_HOSTS[host] ?? (host.includes(':') ? `[${host}]` : host);
  return { host, port, url: `http://${urlHost}:${port}` };
}
