/** Runs a DNS check in a test, and reads what the result says of it. */

import type { RunContext, RunOutcome } from '../../../src/runners/core/runner.ts';
import type { ShapedAnswer } from '../../../src/runners/dns/answer.ts';
import { run } from '../../../src/runners/dns/runner.ts';
import type { DnsCheck } from '../../../src/runners/dns/types.ts';
import { attempt } from '../runners.ts';

export interface Server {
  readonly address: string;
  readonly port: number;
}

/** The fields of the stored details that tests look at. */
export interface DnsDetails {
  readonly resolver: string | null;
  readonly protocol: string;
  readonly truncated: boolean;
  readonly response: ShapedAnswer['json'];
  readonly text: string;
  readonly chain: readonly string[];
  readonly recordCount: number;
  readonly recordsLeftOut: number;
  readonly timing: { readonly lookup: number | null; readonly total: number };
  readonly failedOver: readonly { readonly resolver: string; readonly error: string }[];
}

/** Asks a server by its address. `check` may hold the limits and shouldFail. */
export function runAt(
  server: Server,
  request: DnsCheck['request'],
  check: Omit<DnsCheck, 'request'> = {},
  context: Partial<RunContext> = {},
): Promise<RunOutcome> {
  return attempt(
    run,
    { ...check, request: { nameServer: server.address, port: server.port, ...request } },
    context,
  );
}

export function dnsOf(outcome: RunOutcome): DnsDetails {
  return outcome.details.dns as DnsDetails;
}
