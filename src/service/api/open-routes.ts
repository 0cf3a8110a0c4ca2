/** The routes that need no API key: how the service is, its OpenAPI document, and, on this machine alone, its metrics. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '../engine.ts';
import { isLoopback } from '../listening.ts';
import { type Authenticate, identify } from './authentication.ts';
import type { Metrics } from './metrics.ts';
import { notFound } from './problem.ts';

export interface OpenRouteOptions {
  readonly engine: Engine;
  /** What `/health` tells besides the state, as it is now: the version, the level of isolation, the browsers that wait. */
  readonly about: () => Promise<Readonly<Record<string, unknown>>>;
  readonly isStopping: () => boolean;
  /** The generated document, where the bundle carries it. */
  readonly openApiDocument: Readonly<Record<string, unknown>> | undefined;
  readonly metrics: Metrics;
  /** How many messages are in each state. */
  readonly outboxCounts: () => Promise<Readonly<Record<string, number>>>;
  readonly authenticate: Authenticate;
  /** Whether nobody but this machine reaches the service: who is on it may read the metrics without a key. */
  readonly isPrivate: () => boolean;
}

/** Whether a request comes from this machine itself and not through a proxy on it. */
export function isLocal(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  return isLoopback(address) && request.headers['x-forwarded-for'] === undefined;
}

export function openRoutes(app: FastifyInstance, options: OpenRouteOptions): void {
  const { engine, about, isStopping, openApiDocument, metrics, authenticate, outboxCounts, isPrivate } =
    options;
  app.get('/health', async (_, reply) => {
    const { running, active, queued } = await engine.status();
    const isReady = running && !isStopping();
    return reply
      .code(isReady ? 200 : 503)
      .send({ ...(await about()), status: isReady ? 'ok' : 'stopping', active, queued });
  });
  app.get('/openapi.json', async () => {
    if (!openApiDocument) throw notFound('OpenAPI document in this build');
    return openApiDocument;
  });
  app.get('/metrics', async (request, reply) => {
    // A proxy on this machine may hide that it is one: where others reach the service, a key is needed of all.
    if (!isPrivate() || !isLocal(request)) await identify(request, authenticate);
    return reply
      .type(metrics.contentType)
      .send(await metrics.text(await engine.status(), await outboxCounts()));
  });
}
