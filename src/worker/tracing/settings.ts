/** Reads the standard variables of OpenTelemetry for traces. */

import { decodePercent } from '../../base/decode-percent.ts';
import { UsageError } from '../../base/errors.ts';
import { parseUrl } from '../../base/parse-url.ts';
import { trimSlashes } from '../../base/trim-slashes.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface TracingSettings {
  /** The URL that receives traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Attributes of the resource, `service.name` included. */
  readonly resource: Readonly<Record<string, string>>;
  /** Spans that wait at most; more are dropped. */
  readonly maxQueueSize: number;
  readonly batchSize: number;
  readonly delayMs: number;
}

const TRACES_PATH = '/v1/traces';

/**
 * Returns the settings; undefined if no endpoint is set or a variable turns traces off.
 * @throws UsageError if the endpoint is no HTTP URL or has a password, a header is invalid, or the protocol is gRPC
 */
export function readTracingSettings(env: Env, defaultName: string): TracingSettings | undefined {
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const url = own || (base ? `${trimSlashes(base)}${TRACES_PATH}` : undefined);
  if (isOff || url === undefined) return undefined;
  const name = own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const target = parseUrl(url);
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new UsageError(`${name} is not an http or https URL`, {
      hint: 'set it to the OTLP/HTTP address of the collector, such as http://localhost:4318',
    });
  // Such a request fails with an error that contains the password.
  if (target.username !== '' || target.password !== '')
    throw new UsageError(`${name} contains a user name or a password`, {
      hint: 'send them as a header: OTEL_EXPORTER_OTLP_HEADERS="authorization=Basic <user:password in Base64>"',
    });
  const protocol = (env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL)?.trim();
  if (protocol === 'grpc')
    throw new UsageError('OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported', {
      hint: 'set it to http/json, and the endpoint to the OTLP/HTTP address of the collector, often port 4318',
    });
  const number = (name: string, standard: number) => {
    const value = Number(env[name]);
    return Number.isInteger(value) && value > 0 ? value : standard;
  };
  const pairs = (...names: string[]) => Object.assign({}, ...names.map((name) => parsePairs(env[name])));
  const attributes = pairs('OTEL_RESOURCE_ATTRIBUTES');
  return {
    url,
    headers: checkHeaders(pairs('OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
    timeoutMs: number('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', number('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000)),
    resource: {
      ...attributes,
      'service.name': env.OTEL_SERVICE_NAME || attributes['service.name'] || defaultName,
    },
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    batchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    delayMs: number('OTEL_BSP_SCHEDULE_DELAY', 5000),
  };
}

/** Returns the headers. @throws UsageError that names an invalid one without its value, which is often a key */
function checkHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new UsageError(`OTEL_EXPORTER_OTLP_HEADERS: the header ${JSON.stringify(name)} is not valid`, {
        hint: 'write name=value pairs with commas between them, and percent-encode special characters',
      });
    }
  }
  return headers;
}

/** Parses `name=value,other=value`, with percent-encoded values, as W3C Baggage does. */
function parsePairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    const text = value.join('=').trim();
    return name.trim() === '' || value.length === 0
      ? []
      : [[name.trim(), decodePercent(text) ?? text] as const];
  });
  return Object.fromEntries(pairs);
}
