/** The routes that need no API key: how the service is, its OpenAPI document, its metrics, the public triggers. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Authenticate, identify } from './authentication.ts';
import type { Metrics } from './metrics.ts';
import { notFound } from './problem.ts';

export interface OpenRouteOptions {
  /** What `/health` answers; `status` is `ok` or `stopping`. */
  readonly health: () => Promise<Readonly<Record<string, unknown>>>;
  /** The generated document, where the bundle carries it. */
  readonly openApiDocument: Readonly<Record<string, unknown>> | undefined;
  readonly metrics: Metrics;
  readonly authenticate: Authenticate;
}

/** Whether a request comes from this machine itself and not through a proxy on it. */
function isLocal(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  const isLoopback = /^(?:::ffff:)?127\./.test(address) || address === '::1';
  return isLoopback && request.headers['x-forwarded-for'] === undefined;
}

export function openRoutes(app: FastifyInstance, options: OpenRouteOptions): void {
  const { health, openApiDocument, metrics, authenticate } = options;
  app.get('/health', async () => health());
  app.get('/openapi.json', async () => {
    if (!openApiDocument) throw notFound('OpenAPI document in this build');
    return openApiDocument;
  });
  app.get('/metrics', async (request, reply) => {
    if (!isLocal(request)) await identify(request, authenticate);
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
