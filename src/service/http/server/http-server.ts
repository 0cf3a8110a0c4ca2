/** The HTTP door: a Fastify instance with its limits, its way of refusing, authentication, rates and the contract's routes. */
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
import type { Rate } from '../../../contract/endpoint.ts';
import * as contract from '../../../contract/index.ts';
import type { Changes } from '../../store/index.ts';
import { type Authenticate, authenticateRequest, type KeyKind } from '../api/authentication.ts';
import { handleClientError, handleError, registerNotFoundHandler } from '../api/error-handler.ts';
import { createListResponder } from '../api/list-responder.ts';
import {
  CACHE_POLICIES,
  type Caller,
  type Contract,
  type EndpointName,
  type Handlers,
  registerEndpoint,
} from '../api/register-endpoint.ts';
import { clientAddress, createNetworkMatcher } from './client-address.ts';
import { CONNECTION_LIMITS, type ConnectionLimits, createConnectionLimiter } from './connection-limiter.ts';
import { parseJsonBody } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import { createRateLimiter, type RateLimit } from './rate-limits.ts';
import { type CachePolicy, createResponseCache } from './response-cache.ts';

export interface HttpLimits {
  /** Largest body, in bytes. */
  readonly maxBodyBytes: number;
  /** How deep a JSON body may nest, and how many values it may hold. */
  readonly maxBodyDepth: number;
  readonly maxBodyValues: number;
  /** The same of what agents report: what a target answered may stand in it. */
  readonly maxReportBytes: number;
  readonly maxReportDepth: number;
  readonly maxReportValues: number;
  /** Within which a request must have arrived, and its headers, in ms. */
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly connections: ConnectionLimits;
  /** Requests a key may make, by the rates that endpoints name (specification, Limits). */
  readonly rates: Readonly<Record<Rate, RateLimit>>;
  /** Requests without a key that an address may make, heartbeat pings apart. */
  readonly publicRate: RateLimit;
}

export const DEFAULT_LIMITS: HttpLimits = {
  maxBodyBytes: 1024 * 1024,
  maxBodyDepth: 64,
  maxBodyValues: 10_000,
  maxReportBytes: 16 * 1024 * 1024,
  maxReportDepth: 200,
  maxReportValues: 1_000_000,
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  connections: CONNECTION_LIMITS,
  rates: {
    standard: { requests: 600, windowSeconds: 60 },
    'deprecated-listing': { requests: 5, windowSeconds: 10 },
    // The agents of a location share its key.
    agent: { requests: 6000, windowSeconds: 60 },
  },
  publicRate: { requests: 1000, windowSeconds: 10 },
};

export interface HttpServerOptions {
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly logger: Logger | undefined;
  readonly metrics: Metrics;
  readonly authenticate: Authenticate;
  readonly authenticateAgent: Authenticate;
  /** Addresses and networks of reverse proxies, whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  readonly trustProxy: readonly string[];
  readonly handlers: Handlers;
  /** Throws where the database is full. */
  readonly assertDatabaseRoom: () => void;
  /** How many writes this process has stored. */
  readonly writeCount: () => number;
  /** What was written to which table; undefined where other processes write, too. */
  readonly changes: Changes | undefined;
  /** Routes that need no API key: health, documents, public triggers, pages. */
  readonly registerPublicRoutes: (app: FastifyInstance) => void;
  /** True once the service stops. */
  readonly isStopping: () => boolean;
}

/** The contract as a value that can be walked. */
const ENDPOINTS: Contract = { ...contract };

// Longer than proxies hold on to connections to us (60 s): they must not send into one that we close.
const KEEP_ALIVE_MS = 72_000;
const TIMEOUT_CHECK_INTERVAL_MS = 1000;
const MAX_PARAM_LENGTH = 1024;
const REQUEST_ID = /^[\w.-]{1,128}$/;

/** The id that a proxy in front gave the request, where it looks like one; else a new one. */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}

function registerHooks(app: FastifyInstance, { metrics, isStopping }: HttpServerOptions): void {
  // Hooks of every request: with callbacks, for a promise each costs more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // What still arrives while running checks finish is answered, on a connection that ends with it.
    if (isStopping()) reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const [method, status] = [request.method, reply.statusCode];
    metrics.recordRequest({ method, route, status }, reply.elapsedTime / 1000);
    // The pattern, not the address: that of a public trigger holds its secret.
    const [client, ms] = [clientAddress(request), Math.round(reply.elapsedTime)];
    request.log.info({ method, route, status, client, ms }, 'answered');
    done();
  });
}

