/** Runs a DNS check in a test, and reads what the result says of it. */
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { ShapedAnswer } from '../../../src/runners/dns/answer.ts';
import type { DnsCheck } from '../../../src/runners/dns/types.ts';
import { run } from '../../../src/runners/dns.ts';
import type { RunContext, RunOutcome } from '../../../src/runners/types.ts';

/** A clock whose waits pass ten times as fast: for tests in which nothing comes, however long the wait. */
export const hastyClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms / 10, signal),
  timer: (ms, then) => systemClock.timer(ms / 10, then),
};

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
  readonly timing: { readonly lookup: number | null; readonly total: number };
  readonly failedOver: readonly { readonly resolver: string; readonly error: string }[];
}

export function contextFor(changes: Partial<RunContext> = {}): RunContext {
  return { clock: systemClock, location: 'test', resolvers: () => [], ...changes };
}

/** Asks a server by its address. `check` may hold the limits and shouldFail. */
export function runAt(
  server: Server,
  request: DnsCheck['request'],
  check: Omit<DnsCheck, 'request'> = {},
  context: Partial<RunContext> = {},
): Promise<RunOutcome> {
  return run(
    { ...check, request: { nameServer: server.address, port: server.port, ...request } },
    contextFor(context),
    new AbortController().signal,
  );
}

export function dnsOf(outcome: RunOutcome): DnsDetails {
  return outcome.details.dns as DnsDetails;
}
