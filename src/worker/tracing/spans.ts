/** Makes the spans of a session, of its attempts and of their phases, with the attributes of the semantic conventions. */

import { isObject, type JsonObject } from '../../base/object.ts';
import { parseUrl } from '../../base/parse-url.ts';
import { phasesOf } from '../../contract/measured-facts.ts';
import type { Job, Report } from '../port.ts';
import { attemptSpanIdOf, rootSpanIdOf, spanIdOf, traceIdOf } from '../trace-context.ts';

type AttributeValue = string | number | boolean;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** The number of OTLP. */
  readonly kind: 1 | 3;
  /** Milliseconds since the epoch, with decimals. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  /** Why it failed; undefined if it did not. */
  readonly problem?: string | undefined;
}

const INTERNAL = 1;
const CLIENT = 3;
const MAX_TEXT_LENGTH = 1000;

/** An ended session. */
export interface TracedSession {
  readonly id: string;
  readonly check_id: string | null;
  readonly check_name: string;
  readonly check_type: string;
  readonly status: string;
  readonly run_source: string;
  readonly started_at: number;
  readonly stopped_at: number | null;
}

export function sessionSpan(session: TracedSession): Span | undefined {
  const traceId = traceIdOf(session.id);
  if (traceId === undefined) return undefined;
  const { status } = session;
  return {
    traceId,
    spanId: rootSpanIdOf(traceId),
    name: `session ${session.check_type}`,
    kind: INTERNAL,
    startMs: session.started_at,
    endMs: Math.max(session.started_at, session.stopped_at ?? session.started_at),
    attributes: {
      ...checkAttributes(session.check_id, session.check_name, session.check_type),
      'sonde.session.id': session.id,
      'sonde.session.status': status,
      'sonde.session.run_source': session.run_source,
    },
    problem: status === 'FAILED' || status === 'TIMED_OUT' ? `The session ended with ${status}` : undefined,
  };
}

/** Returns the span of an attempt and those of its phases; none if the service does not tell the session. */
export function attemptSpans(
  job: Pick<Job, 'id' | 'check' | 'checkType' | 'location'>,
  report: Report,
): Span[] {
  const check = asObject(job.check);
  const traceId = traceIdOf(check.sessionId);
  if (traceId === undefined) return [];
  const spanId = attemptSpanIdOf(traceId, job.id);
  const { startedAt, stoppedAt, details } = report;
  const [error] = report.errors;
  const attempt: Span = {
    traceId,
    spanId,
    parentSpanId: rootSpanIdOf(traceId),
    name: nameOf(job.checkType, details),
    kind: CLIENT,
    startMs: startedAt,
    endMs: Math.max(startedAt, stoppedAt),
    attributes: {
      ...checkAttributes(check.id, check.name, job.checkType),
      'sonde.location': job.location,
      'sonde.result.status': verdictOf(report),
      ...targetAttributes(details),
      'error.type': errorTypeOf(report),
    },
    problem: report.hasErrors || report.hasFailures ? truncate(error ?? 'the run failed') : undefined,
  };
  return [attempt, ...phaseSpans(attempt, details)];
}

/** Phases have durations and no start: they follow each other. Those of redirects are added up. */
function phaseSpans({ traceId, spanId, startMs }: Span, details: JsonObject): Span[] {
  let from = startMs;
  return Object.entries(phasesOf(details) ?? {}).map(([phase, ms]) => {
    const start = from;
    from += ms;
    return {
      traceId,
      spanId: spanIdOf(traceId, `${spanId} ${phase}`),
      parentSpanId: spanId,
      name: phase,
      kind: INTERNAL,
      startMs: start,
      endMs: from,
      attributes: {},
    };
  });
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
const truncate = (text: string): string => text.slice(0, MAX_TEXT_LENGTH);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? truncate(value) : undefined;

const checkAttributes = (id: unknown, name: unknown, type: string) => ({
  'sonde.check.id': textOf(id),
  'sonde.check.name': textOf(name),
  'sonde.check.type': type,
});

/** Span names of HTTP have the method alone, because paths are not few. */
function nameOf(type: string, details: JsonObject): string {
  const method = textOf(asObject(details.request).method);
  return method !== undefined && (type === 'URL' || type === 'API') ? method : type;
}

function verdictOf({ isCancelled, hasErrors, hasFailures, isDegraded }: Report): string {
  if (isCancelled) return 'cancelled';
  if (hasErrors) return 'error';
  if (hasFailures) return 'failed';
  return isDegraded ? 'degraded' : 'passed';
}

/** Reads the details, from which secrets are removed: a host may still be masked. */
function targetAttributes(details: JsonObject): Span['attributes'] {
  const request = asObject(details.request);
  const response = asObject(details.response);
  const url = textOf(request.url);
  const target = url === undefined ? undefined : parseUrl(url);
  const { hostname, port } = { ...request, ...asObject(request.sslConfig) };
  const dns = asObject(details.dns);
  const [, peer, peerPort] = /^\[?(.*?)\]?:(\d+)$/.exec(textOf(details.address ?? dns.resolver) ?? '') ?? [];
  return {
    'http.request.method': textOf(request.method),
    'url.full': url,
    'http.response.status_code': typeof response.status === 'number' ? response.status : undefined,
    'network.protocol.version': textOf(response.httpVersion),
    'server.address': target?.hostname ?? textOf(hostname),
    'server.port':
      target === undefined
        ? numberOf(port)
        : Number(target.port) || (target.protocol === 'https:' ? 443 : 80),
    'network.peer.address': peer,
    'network.peer.port': numberOf(peerPort && Number(peerPort)),
    'dns.question.name': textOf(asObject(dns.request).query),
  };
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Returns the code of the error, or the status of the answer. */
function errorTypeOf({ hasErrors, hasFailures, details }: Report): string | undefined {
  if (!hasErrors && !hasFailures) return undefined;
  const { status } = asObject(details.response);
  const code = textOf(details.errorCode);
  if (code) return code;
  return typeof status === 'number' && status >= 400 ? String(status) : '_OTHER';
}
