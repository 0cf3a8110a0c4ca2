/** Resolves the name server of a check and applies the address policy. */

import { type LookupAddress, promises } from 'node:dns';
import { isIP } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import { nameServerProblem, splitNameServer } from '../../contract/sendable.ts';
import type { DenyAddress } from '../core/address-policy.ts';
import { CannotRun } from '../core/runner.ts';
import { withTimeout } from '../network/deadline.ts';
import type { Bounds } from './transport.ts';
import { NoAnswer, type Server } from './types.ts';

export const DNS_PORT = 53;

/** Parses a name server: a name or an address, with an optional port. Throws CannotRun for other text. */
export function parseNameServer(nameServer: string): {
  readonly host: string;
  readonly port: number | undefined;
} {
  const server = splitNameServer(nameServer);
  const problem = nameServerProblem(nameServer);
  if (server === undefined || problem !== undefined)
    throw new CannotRun(`the name server ${JSON.stringify(nameServer)} ${problem}`);
  return server;
}

/**
 * Returns the addresses of a name server, in the system's order. Rejects with NoAnswer if there are none or the
 * lookup exceeds `timeoutMs`.
 */
export async function resolveNameServer(host: string, bounds: Bounds): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const timeoutError = () =>
    new NoAnswer(
      'lookup',
      `the system did not resolve the name server ${host} within ${formatLongDuration(bounds.timeoutMs)}`,
    );
  try {
    const entries = await withTimeout<readonly LookupAddress[]>(
      bounds,
      bounds.timeoutMs,
      timeoutError,
      (settle) => {
        // The system's lookup cannot be cancelled; only the wait ends.
        promises.lookup(host, { all: true }).then(settle.succeed, settle.fail);
        return () => {};
      },
    );
    return entries.map((entry) => entry.address);
  } catch (error) {
    if (bounds.signal.aborted) throw bounds.signal.reason;
    if (error instanceof NoAnswer) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new NoAnswer('lookup', `the name server ${host} has no address: ${code}`);
  }
}

/** Returns the allowed addresses of a host. Throws CannotRun if `denyAddress` denies all. */
export function filterAllowed(
  host: string,
  addresses: readonly string[],
  port: number,
  denyAddress: DenyAddress | undefined,
): readonly Server[] {
  let denial: string | undefined;
  const servers: Server[] = [];
  for (const address of addresses) {
    const denied = denyAddress?.(address, port);
    if (denied === undefined) servers.push({ address, port });
    else denial ??= denied;
  }
  if (servers.length === 0) {
    throw new CannotRun(
      `the check is not allowed to contact the name server ${host} (${denial ?? 'no address'})`,
    );
  }
  return servers;
}
