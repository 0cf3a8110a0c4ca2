/** Serves health, readiness, documents, which need no API key, and metrics, which do. */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { isLoopback } from '../../../base/ip-addresses.ts';
import type { Readiness } from '../../admin/readiness.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Deliveries } from '../../notify/outbox/deliver/create-deliver.ts';
import type { StorageState } from '../../store/budgets.ts';
import { DatabaseFault } from '../../store/index.ts';
import { type Authenticate, authenticateRequest } from '../api/authentication.ts';
import { Problem } from '../api/problem.ts';
import type { MetricsReport } from './metrics-report.ts';

/** Functions that load documents, by path: they are large, and few readers ask for them. */
export type Documents = Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>>;

export interface PublicRouteOptions {
  readonly engine: Engine;
  /** Returns the additional fields of `/health` for key holders and the owner: version, isolation level, waiting browsers. */
  readonly buildInfo: () => Promise<Readonly<Record<string, unknown>>>;
  readonly storageState: () => StorageState;
  /** Returns whether the network of this machine works; undefined if no canaries are configured. */
  readonly isUplinkUp: () => boolean | undefined;
  readonly readiness: Pick<Readiness, 'problem'>;
  readonly isStopping: () => boolean;
  /** Documents that everyone may read, by path: `/openapi.json`. */
  readonly documents: Documents;
  readonly metrics: MetricsReport;
  readonly deliveries: Deliveries;
  readonly authenticate: Authenticate;
  readonly isOwner: (request: FastifyRequest) => boolean;
  /** Delays a request with a large response until other work had a chance to run. */
  readonly yieldFirst: onRequestHookHandler;
}

/** Returns whether a request comes from this machine, and not through a proxy on it. */
export function isLocalRequest({ socket, headers }: FastifyRequest): boolean {
  const { remoteAddress = '', localAddress } = socket;
  // A client that connects from the address that it connects to is on this machine, even if that is no loopback
  // address.
  const isOfMachine = isLoopback(remoteAddress) || remoteAddress === localAddress;
  return isOfMachine && headers['x-forwarded-for'] === undefined;
}

/** Returns whether a request has a valid key; false if the database is not available. Throws `Problem` for an invalid key. */
async function hasValidKey(request: FastifyRequest, authenticate: Authenticate): Promise<boolean> {
  try {
    await authenticateRequest(request, authenticate);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.cause instanceof DatabaseFault) return false;
    throw error;
  }
}

export function registerPublicRoutes(app: FastifyInstance, options: PublicRouteOptions): void {
  const { engine, isStopping, documents, metrics, authenticate, deliveries } = options;
  app.get('/health', async (request, reply) => {
    const isUp = engine.isRunning() && !isStopping();
    const status = isUp ? 'ok' : 'stopping';
    reply.code(isUp ? 200 : 503);
    // Clients without a key, such as probes, see only whether the service is up.
    const isOwner = options.isOwner(request);
    if (!isOwner && request.headers.authorization === undefined) return { status };
    if (!isOwner && !(await hasValidKey(request, authenticate))) return { status };
    const { active, queued } = await engine.status();
    const { problem: _, ...progress } = engine.health();
    const problem = options.readiness.problem();
    const ready = { ready: problem === undefined, notReadyReason: problem ?? null, ...progress };
    const isUplinkUp = options.isUplinkUp();
    return {
      ...(await options.buildInfo()),
      deliveries,
      storage: options.storageState(),
      ...(isUplinkUp === undefined ? {} : { uplink: isUplinkUp ? 'up' : 'down' }),
      status,
      active,
      queued,
      ...ready,
    };
  });
  app.get('/ready', async (_, reply) => {
    const reason = options.readiness.problem();
    reply.code(reason === undefined ? 200 : 503).header('cache-control', 'no-store');
    return reason === undefined ? { status: 'ready' } : { status: 'not ready', reason };
  });
  for (const [path, load] of Object.entries(documents)) {
    let bytes: Buffer | undefined;
    app.get(path, { onRequest: options.yieldFirst }, async (_, reply) => {
      // Serialized once, so that many readers share one buffer.
      bytes ??= Buffer.from(JSON.stringify(await load()));
      return reply.type('application/json; charset=utf-8').send(bytes);
    });
  }
  app.get('/metrics', async (request, reply) => {
    // Loopback is no credential: checks of every account run on this machine. A key shows only the checks of its account.
    const { accountId } = await authenticateRequest(request, authenticate);
    return reply.type(metrics.contentType).send(await metrics.render({ accountId }));
  });
}