function registerBodyParser(app: FastifyInstance, { limits }: HttpServerOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json/,
    { parseAs: 'buffer' },
    async (_: FastifyRequest, bytes: Buffer) =>
      parseJsonBody(bytes, { maxDepth: limits.maxBodyDepth, maxValues: limits.maxBodyValues }),
  );
}

/** Reports hold whatever a target answered; parts of files come as they are. */
function registerReportParsers(app: FastifyInstance, { limits }: HttpServerOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json/,
    { parseAs: 'buffer', bodyLimit: limits.maxReportBytes },
    async (_: FastifyRequest, bytes: Buffer) =>
      parseJsonBody(bytes, {
        maxDepth: limits.maxReportDepth,
        maxValues: limits.maxReportValues,
        allowUnstorable: true,
      }),
  );
  // Read by who writes it away.
  app.addContentTypeParser(
    'application/octet-stream',
    async (_: FastifyRequest, part: IncomingMessage) => part,
  );
}

const CALLER = Symbol('caller');
type AuthenticatedRequest = FastifyRequest & { [CALLER]?: Caller };

/** The routes of the endpoints that a kind of key opens. */
function registerEndpoints(app: FastifyInstance, options: HttpServerOptions, kind: KeyKind): void {
  const { clock, handlers, limits, assertDatabaseRoom: assertRoom } = options;
  const authenticate = kind === 'agent' ? options.authenticateAgent : options.authenticate;
  // A field of the request: what hangs on it from outside (a WeakMap) is dear to collect, thousands of times a second.
  app.decorateRequest(CALLER, null);
  const callerOf = (request: AuthenticatedRequest): Caller => {
    const caller = request[CALLER];
    if (!caller) throw new Error('A route of the contract was reached without authentication');
    return caller;
  };
  /** Lets in whoever has a key that may ask now: before the body is read. */
  const authenticateWithLimit = (limit: RateLimit): onRequestHookHandler => {
    const admit = createRateLimiter(limit, clock);
    return (request: AuthenticatedRequest, reply, done) => {
      const onAuthenticated = (caller: Caller) => {
        request[CALLER] = caller;
        admit(caller.keyId, reply);
      };
      // Not a promise where the key is known: each costs more than what is done here.
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
  const standard = authenticateWithLimit(limits.rates.standard);
  const createEndpointCache = createResponseCache(options.changes);
  const respondWithList = createListResponder();
  const route = <N extends EndpointName>(name: N): void => {
    const { rate = 'standard' } = ENDPOINTS[name] as contract.Endpoint;
    const authenticate = rate === 'standard' ? standard : authenticateWithLimit(limits.rates[rate]);
    const cachePolicy = CACHE_POLICIES[name] as CachePolicy<unknown> | undefined;
    const cache = cachePolicy && createEndpointCache(cachePolicy);
    registerEndpoint(app, ENDPOINTS[name], handlers[name], {
      ...{
        clock,
        assertDatabaseRoom: assertRoom,
        writeCount: options.writeCount,
        callerOf,
        authenticate,
        cache: cache,
        respondWithList: respondWithList,
      },
    });
  };
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { caller = 'account' } = ENDPOINTS[name] as contract.Endpoint;
    if (caller === kind) route(name);
  }
}

/** Builds the door; it listens nowhere yet. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { clock, limits, logger, trustProxy } = options;
  const isProxy = createNetworkMatcher(trustProxy);
  const connections = createConnectionLimiter({
    ...{ clock, limits: limits.connections, isProxy },
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
        // Node looks for late requests only so often.
        connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_INTERVAL_MS, limits.requestTimeoutMs),
      }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: () => ({}) },
    frameworkErrors: handleError,
    clientErrorHandler: handleClientError,
  }) as unknown as FastifyInstance;
  connections.attachTo(app);
  registerHooks(app, options);
  registerBodyParser(app, options);
  app.setErrorHandler(handleError);
  registerNotFoundHandler(app, Object.values(ENDPOINTS));
  await app.register(async (routes) => options.registerPublicRoutes(routes));
  await app.register(async (routes) => registerEndpoints(routes, options, 'account'));
  await app.register(async (routes) => {
    registerReportParsers(routes, options);
    registerEndpoints(routes, options, 'agent');
  });
  return app;
}
