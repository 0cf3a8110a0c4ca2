/** Serves the ping URLs of heartbeat checks, which need no API key. */
import type { FastifyInstance } from 'fastify';
import { clientRateLimitKey } from '../server/client-address.ts';
import { isUnstorable } from '../server/json-body.ts';
import { createRateLimiter, type RateLimit } from '../server/rate-limiter.ts';
import type { HandlerContext } from './handler.ts';
import { notFound } from './problem.ts';

const MAX_TOKEN_LENGTH = 100;

/**
 * Registers the ping route for GET, HEAD and POST with any body. Each known URL, and each address that tries unknown
 * ones, may call it at the rate of a key.
 */
export function registerPingRoutes(
  app: FastifyInstance,
  { store, engine, clock }: Pick<HandlerContext, 'store' | 'engine' | 'clock'>,
  limit: RateLimit,
): void {
  const admit = createRateLimiter(limit, clock);
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_, payload, done) => {
      payload.resume();
      done(null);
    });
    routes.route<{ Params: { token: string } }>({
      method: ['GET', 'HEAD', 'POST'],
      url: '/ping/:token',
      async handler(request, reply) {
        const { params, method, headers } = request;
        const { token } = params;
        // An unknown token is looked up outside of a transaction, which would block other requests.
        const isKnown =
          token.length <= MAX_TOKEN_LENGTH &&
          !isUnstorable(token) &&
          (await store.heartbeats.byToken(token)) !== undefined;
        admit(isKnown ? token : clientRateLimitKey(request), reply);
        if (!isKnown || !(await engine.ping(token, { method, userAgent: headers['user-agent'] })))
          throw notFound('heartbeat');
        return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('OK\n');
      },
    });
  });
}
