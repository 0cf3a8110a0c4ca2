/** A collector for tests: an HTTP server that accepts only well-formed trace requests of OTLP/JSON. */
import type { ServerResponse } from 'node:http';
import { type SeenRequest, serveWith } from '../../support/http.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since the epoch. */
  readonly from: bigint;
  readonly to: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a message. Throws if one is not in the protocol, or missing. */
function fieldsOf(value: unknown, required: readonly string[], optional: readonly string[] = []): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`no message: ${value}`);
  const names = Object.keys(value);
  const unknown = names.filter((name) => ![...required, ...optional].includes(name));
  const missing = required.filter((name) => !names.includes(name));
  if (unknown.length + missing.length > 0) throw new Error(`unknown ${unknown}, missing ${missing}`);
  return value as Fields;
}

function matching(value: unknown, pattern: RegExp): string {
  if (typeof value !== 'string' || !pattern.test(value))
    throw new Error(`${value} does not match ${pattern}`);
  return value;
}

const listOf = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw new Error(`no list: ${value}`);
  return value;
};

function attributesOf(value: unknown): CollectedSpan['attributes'] {
  const pairs = listOf(value).map((one) => {
    const { key, value: any } = fieldsOf(one, ['key', 'value']);
    const [[kind, content] = []] = Object.entries(
      fieldsOf(any, [], ['stringValue', 'intValue', 'boolValue', 'doubleValue']),
    );
    if (kind === 'intValue') return [key, Number(matching(content, /^-?\d+$/))] as const;
    const type = { stringValue: 'string', boolValue: 'boolean', doubleValue: 'number' }[kind ?? ''];
    if (typeof content !== type) throw new Error(`${String(key)}: ${kind} ${content}`);
    return [key, content] as const;
  });
  const names = pairs.map(([key]) => String(key));
  if (new Set(names).size < names.length) throw new Error(`attributes twice: ${names}`);
  return Object.fromEntries(pairs) as CollectedSpan['attributes'];
}

/** Parses an ExportTraceServiceRequest. */
export function parseSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = fieldsOf(JSON.parse(body), ['resourceSpans']);
  return listOf(resourceSpans).flatMap((ofResource) => {
    const { resource, scopeSpans } = fieldsOf(ofResource, ['resource', 'scopeSpans']);
    const shared = attributesOf(fieldsOf(resource, ['attributes']).attributes);
    return listOf(scopeSpans).flatMap((ofScope) => {
      const { scope, spans } = fieldsOf(ofScope, ['scope', 'spans']);
      matching(fieldsOf(scope, ['name'], ['version']).name, /./);
      return listOf(spans).map((span) => parseSpan(span, shared));
    });
  });
}

function parseSpan(value: unknown, resource: CollectedSpan['resource']): CollectedSpan {
  const required = ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'];
  const span = fieldsOf(value, required, ['parentSpanId', 'attributes', 'status']);
  const status = fieldsOf(span.status ?? {}, [], ['code', 'message']);
  const [from, to] = [span.startTimeUnixNano, span.endTimeUnixNano].map((time) =>
    BigInt(matching(time, /^\d{19}$/)),
  );
  if (from === undefined || to === undefined || to < from) throw new Error('the span ends before its start');
  if (![0, 1, 2, 3, 4, 5].includes(Number(span.kind))) throw new Error(`kind ${span.kind}`);
  return {
    traceId: matching(span.traceId, /^(?!0{32})[\da-f]{32}$/),
    spanId: matching(span.spanId, /^(?!0{16})[\da-f]{16}$/),
    parentSpanId: span.parentSpanId === undefined ? undefined : matching(span.parentSpanId, /^[\da-f]{16}$/),
    name: matching(span.name, /./),
    kind: Number(span.kind),
    ...{ from, to, resource, attributes: attributesOf(span.attributes ?? []), status },
  };
}

/** Starts a collector. `respond` answers instead, if it is given. */
export async function startCollector(respond?: (request: SeenRequest, response: ServerResponse) => void) {
  const spans: CollectedSpan[] = [];
  const problems: unknown[] = [];
  const server = await serveWith((request, response) => {
    if (respond !== undefined) return respond(request, response);
    try {
      if (request.headers['content-type'] !== 'application/json') throw new Error('no JSON');
      spans.push(...parseSpans(request.body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } catch (error) {
      problems.push(error);
      response.writeHead(400).end();
    }
  });
  return { ...server, spans, problems };
}
