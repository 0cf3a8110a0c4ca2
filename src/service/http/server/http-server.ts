/**
 * Creates the HTTP server: a Fastify app with limits, error handling, authentication, rate limits and the contract's
 * routes.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import fastify, {
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../../base/clock.ts';
import * as contract from '../../../contract/index.ts';
import type { ChangeCounts } from '../../store/index.ts';
import { type Authenticate, authenticateRequest, type KeyKind } from '../api/authentication.ts';
import { handleClientError, handleError, registerNotFoundHandler } from '../api/error-handler.ts';
import type { Caller, Contract, EndpointName, Handlers } from '../api/handler.ts';
import { createListResponder } from '../api/list-responder.ts';
import { Problem } from '../api/problem.ts';
import { CACHE_POLICIES, registerEndpoint } from '../api/register-endpoint.ts';
import { clientAddress, createNetworkMatcher } from './client-address.ts';
import { createConnectionLimiter } from './connection-limiter.ts';
import { decompressBody } from './decompress-body.ts';
import type { HttpLimits } from './http-limits.ts';
import { type JsonLimits, parseJsonBody } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import { createRateLimiter, type RateLimit } from './rate-limiter.ts';
import { type CachePolicy, createResponseCache } from './response-cache.ts';

export interface HttpServerOptions {
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly logger: Logger | undefined;
  readonly metrics: Metrics;
  readonly authenticate: Authenticate;
  readonly authenticateAgent: Authenticate;
  /** Addresses and networks of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  readonly trustProxy: readonly string[];
  readonly handlers: Handlers;
  readonly assertDatabaseRoom: () => void;
  readonly writeCount: () => number;
  /** Versions of the tables; undefined if other processes also write to the store. */
  readonly changes: ChangeCounts | undefined;
  /** Registers the routes that need no API key: health, documents, public triggers, pages. */
  readonly registerPublicRoutes: (app: FastifyInstance) => void;
  readonly isStopping: () => boolean;
}

/** The endpoints of the contract, to iterate over. */
const ENDPOINTS: Contract = { ...contract };

// Exceeds the time for which proxies reuse a connection (60 s), so that they never send into one that we close.
const KEEP_ALIVE_MS = 72_000;
const TIMEOUT_CHECK_INTERVAL_MS = 1000;
const MAX_PARAM_LENGTH = 1024;
const REQUEST_ID = /^[\w.-]{1,128}$/;

/** Returns the request ID that a proxy set, if it is well formed, or a new one. */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

function registerHooks(app: FastifyInstance, { logger, metrics, isStopping }: HttpServerOptions): void {
  // Hooks that run for every request use callbacks: a promise would cost more than their work.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Requests that arrive while running checks finish are answered on a connection that then closes.
    if (isStopping()) reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const [method, status] = [request.method, reply.statusCode];
    metrics.recordRequest({ method, route, status }, reply.elapsedTime / 1000);
    if (logger?.isLevelEnabled('info')) {
      // Logs the route pattern, because the URL of a public trigger contains its secret.
      const [client, ms] = [clientAddress(request), Math.round(reply.elapsedTime)];
      request.log.info({ method, route, status, client, ms }, 'answered');
    }
    done();
  });
}

function registerJsonParser(app: FastifyInstance, limits: JsonLimits, bodyLimit?: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json/,
    { parseAs: 'buffer', ...(bodyLimit === undefined ? {} : { bodyLimit }) },
    async ({ headers, routeOptions: { bodyLimit: most, config } }: FastifyRequest, bytes: Buffer) => {
      const { maxValues = limits.maxValues } = config;
      const body = await decompressBody(bytes, headers['content-encoding'], most);
      return parseJsonBody(body, { ...limits, maxValues });
    },
  );
}

/** Registers parsers for reports, which contain responses of targets, and for chunks of files. */
function registerReportParsers(app: FastifyInstance, { limits }: HttpServerOptions): void {
  const { maxReportDepth: maxDepth, maxReportValues: maxValues, maxReportBytes } = limits;
  registerJsonParser(app, { maxDepth, maxValues, allowUnstorable: true }, maxReportBytes);
  registerUploadParser(app);
}

/** Leaves a file unparsed: its handler reads the stream. */
function registerUploadParser(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/octet-stream',
    async ({ routeOptions: { config } }: FastifyRequest, part: IncomingMessage) => {
      if (config.isUpload !== true) throw new Problem(415, 'The body must be sent as application/json');
      return part;
    },
  );
}

