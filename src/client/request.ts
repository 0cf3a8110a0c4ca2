/** Builds the request of an endpoint, for the service and for people. */
import { CredentialsError, UsageError } from '../base/errors.ts';
import { withSentValues } from '../contract/defaults.ts';
import type { Endpoint, Input } from '../contract/index.ts';
import type { ExpectedBody } from './answer.ts';
import { type ClientConfig, DEFAULT_ACCOUNT_HEADER } from './config.ts';
import type { WireRequest } from './exchange.ts';
import type { RateName } from './rate-limiter.ts';
import { HIDDEN, redact, redactMessage, SECRET_HEADER } from './redact.ts';
import { fillPath, formatBaseUrl, formatQuery, parseBaseUrl, resolveRawUrl } from './url.ts';

/**
 * The faults after which a request is retried. `safe`: all. `gateway`: 502, 503, and faults where the server cannot
 * have acted. `unsent`: only the latter. `never`: none.
 */
export type Repeat = 'safe' | 'gateway' | 'unsent' | 'never';

/** A request that is ready to be sent, except for the key. */
export interface RequestPlan {
  /** `METHOD /path` as in the specification's table. */
  readonly endpoint: string;
  /** Whether the specification requires the endpoint. Undefined: the user wrote the request. */
  readonly isSpecified: boolean | undefined;
  readonly request: WireRequest;
  readonly expected: ExpectedBody;
  readonly repeat: Repeat;
  readonly rate: RateName;
  /** The body without secrets. */
  readonly shownBody: unknown;
}

/** The configuration that affects requests. */
export type RequestConfig = Pick<ClientConfig, 'baseUrl' | 'accountId' | 'accountHeader' | 'userAgent'>;

/** An input without the types of its endpoint. */
interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly upload?: Uint8Array;
}

const PRINTABLE = /^[\x20-\x7e]+$/;

function buildHeaders(config: RequestConfig, hasBody: boolean): Record<string, string> {
  const { accountId, accountHeader = DEFAULT_ACCOUNT_HEADER, userAgent } = config;
  if (accountId && !PRINTABLE.test(accountId))
    throw new UsageError('the account ID contains characters that are not allowed in a header');
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(accountHeader))
    throw new UsageError(`"${accountHeader}" is not a valid header name`);
  return {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    ...(accountId ? { [accountHeader.toLowerCase()]: accountId } : {}),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

/** Returns the body to send; undefined if the request has none. */
function bodyOf({ body: schema, method, sendsEmptyBody }: Endpoint, given: unknown): unknown {
  if (sendsEmptyBody) return given ?? {};
  if (schema === undefined || given === undefined) return undefined;
  // A body that creates something is whole.
  return method === 'POST' ? withSentValues(schema, given) : given;
}

/** Builds the request of an endpoint. Throws UsageError for an ID that is invalid in a path. */
export function planCall<E extends Endpoint>(
  config: RequestConfig,
  endpoint: E,
  input: Input<E>,
  ifMatch?: string,
): RequestPlan {
  const { params = {}, query, body: given, upload } = input as unknown as LooseInput;
  const base = parseBaseUrl(config.baseUrl);
  const body = bodyOf(endpoint, given);
  const hasBody = body !== undefined;
  return {
    endpoint: `${endpoint.method} ${endpoint.path}`,
    isSpecified: endpoint.number !== undefined,
    request: {
      method: endpoint.method,
      url: new URL(`${formatBaseUrl(base)}${fillPath(endpoint.path, params)}${formatQuery(query)}`),
      headers: {
        ...buildHeaders(config, hasBody),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(upload === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      },
      body: upload ?? (hasBody ? JSON.stringify(body) : undefined),
    },
    expected: endpoint.success === 204 ? 'nothing' : 'json',
    repeat: endpoint.safeToRetry ? 'safe' : 'unsent',
    rate: endpoint.rate ?? 'standard',
    shownBody: hasBody ? redact(endpoint.body, body) : undefined,
  };
}

export interface RawInput {
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** A text is sent unchanged, other values as JSON. */
  readonly body?: unknown;
  /** Override the default headers, except the authorization. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const RAW_METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
const RESERVED_HEADERS = [
  'authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
];

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of entries) {
    if (RESERVED_HEADERS.includes(name)) throw new UsageError(`sonde sets the header ${name}`);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || (value !== '' && !PRINTABLE.test(value)))
      throw new UsageError(`the header "${name}" is not valid`);
  }
  return Object.fromEntries(entries);
}

/** Builds a user-written request. POST and PATCH are never retried. */
export function planRaw(config: RequestConfig, verb: string, path: string, input: RawInput): RequestPlan {
  const method = verb.toUpperCase();
  if (!RAW_METHODS.includes(method))
    throw new UsageError(`unknown method: ${verb}`, {
      details: [{ place: 'method', message: 'must be an HTTP method', allowed: RAW_METHODS }],
    });
  const { query, body, headers = {} } = input;
  const hasBody = body !== undefined;
  if (hasBody && (method === 'GET' || method === 'HEAD'))
    throw new UsageError(`${method} requests have no body`);
  const url = resolveRawUrl(parseBaseUrl(config.baseUrl), path, query);
  return {
    endpoint: `${method} ${url.pathname}`,
    isSpecified: undefined,
    request: {
      method,
      url,
      headers: { ...buildHeaders(config, hasBody), ...checkHeaders(headers) },
      body: hasBody ? (typeof body === 'string' ? body : JSON.stringify(body)) : undefined,
    },
    expected: 'any',
    repeat: method === 'POST' || method === 'PATCH' ? 'never' : 'safe',
    rate: 'standard',
    shownBody: undefined,
  };
}

/** Adds the key to the headers. Throws CredentialsError for a key that a header cannot contain, without showing it. */
export function withKey(headers: Readonly<Record<string, string>>, key: string): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CredentialsError(
      key === '' ? 'the key is empty' : 'the key contains characters that are not allowed in a header',
      { hint: 'save it again with "sonde login", or set SONDE_API_KEY' },
    );
  return { authorization: `Bearer ${key}`, ...headers };
}

/** A request as `--dry-run` prints it. */
export interface DescribedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Describes the request that `call` would send, without the key and write-only values. Needs no key and no network. */
export function describeRequest<E extends Endpoint>(
  config: RequestConfig,
  endpoint: E,
  input: Input<E>,
): DescribedRequest {
  const { request, shownBody } = planCall(config, endpoint, input);
  return describeWireRequest(request, shownBody);
}

/**
 * Describes the request that `raw` would send, without the key and values with secret names. Needs no key and no
 * network.
 */
export function describeRaw(
  config: RequestConfig,
  method: string,
  path: string,
  input: RawInput = {},
): DescribedRequest {
  const { request } = planRaw(config, method, path, input);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, SECRET_HEADER.test(name) ? HIDDEN : value]),
  );
  return describeWireRequest(
    { ...request, headers },
    redactMessage(
      { method: request.method, pathname: request.url.pathname, part: 'body' },
      typeof request.body === 'string' ? parseJsonOrText(request.body) : undefined,
    ),
  );
}

function describeWireRequest({ method, url, headers }: WireRequest, body: unknown): DescribedRequest {
  return {
    method,
    url: url.href,
    headers: { authorization: `Bearer ${HIDDEN}`, ...headers },
    ...(body === undefined ? {} : { body }),
  };
}

/** Parses a body as JSON; returns the text if it is not JSON. */
function parseJsonOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
