/** Serves the ping URLs of heartbeat checks, which need no API key, in the forms of Healthchecks and Uptime Kuma. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnstorable } from '../../../contract/storable.ts';
import { hasDetails, readSignal, type Signal } from '../../engine/heartbeats/signal.ts';
import { clientRateLimitKey } from '../server/client-address.ts';
import { createRateCounter, createRateLimiter, type RateLimit } from '../server/rate-limiter.ts';
import type { HandlerContext } from './handler.ts';
import { type PingBody, readPingBody } from './ping-body.ts';
import { invalid, notFound, violation } from './problem.ts';
import { queryText } from './validate-request.ts';

const MAX_TOKEN_LENGTH = 100;
/** Pings of one URL that are recorded for their texts. Others only count as pings, recorded about once per period. */
const RECORDED: RateLimit = { requests: 30, windowSeconds: 60 };

interface PingRoute {
  readonly Params: { readonly token: string; readonly signal?: string };
  readonly Body: PingBody | null | undefined;
}

/**
 * Registers the ping routes for GET, HEAD and POST with any body. Each known URL, and each address that tries unknown
 * ones, may call them at the rate of a key.
 */
export function registerPingRoutes(
  app: FastifyInstance,
  { store, engine, clock }: Pick<HandlerContext, 'store' | 'engine' | 'clock'>,
  limit: RateLimit,
): void {
  const admit = createRateLimiter(limit, clock);
  const countRecorded = createRateCounter(RECORDED, clock);

  /** Looks up the token outside of a transaction, which would block other requests, and before the body is read. */
  async function requireToken(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { token } = request.params as PingRoute['Params'];
    const isKnown =
      token.length <= MAX_TOKEN_LENGTH &&
      !isUnstorable(token) &&
      (await store.heartbeats.byToken(token)) !== undefined;
    admit(isKnown ? token : clientRateLimitKey(request), reply);
    if (!isKnown) throw notFound('heartbeat');
  }

  async function receive(request: FastifyRequest<PingRoute>, reply: FastifyReply): Promise<void> {
    const { token } = request.params;
    const signal = signalOf(request);
    if (!signal) throw notFound('heartbeat');
    const isRecorded = hasDetails(signal) && !countRecorded(token).isExceeded;
    if (!(await engine.ping(token, signal, isRecorded))) throw notFound('heartbeat');
    reply.header('cache-control', 'no-store');
  }

  app.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', readPingBody);
    routes.addHook('onRequest', requireToken);
    for (const url of ['/ping/:token', '/ping/:token/:signal'])
      routes.route<PingRoute>({
        method: ['GET', 'HEAD', 'POST'],
        url,
        async handler(request, reply) {
          await receive(request, reply);
          return reply.type('text/plain; charset=utf-8').send('OK\n');
        },
      });
    routes.route<PingRoute>({
      method: ['GET', 'HEAD', 'POST'],
      url: '/api/push/:token',
      async handler(request, reply) {
        await receive(request, reply);
        return reply.send({ ok: true });
      },
    });
  });
}

/** Returns the signal of a request; undefined if its path means nothing. Throws `Problem` 400 for a wrong run ID. */
function signalOf({ params, raw, body, method, headers }: FastifyRequest<PingRoute>): Signal | undefined {
  const signal = readSignal({
    path: params.signal ?? '',
    query: new URLSearchParams(queryText(raw.url ?? '')),
    body: body ?? undefined,
    contentType: headers['content-type'],
    method,
    userAgent: headers['user-agent'],
  });
  if (signal === 'wrong run ID')
    throw invalid([
      violation(
        'query',
        ['rid'],
        'pattern',
        'must have 1 to 64 letters, digits, "-" and "_", such as a UUID',
      ),
    ]);
  return signal === 'unknown path' || params.signal === '' ? undefined : signal;
}
