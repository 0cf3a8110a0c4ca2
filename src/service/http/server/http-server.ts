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
import type { ChangeCounts } from '../../store/index.ts';
import { type Authenticate, identify, type KeyKind } from '../api/authentication.ts';
import { answerClientError, answerError, answerUnknownRoutes } from '../api/errors.ts';
import {
  type Caller,
  type Contract,
  type EndpointName,
  type Handlers,
  implement,
  LASTING,
} from '../api/implement.ts';
import { listAnswers } from '../api/lists.ts';
import { clientAddress, isWithin } from './client-address.ts';
import { boundedConnections, CONNECTION_LIMITS, type ConnectionLimits } from './connections.ts';
import { parseJson } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import { admitting, type RateLimit } from './rate-limits.ts';
import { type Lasting, memory } from './response-cache.ts';

export interface DoorLimits {
  /** Largest body, in bytes. */
  readonly bodyBytes: number;
  /** How deep a JSON body may nest, and how many values it may hold. */
  readonly bodyDepth: number;
  readonly bodyValues: number;
  /** The same of what agents report: what a target answered may stand in it. */
  readonly reportBytes: number;
  readonly reportDepth: number;
  readonly reportValues: number;
  /** Within which a request must have arrived, and its headers, in ms. */
  readonly requestMs: number;
  readonly headersMs: number;
  readonly connections: ConnectionLimits;
  /** Requests a key may make, by the rates that endpoints name (specification, Limits). */
  readonly rates: Readonly<Record<Rate, RateLimit>>;
  /** Requests without a key that an address may make, heartbeat pings apart. */
  readonly open: RateLimit;
}

export const DEFAULT_LIMITS: DoorLimits = {
  bodyBytes: 1024 * 1024,
  bodyDepth: 64,
  bodyValues: 10_000,
  reportBytes: 16 * 1024 * 1024,
  reportDepth: 200,
  reportValues: 1_000_000,
  requestMs: 30_000,
  headersMs: 10_000,
  connections: CONNECTION_LIMITS,
  rates: {
    standard: { requests: 600, windowSeconds: 60 },
    'deprecated-listing': { requests: 5, windowSeconds: 10 },
    // The agents of a location share its key.
    agent: { requests: 6000, windowSeconds: 60 },
  },
  open: { requests: 1000, windowSeconds: 10 },
};

export interface DoorOptions {
  readonly clock: Clock;
  readonly limits: DoorLimits;
  readonly logger: Logger | undefined;
  readonly metrics: Metrics;
  readonly authenticate: Authenticate;
  readonly authenticateAgent: Authenticate;
  /** Addresses and networks of reverse proxies, whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  readonly trustProxy: readonly string[];
  readonly handlers: Handlers;
  /** Throws where the database is full. */
  readonly assertRoom: () => void;
  /** How many writes this process has stored. */
  readonly writes: () => number;
  /** What was written to which table; undefined where other processes write, too. */
  readonly changes: ChangeCounts | undefined;
  /** Routes that need no API key: health, documents, public triggers, pages. */
  readonly openRoutes: (app: FastifyInstance) => void;
  /** True once the service stops. */
  readonly isStopping: () => boolean;
}

/** The contract as a value that can be walked. */
const ENDPOINTS: Contract = { ...contract };

// Longer than proxies hold on to connections to us (60 s): they must not send into one that we close.
const KEEP_ALIVE_MS = 72_000;
const LATE_CHECK_MS = 1000;
const LONGEST_PARAM = 1024;
const GIVEN_ID = /^[\w.-]{1,128}$/;

/** The id that a proxy in front gave the request, where it looks like one; else a new one. */
function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
}

function observe(app: FastifyInstance, { metrics, isStopping }: DoorOptions): void {
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
    metrics.request({ method, route, status }, reply.elapsedTime / 1000);
    // The pattern, not the address: that of a public trigger holds its secret.
    const [client, ms] = [clientAddress(request), Math.round(reply.elapsedTime)];
    request.log.info({ method, route, status, client, ms }, 'answered');
    done();
  });
}

function readBodies(app: FastifyInstance, { limits }: DoorOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json/,
    { parseAs: 'buffer' },
    async (_: FastifyRequest, bytes: Buffer) =>
      parseJson(bytes, { depth: limits.bodyDepth, values: limits.bodyValues }),
  );
}