/** Tells clients how many requests a batch may contain. */
const BATCH_LIMIT = contract.runBatch.body?.properties?.requests?.maxItems ?? 0;

const CALLER = Symbol('caller');
type AuthenticatedRequest = FastifyRequest & { [CALLER]?: Caller };

function registerEndpoints(app: FastifyInstance, options: HttpServerOptions, kind: KeyKind): void {
  const { clock, handlers, limits, assertDatabaseRoom } = options;
  const authenticate = kind === 'agent' ? options.authenticateAgent : options.authenticate;
  // A field on the request: entries of a WeakMap are expensive to collect at thousands per second.
  app.decorateRequest(CALLER, null);
  const callerOf = (request: AuthenticatedRequest): Caller => {
    const caller = request[CALLER];
    if (!caller) throw new Error('A route of the contract was reached without authentication');
    return caller;
  };
  /** Authenticates a request and counts it against the limit, before the body is read. */
  const authenticateWithLimit = (limit: RateLimit): onRequestHookHandler => {
    const admit = createRateLimiter(limit, clock);
    return (request: AuthenticatedRequest, reply, done) => {
      const onAuthenticated = (caller: Caller) => {
        request[CALLER] = caller;
        reply.header('x-batch-limit', BATCH_LIMIT);
        admit(caller.keyId, reply);
      };
      // No promise if the key is cached: it would cost more than the rest.
      let failure: Error | undefined;
      try {
        const caller = authenticateRequest(request, authenticate, kind);
        if (caller instanceof Promise) {
          caller.then(onAuthenticated).then(() => done(), done);
          return;
        }
        onAuthenticated(caller);
      } catch (error) {
        failure = error as Error;
      }
      done(failure);
    };
  };
  const authenticateStandard = authenticateWithLimit(limits.rates.standard);
  const createEndpointCache = createResponseCache(options.changes);
  const respondWithList = createListResponder();
  const route = <N extends EndpointName>(name: N): void => {
    const { rate = 'standard' } = ENDPOINTS[name] as contract.Endpoint;
    const cachePolicy = CACHE_POLICIES[name] as CachePolicy<unknown> | undefined;
    registerEndpoint(app, ENDPOINTS[name], handlers[name], {
      clock,
      assertDatabaseRoom,
      writeCount: options.writeCount,
      callerOf,
      authenticate: rate === 'standard' ? authenticateStandard : authenticateWithLimit(limits.rates[rate]),
      cache: cachePolicy && createEndpointCache(cachePolicy),
      respondWithList,
    });
  };
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { caller = 'account' } = ENDPOINTS[name] as contract.Endpoint;
    if (caller === kind) route(name);
  }
}

export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { clock, limits, logger, trustProxy } = options;
  const isProxy = createNetworkMatcher(trustProxy);
  const connections = createConnectionLimiter({
    clock,
    limits: limits.connections,
    isProxy,
    warn: (about, message) => logger?.warn(about, message),
  });
  const app = fastify({
    ...(trustProxy.length > 0 ? { trustProxy: isProxy } : {}),
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: limits.maxBodyBytes,
    serverFactory: (handle) =>
      connections.createServer(handle, {
        headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Node checks for request timeouts at this interval.
        connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_INTERVAL_MS, limits.requestTimeoutMs),
      }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      maxParamLength: MAX_PARAM_LENGTH,
      // Proxies and people add a slash to addresses: a ping with one counts.
      ignoreTrailingSlash: true,
      querystringParser: () => ({}),
    },
    frameworkErrors: handleError,
    clientErrorHandler: handleClientError,
  }) as unknown as FastifyInstance;
  connections.attachTo(app);
  registerHooks(app, options);
  registerJsonParser(app, { maxDepth: limits.maxBodyDepth, maxValues: limits.maxBodyValues });
  app.setErrorHandler(handleError);
  registerNotFoundHandler(app, Object.values(ENDPOINTS));
  await app.register(async (routes) => options.registerPublicRoutes(routes));
  await app.register(async (routes) => {
    registerUploadParser(routes);
    registerEndpoints(routes, options, 'account');
  });
  await app.register(async (routes) => {
    registerReportParsers(routes, options);
    registerEndpoints(routes, options, 'agent');
  });
  return app;
}
