/** The pages that people open in a browser: status pages, their subscribers, sessions and results. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerError, problemOf } from '../../api/errors.ts';
import { Problem, tooMany } from '../../api/problem.ts';
import { clientSource } from '../../server/client-address.ts';
import { messagePage, sendPage } from '../answer.ts';
import type { PagesContext } from '../context.ts';
import { pageOfDomain } from './found.ts';
import { home } from './home.ts';
import { runHandlers } from './runs.ts';
import { statusHandlers } from './status.ts';
import { subscribeHandlers } from './subscribe.ts';

/** Forms are short. */
const FORM_BYTES = 16 * 1024;
const MINUTE_MS = 60_000;

/** How often one client may send a form of a kind in a minute. */
const PER_MINUTE = { subscribe: 10, access: 10, confirm: 60, run: 10 } as const;
const limited = (max: number) => ({ config: { rateLimit: { max, timeWindow: MINUTE_MS } } });

/** The fields of a form; a NUL in one cannot be stored, so it is no field. */
function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_: FastifyRequest, text: string) =>
      Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => !value.includes('\0'))),
  );
  // What a mail program sends to unsubscribe may be in another form; it says nothing that its address does not.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: FORM_BYTES }, async () => ({}));
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'This page is private',
  403: 'Not allowed',
  404: 'Page not found',
  429: 'Too many requests',
};

/** People get a page, programs the shape of every other refusal. */
function answerFailure(error: Error, request: FastifyRequest, reply: FastifyReply) {
  if (!(request.headers.accept ?? '').includes('text/html')) return answerError(error, request, reply);
  const { status, message, headers } = problemOf(error);
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  const title = TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'Request failed');
  return sendPage(request, reply.headers(headers), messagePage(status, title, `${message}.`), 'none');
}

function statusRoutes(app: FastifyInstance, context: PagesContext): void {
  const status = statusHandlers(context);
  const subscribers = subscribeHandlers(context);
  app.get('/', async (request, reply) =>
    (await pageOfDomain(context, request)) === undefined ? home(request, reply) : status.page(request, reply),
  );
  for (const base of ['/status/:slug', '']) {
    if (base !== '') app.get(base, status.page);
    app.get(`${base}/status.json`, status.json);
    app.get(`${base}/feed.atom`, status.atom);
    app.post(`${base}/access`, limited(PER_MINUTE.access), status.enter);
    app.get(`${base}/subscribe`, subscribers.form);
    app.post(`${base}/subscribe`, limited(PER_MINUTE.subscribe), subscribers.subscribe);
    app.get(`${base}/subscribe/asked`, subscribers.asked);
    app.get(`${base}/confirm/:token`, subscribers.confirmForm);
    app.post(`${base}/confirm/:token`, limited(PER_MINUTE.confirm), subscribers.confirm);
    app.get(`${base}/unsubscribe/:id/:key`, subscribers.unsubscribeForm);
    app.post(`${base}/unsubscribe/:id/:key`, limited(PER_MINUTE.confirm), subscribers.unsubscribe);
  }
}

function runRoutes(app: FastifyInstance, context: PagesContext): void {
  const runs = runHandlers(context);
  app.get('/check-sessions/:id/:key', runs.checkSession);
  app.get('/check-sessions/:id/:key/run', runs.runForm);
  app.post('/check-sessions/:id/:key/run', limited(PER_MINUTE.run), runs.runNow);
  app.get('/test-sessions/:id/:key', runs.testSession);
  for (const kind of ['check', 'test']) {
    const result = `/${kind}-sessions/:sessionId/results/:id/:key`;
    app.get(result, runs.result);
    app.get(`${result}/artifacts/:artifactId`, runs.artifact);
  }
}

/** Registers the pages in a scope of their own: forms are read and refusals are shown differently there. */
export function pageRoutes(parent: FastifyInstance, context: PagesContext): void {
  parent.register(async (app) => {
    readForms(app);
    app.setErrorHandler(answerFailure);
    await app.register(rateLimit, {
      global: false,
      keyGenerator: clientSource,
      errorResponseBuilder: tooMany,
    });
    statusRoutes(app, context);
    runRoutes(app, context);
    for (const room of ['/status', '/check-sessions', '/test-sessions'])
      app.get(`${room}/*`, async () => {
        throw new Problem(404, 'There is no page at this address');
      });
  });
}
