/** Encodes spans as the JSON of OTLP. */
import type { TracingSettings } from './settings.ts';
import type { Span } from './spans.ts';

/** Returns the body of an ExportTraceServiceRequest. */
export function encodeSpans(spans: readonly Span[], { resource }: Pick<TracingSettings, 'resource'>): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope: { name: 'sonde' }, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

const encodeSpan = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: toNanoseconds(span.startMs),
  endTimeUnixNano: toNanoseconds(span.endMs),
  attributes: encodeAttributes(span.attributes),
  status: span.problem === undefined ? {} : { code: 2, message: span.problem },
});

/** 64-bit integers are texts. A number has too few digits for nanoseconds, so that whole microseconds are exact. */
const toNanoseconds = (ms: number): string => `${BigInt(Math.round(ms * 1000))}000`;

function encodeAttributes(attributes: Span['attributes']) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
