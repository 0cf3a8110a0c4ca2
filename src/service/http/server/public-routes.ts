/** The routes that need no API key: how the service is, its OpenAPI document, and, on this machine alone, its metrics. */
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { isLoopback } from '../../../base/loopback.ts';
import type { Readiness } from '../../admin/readiness.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Deliveries } from '../../notify/outbox/deliver/create-deliver.ts';
import type { StorageState } from '../../store/budgets.ts';
import { DatabaseFault } from '../../store/index.ts';
import { type Authenticate, identify } from '../api/authentication.ts';
import { notFound, Problem } from '../api/problem.ts';
import type { Metrics } from './metrics.ts';

export interface OpenRouteOptions {
  readonly engine: Engine;
  /** What `/health` tells holders of a key and the owner besides the state, as it is now: the version, the level of isolation, the browsers that wait. */
  readonly about: () => Promise<Readonly<Record<string, unknown>>>;
  /** What is stored, and what has reached its limit. */
  readonly storage: () => StorageState;
  readonly ready: Pick<Readiness, 'problem'>;
  readonly isStopping: () => boolean;
  /** The generated document, where the bundle carries it. */
  readonly openApiDocument: Readonly<Record<string, unknown>> | undefined;
  readonly metrics: Metrics;
  readonly deliveries: Deliveries;
  /** How many messages are in each state. */
  readonly outboxCounts: () => Promise<Readonly<Record<string, number>>>;
  readonly authenticate: Authenticate;
  /** Whether a request is of the owner of the data folder. */
  readonly isOwner: (request: FastifyRequest) => boolean;
  /** Whether nobody but this machine reaches the service: who is on it may read the metrics without a key. */
  readonly isPrivate: () => boolean;
  /** Lets what is large wait until everything else had a chance. */
  readonly unhurried: onRequestHookHandler;
}

/** Whether a request comes from this machine itself and not through a proxy on it. */
export function isLocal({ socket, headers }: FastifyRequest): boolean {
  const { remoteAddress = '', localAddress } = socket;
  // Who connects from the address that it connects to is on this machine, whichever of its addresses that is.
  const isOfMachine = isLoopback(remoteAddress) || remoteAddress === localAddress;
  return isOfMachine && headers['x-forwarded-for'] === undefined;
}

/** Whether a request names an address or localhost as its host: a web page that resolves its own name to this machine cannot. */
function namesNoDomain({ headers }: FastifyRequest): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || isIP(host) !== 0;
}

/** Whether a request has a valid key; false where the database cannot tell now. Throws `Problem` for any other key. */
async function isIdentified(request: FastifyRequest, authenticate: Authenticate): Promise<boolean> {
  try {
    await identify(request, authenticate);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.cause instanceof DatabaseFault) return false;
    throw error;
  }
}

export function openRoutes(app: FastifyInstance, options: OpenRouteOptions): void {
  const { engine, about, isStopping, openApiDocument, metrics, authenticate, outboxCounts } = options;
  app.get('/health', async (request, reply) => {
    const { running, active, queued } = await engine.status();
    const isUp = running && !isStopping();
    const status = isUp ? 'ok' : 'stopping';
    reply.code(isUp ? 200 : 503);
    // Probes have no key, and learn whether the service is up; so does everybody else.
    const isOwner = options.isOwner(request);
    if (!isOwner && request.headers.authorization === undefined) return { status };
    if (!isOwner && !(await isIdentified(request, authenticate))) return { status };
    const { problem: _, ...progress } = engine.health();
    const problem = options.ready.problem();
    const ready = { ready: problem === undefined, notReadyReason: problem ?? null, ...progress };
    const { deliveries } = options;
    return { ...(await about()), deliveries, storage: options.storage(), status, active, queued, ...ready };
  });
  app.get('/ready', async (_, reply) => {
    const reason = options.ready.problem();
    reply.code(reason === undefined ? 200 : 503).header('cache-control', 'no-store');
    return reason === undefined ? { status: 'ready' } : { status: 'not ready', reason };
  });
  let openApiBytes: Buffer | undefined;
  app.get('/openapi.json', { onRequest: options.unhurried }, async (_, reply) => {
    if (!openApiDocument) throw notFound('OpenAPI document');
    // One for all: however many read it, it is in memory once.
    openApiBytes ??= Buffer.from(JSON.stringify(openApiDocument));
    return reply.type('application/json; charset=utf-8').send(openApiBytes);
  });
  app.get('/metrics', async (request, reply) => {
    // A proxy on this machine may hide that it is one: where others reach the service, a key is needed of all.
    const isOpen = options.isPrivate() && isLocal(request) && namesNoDomain(request);
    if (!isOpen) await identify(request, authenticate);
    return reply
      .type(metrics.contentType)
      .send(await metrics.text(await engine.status(), await outboxCounts(), options.storage()));
  });
}
