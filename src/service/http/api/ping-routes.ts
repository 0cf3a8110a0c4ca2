/** The URLs of heartbeats: whoever knows one says by it that what is watched has done its work. No API key is needed. */
import type { FastifyInstance } from 'fastify';
import { clientRateLimitKey } from '../server/client-address.ts';
import { isUnstorable } from '../server/json-body.ts';
import { createRateLimiter, type RateLimit } from '../server/rate-limits.ts';
import type { HandlerContext } from './handler-context.ts';
import { notFound } from './problem.ts';

const MAX_TOKEN_LENGTH = 100;

/** Takes pings by GET, HEAD and POST, whatever a POST carries; each URL as often as a key may ask, and so each address that guesses. */
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
        // What nobody has is looked for without a transaction, which would keep others waiting.
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
