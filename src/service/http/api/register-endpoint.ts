/** Registers endpoints of the contract as routes that validate each request before its handler runs. */
import { Readable } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { BodyOf, Endpoint, ParamsOf, ResponseOf } from '../../../contract/index.ts';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import { DatabaseFault } from '../../store/index.ts';
import type { CachePolicy, EndpointCache } from '../server/response-cache.ts';
import { databaseProblem } from './error-handler.ts';
import type { Call, Caller, Contract, EndpointName, Handler } from './handler.ts';
import { type createListResponder, Rows } from './list-responder.ts';
import { Problem } from './problem.ts';
import { isEmptyBody, type ParsedRequest, parseRequest, validateRequest } from './validate-request.ts';

async function* readChunks(stream: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    // The stream stays open, so that a handler can respond without reading all of it.
    for await (const part of stream.iterator({ destroyOnReturn: false })) {
      bytes += (part as Buffer).length;
      if (bytes > maxBytes)
        throw new Problem(413, `The upload is too large: at most ${maxBytes} bytes per request`);
      yield part as Buffer;
    }
  } finally {
    // The rest must be drained before the next request on the connection.
    stream.resume();
  }
}

/** The endpoints whose responses may be cached until their tables change. */
export const CACHE_POLICIES: { readonly [N in EndpointName]?: CachePolicy<ResponseOf<Contract[N]>> } = {
  getCheck: { tables: ['checks', 'check_groups', 'alert_subscriptions', 'alert_channels', 'heartbeats'] },
  // The response for an open session includes its duration so far.
  getCheckSession: {
    tables: ['check_sessions', 'results'],
    isCacheable: ({ stoppedAt }) => stoppedAt !== null,
  },
};

export interface RouteOptions {
  readonly clock: Clock;
  readonly cache: EndpointCache | undefined;
  readonly respondWithList: ReturnType<typeof createListResponder>;
  readonly assertDatabaseRoom: () => void;
  readonly writeCount: () => number;
  readonly callerOf: (request: FastifyRequest) => Caller;
  readonly authenticate: onRequestHookHandler;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum number of values in a JSON body; default: that of the service. */
    readonly maxValues?: number | undefined;
    /** Whether the body is a file, which stays unparsed. */
    readonly isUpload?: boolean;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns a signal that aborts when the connection closes. Fastify's own signal never aborts after a body was read. */
function createGoneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Resources that are accepted even if the database is full: they start runs or report an outage. */
const ALWAYS_ACCEPTED: readonly string[] = ['check sessions', 'test sessions', 'incidents'];
/** Maximum size of a change that is accepted even if the database is full, in bytes, so that users can deactivate checks. */
const SMALL_CHANGE_BYTES = 64 * 1024;

/** Endpoints that store everything in one transaction. If it fails, nothing was stored. Others may store a part. */
const SINGLE_TRANSACTION: readonly string[] = [
  'runBatch',
  'triggerCheckSessions',
  'triggerCheckSessionsV1',
  'runCheckGroup',
  'triggerTestSessions',
  'triggerPublishedTests',
  'runProjectChecks',
];

/** Returns whether a request of an account makes the database larger. */
const addsData = ({ caller, method, success, resource }: Endpoint, { headers }: FastifyRequest): boolean =>
  caller !== 'agent' &&
  method !== 'GET' &&
  method !== 'DELETE' &&
  !ALWAYS_ACCEPTED.includes(resource) &&
  (success === 201 || !(Number(headers['content-length'] ?? 0) <= SMALL_CHANGE_BYTES));

export function registerEndpoint<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
  options: RouteOptions,
): void {
  const { callerOf, cache } = options;
  /** Validates the request and returns the response of the handler. */
  const callHandler = async (
    request: FastifyRequest,
    reply: FastifyReply,
    parsed: ParsedRequest,
  ): Promise<unknown> => {
    const parts = validateRequest(request, endpoint, parsed, options.clock.now());
    const writes = options.writeCount();
    const { accountId, keyId } = callerOf(request);
    return handler({
      endpoint,
      accountId,
      keyId,
      // The validation guarantees these types.
      params: parts.params as ParamsOf<E>,
      query: parts.query as Call<E>['query'],
      body: parts.body as BodyOf<E>,
      // Created on demand, because few handlers wait.
      get signal() {
        return createGoneSignal(reply);
      },
      get location() {
        const { location } = callerOf(request);
        if (!location) throw new Error(`${endpoint.name} is for agents, and an account asked`);
        return location;
      },
      get upload() {
        if (!(request.body instanceof Readable)) throw new Problem(400, 'A file is required');
        const length = request.headers['content-length'];
        const { uploadBytes: maxBytes = 0 } = endpoint;
        return {
          declaredBytes: length === undefined ? undefined : Number(length),
          maxBytes,
          declaredSha256: [request.headers['x-bundle-checksum-sha256']].flat()[0],
          chunks: readChunks(request.body, maxBytes),
        };
      },
      readBody: parsed.ignored.readBody,
      header: (name, value) => reply.header(name, value),
      ifMatch: request.headers['if-match'],
    }).catch((error: unknown) => {
      if (!(error instanceof DatabaseFault)) throw error;
      const isAlone = endpoint.method === 'GET' || SINGLE_TRANSACTION.includes(endpoint.name);
      throw databaseProblem(error, !error.mayHaveActed && (isAlone || writes === options.writeCount()));
    });
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply, key: string) => {
    if (addsData(endpoint, request)) options.assertDatabaseRoom();
    const version = cache?.version() ?? 0;
    const parsed = parseRequest(request, endpoint);
    const { ignored } = parsed;
    // Refused requests also name the ignored fields, because a required field may be misspelled.
    const response = await callHandler(request, reply, parsed).finally(() => ignored.report(request, reply));
    reply.code(endpoint.success);
    // Serialized here: Fastify would send a string unquoted, and nothing for null.
    if (endpoint.success === 204) return reply.send();
    // The handler sets the content type. Streaming adapts to slow clients and stops when a client disconnects.
    if (endpoint.file) {
      const { bytes, stream } = response as FileDownload;
      return reply.header('content-length', bytes).send(stream);
    }
    if (response instanceof Rows) {
      const isGone = () => reply.raw.destroyed || reply.raw.writableEnded;
      const answered = await options.respondWithList(callerOf(request).accountId, response, isGone);
      return reply.type(JSON_TYPE).send(answered);
    }
    const text = JSON.stringify(response);
    // A cached response has no header that names ignored parameters.
    if (ignored.isEmpty()) cache?.set(key, response, text, version);
    // Sends the answers to all requests that have arrived together: waking the client for each one costs a quarter more.
    await endOfTurn();
    return reply.type(JSON_TYPE).send(text);
  };
  const handleFromCache: RouteHandlerMethod = (request: FastifyRequest, reply: FastifyReply) => {
    if (cache === undefined) return handle(request, reply, '');
    // Cached per account and URL. A request with a body is validated as always.
    const key = `${callerOf(request).accountId} ${request.raw.url}`;
    const text = isEmptyBody(request.body) ? cache.get(key) : undefined;
    if (text === undefined) return handle(request, reply, key);
    reply.code(endpoint.success).type(JSON_TYPE).send(text);
    return undefined;
  };
  const { bodyBytes: bodyLimit, bodyValues: maxValues } = endpoint;
  app.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: options.authenticate,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    config: { maxValues, isUpload: endpoint.uploadBytes !== undefined },
    handler: handleFromCache,
  });
}
