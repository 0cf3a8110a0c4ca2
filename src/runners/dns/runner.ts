/** Runs a DNS check: sends its question and evaluates the answer. */

import type { AbortSignalLike } from '../../base/abort.ts';
import { nameServerProblem } from '../../contract/sendable.ts';
import { conclude, toExpectations } from '../core/conclude.ts';
import { CannotRun, InvalidCheck, type RunContext, type RunOutcome } from '../core/runner.ts';
import { roundMs } from '../network/deadline.ts';
import { formatEndpoint } from '../network/fault.ts';
import { dnsEvaluation } from './evaluation.ts';
import { DNS_PORT, filterAllowed, parseNameServer, resolveNameServer } from './name-server.ts';
import { type Exchange, type Question, queryServer } from './query.ts';
import { toWireName } from './query-name.ts';
import type { Bounds } from './transport.ts';
import { type DnsCheck, NoAnswer, type Protocol, type Server } from './types.ts';

/** Timeout for one server, in ms: the maximum of maxResponseTime, so that a late answer is reported with its time. */
const ANSWER_TIMEOUT_MS = 5000;

/** Maximum number of resolvers, as in the system's own lookup. */
const MAX_RESOLVERS = 3;

/** The servers to query, in order, and the time to find them. */
interface Candidates {
  readonly servers: readonly Server[];
  /** True for the resolvers of the location: every network fault fails over to the next. */
  readonly areResolvers: boolean;
  /** Milliseconds to look up the name server; null if it is an address. */
  readonly lookupMs: number | null;
}

interface QueryResult {
  readonly faults: readonly { readonly server: Server; readonly error: NoAnswer }[];
  readonly answered?: { readonly server: Server; readonly exchange: Exchange };
}

/**
 * Runs one attempt. Without assertions on the answer, the name must resolve: NOERROR, and a record of the queried type.
 * An assertion on RESPONSE_CODE replaces the rule of NOERROR. No answer is a failure. Rejects with CannotRun if the check cannot run, and with
 * the reason of an aborted signal.
 */
export async function run(
  check: DnsCheck,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  const { query, recordType = 'A', protocol = 'UDP', assertions } = check.request;
  const question: Question = { name: toWireName(query, recordType), type: recordType };
  const bounds: Bounds = {
    clock: context.clock,
    timeoutMs: Math.max(ANSWER_TIMEOUT_MS, check.maxResponseTime ?? 0),
    signal,
  };
  const { nameServer = null, port = null } = check.request;
  const request = { query, nameServer, port, protocol, recordType };
  let candidates: Candidates;
  try {
    candidates = await resolveCandidates(check, context, bounds);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return concludeUnanswered(check, [error], { request, resolver: null });
  }
  const { faults, answered } = await queryServers(question, protocol, candidates, bounds);
  const failedOver = faults.map(({ server, error }) => ({
    resolver: formatEndpoint(server.address, server.port),
    error: error.message,
  }));
  if (answered === undefined) {
    const last = faults.at(-1)?.server;
    const resolver = last === undefined ? null : formatEndpoint(last.address, last.port);
    return concludeUnanswered(
      check,
      faults.map((fault) => fault.error),
      { request, resolver, failedOver },
    );
  }
  const { exchange, server } = answered;
  const { reply, protocol: carrier, truncated } = exchange;
  const timing = { lookup: candidates.lookupMs, total: roundMs(exchange.elapsedMs) };
  const evidence = {
    check: toExpectations(check),
    assertions: assertions ?? [],
    question,
    message: reply.message.toString('base64'),
    responseTime: timing.total,
  };
  const { answer, ...outcome } = await context.evaluate(dnsEvaluation, evidence, signal);
  const dns = {
    request,
    resolver: formatEndpoint(server.address, server.port),
    protocol: carrier,
    truncated,
    ...answer,
  };
  return { ...outcome, details: { dns: { ...dns, timing, failedOver }, ...outcome.details } };
}

async function resolveCandidates(check: DnsCheck, context: RunContext, bounds: Bounds): Promise<Candidates> {
  const { nameServer, port } = check.request;
  if (nameServer === undefined || nameServer === null || nameServer === '') {
    const resolvers = context.resolvers();
    if (resolvers.length === 0) {
      throw new CannotRun(
        `no resolver is configured at ${context.location}: set the nameServer of the check`,
      );
    }
    const servers = await resolveResolvers(resolvers.slice(0, MAX_RESOLVERS), bounds);
    return { servers, areResolvers: true, lookupMs: null };
  }
  const problem = nameServerProblem(nameServer);
  if (problem !== undefined)
    throw new InvalidCheck(`the nameServer ${JSON.stringify(nameServer)} ${problem}`);
  const parsed = parseNameServer(nameServer);
  const start = context.clock.monotonic();
  const addresses = await resolveNameServer(parsed.host, bounds);
  const lookupMs = parsed.host === addresses[0] ? null : roundMs(context.clock.monotonic() - start);
  const serverPort = port ?? parsed.port ?? DNS_PORT;
  const servers = filterAllowed(parsed.host, addresses, serverPort, context.denyAddress);
  return { servers, areResolvers: false, lookupMs };
}

/** Returns one address for each resolver. Throws only if none has an address. */
export async function resolveResolvers(resolvers: readonly string[], bounds: Bounds): Promise<Server[]> {
  const servers: Server[] = [];
  let lastError: unknown;
  for (const resolver of resolvers) {
    const { host, port } = parseNameServer(resolver);
    try {
      const [address] = await resolveNameServer(host, bounds);
      if (address !== undefined) servers.push({ address, port: port ?? DNS_PORT });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      lastError = error;
    }
  }
  if (servers.length === 0) throw lastError ?? new NoAnswer('lookup', 'no resolver has an address');
  return servers;
}

/**
 * Queries servers in order until one answers. For a named server, another address is tried only if one is
 * unreachable.
 */
async function queryServers(
  question: Question,
  protocol: Protocol,
  { servers, areResolvers }: Candidates,
  bounds: Bounds,
): Promise<QueryResult> {
  const faults: { server: Server; error: NoAnswer }[] = [];
  for (const server of servers) {
    try {
      return {
        faults,
        answered: { server, exchange: await queryServer(question, protocol, server, bounds) },
      };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      faults.push({ server, error });
      if (!areResolvers && error.reason !== 'unreachable' && error.reason !== 'refused') break;
    }
  }
  return { faults };
}

function concludeUnanswered(
  check: DnsCheck,
  errors: readonly NoAnswer[],
  dns: Record<string, unknown>,
): RunOutcome {
  return conclude(
    {
      networkErrors: errors.map((error) => error.message),
      timedOut: errors.at(-1)?.reason === 'timeout',
      faults: [],
      assertions: [],
      unanswered: check.request.assertions?.length ?? 0,
      responseTime: null,
      details: { dns: { ...dns, response: null }, assertions: [] },
    },
    check,
  );
}