/** Reports hold whatever a target answered; parts of files come as they are. */
function readReports(app: FastifyInstance, { limits }: DoorOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json/,
    { parseAs: 'buffer', bodyLimit: limits.reportBytes },
    async (_: FastifyRequest, bytes: Buffer) =>
      parseJson(bytes, { depth: limits.reportDepth, values: limits.reportValues, anyText: true }),
  );
  // Read by who writes it away.
  app.addContentTypeParser(
    'application/octet-stream',
    async (_: FastifyRequest, part: IncomingMessage) => part,
  );
}

const CALLER = Symbol('caller');
type Identified = FastifyRequest & { [CALLER]?: Caller };

/** The routes of the endpoints that a kind of key opens. */
function contractRoutes(app: FastifyInstance, options: DoorOptions, kind: KeyKind): void {
  const { clock, handlers, limits, assertRoom } = options;
  const authenticate = kind === 'agent' ? options.authenticateAgent : options.authenticate;
  // A field of the request: what hangs on it from outside (a WeakMap) is dear to collect, thousands of times a second.
  app.decorateRequest(CALLER, null);
  const callerOf = (request: Identified): Caller => {
    const caller = request[CALLER];
    if (!caller) throw new Error('A route of the contract was reached without authentication');
    return caller;
  };
  /** Lets in whoever has a key that may ask now: before the body is read. */
  const lettingIn = (limit: RateLimit): onRequestHookHandler => {
    const admit = admitting(limit, clock);
    return (request: Identified, reply, done) => {
      const letIn = (caller: Caller) => {
        request[CALLER] = caller;
        admit(caller.keyId, reply);
      };
      // Not a promise where the key is known: each costs more than what is done here.
      let refusal: Error | undefined;
      try {
        const caller = identify(request, authenticate, kind);
        if (caller instanceof Promise) {
          caller.then(letIn).then(() => done(), done);
          return;
        }
        letIn(caller);
      } catch (error) {
        refusal = error as Error;
      }
      done(refusal);
    };
  };
  const standard = lettingIn(limits.rates.standard);
  const remembering = memory(options.changes);
  const answerList = listAnswers();
  const route = <N extends EndpointName>(name: N): void => {
    const { rate = 'standard' } = ENDPOINTS[name] as contract.Endpoint;
    const letIn = rate === 'standard' ? standard : lettingIn(limits.rates[rate]);
    const lasting = LASTING[name] as Lasting<unknown> | undefined;
    const remembered = lasting && remembering(lasting);
    implement(app, ENDPOINTS[name], handlers[name], {
      ...{ clock, assertRoom, writes: options.writes, callerOf, letIn, remembered, answerList },
    });
  };
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { caller = 'account' } = ENDPOINTS[name] as contract.Endpoint;
    if (caller === kind) route(name);
  }
}

/** Builds the door; it listens nowhere yet. */
export async function createDoor(options: DoorOptions): Promise<FastifyInstance> {
  const { clock, limits, logger, trustProxy } = options;
  const isProxy = isWithin(trustProxy);
  const connections = boundedConnections({
    ...{ clock, limits: limits.connections, isProxy },
    warn: (about, message) => logger?.warn(about, message),
  });
  const app = fastify({
    ...(trustProxy.length > 0 ? { trustProxy: isProxy } : {}),
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: limits.bodyBytes,
    serverFactory: (handle) =>
      connections.serve(handle, {
        headersTimeout: Math.min(limits.headersMs, limits.requestMs),
        requestTimeout: limits.requestMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Node looks for late requests only so often.
        connectionsCheckingInterval: Math.min(LATE_CHECK_MS, limits.requestMs),
      }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAM, querystringParser: () => ({}) },
    frameworkErrors: answerError,
    clientErrorHandler: answerClientError,
  }) as unknown as FastifyInstance;
  connections.follow(app);
  observe(app, options);
  readBodies(app, options);
  app.setErrorHandler(answerError);
  answerUnknownRoutes(app, Object.values(ENDPOINTS));
  await app.register(async (routes) => options.openRoutes(routes));
  await app.register(async (routes) => contractRoutes(routes, options, 'account'));
  await app.register(async (routes) => {
    readReports(routes, options);
    contractRoutes(routes, options, 'agent');
  });
  return app;
}
