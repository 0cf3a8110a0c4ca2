/** Registers the pages for browsers: status pages, subscriptions, sessions, results, and the home page. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { handleError, toProblem } from './api/error-handler.ts';
import { Problem, tooManyRequests } from './api/problem.ts';
import { badgeHandlers } from './pages/badges/badge-routes.ts';
import { dashboardHandlers } from './pages/dashboards/dashboard-routes.ts';
import { homeHandlers } from './pages/home/home-routes.ts';
import type { Page } from './pages/layout.ts';
import type { PagesContext } from './pages/pages-context.ts';
import { createRenderQueue } from './pages/render-queue.ts';
import { runHandlers } from './pages/run-routes.ts';
import { renderMessagePage, renderText, sendPage, sendRendering } from './pages/send-page.ts';
import { findPageByDomain, requestDomain } from './pages/sign-in/find-page.ts';
import { ABOUT } from './pages/sign-in/sign-in-html.ts';
import { signInHandlers } from './pages/sign-in/sign-in-routes.ts';
import { statusHandlers } from './pages/status/status-routes.ts';
import { subscribeHandlers } from './pages/status/subscribe-routes.ts';
import { submitZone } from './pages/time-zone.ts';
import { clientRateLimitKey } from './server/client-address.ts';

// Rendered once, because it is the same for every program. It does not reveal the version.
const ABOUT_JSON = renderText('application/json; charset=utf-8', JSON.stringify(ABOUT));

const MAX_FORM_BYTES = 16 * 1024;
const MINUTE_MS = 60_000;

/** Maximum number of forms per minute and client. */
const MAX_PER_MINUTE = { subscribe: 10, access: 10, confirm: 60, run: 10, signIn: 10 } as const;
/** The requests of each limit, as its 429 names them. */
const LIMITED: Readonly<Record<keyof typeof MAX_PER_MINUTE, string>> = {
  subscribe: 'subscription requests',
  access: 'attempts to open a private page',
  confirm: 'confirmations',
  run: 'runs of checks',
  signIn: 'attempts to sign in',
};
const rateLimited = (limited: keyof typeof MAX_PER_MINUTE) => ({
  config: {
    rateLimit: {
      ...{ max: MAX_PER_MINUTE[limited], timeWindow: MINUTE_MS },
      errorResponseBuilder: (_: unknown, limit: { readonly max: number; readonly ttl: number }) =>
        tooManyRequests(undefined, limit, LIMITED[limited]),
    },
  },
});

/** Registers the parsers of forms. Drops fields with NUL, which cannot be stored. */
function registerFormParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    async (_: FastifyRequest, text: string) =>
      Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => !value.includes('\0'))),
  );
  // E-mail programs may send other content to unsubscribe, which is ignored because the URL says everything.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES }, async () => ({}));
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'This page is private',
  403: 'Not allowed',
  404: 'Page not found',
  429: 'Too many requests',
};

/** Sends errors as a page to browsers and as JSON to programs. */
function handlePageError(error: Error, request: FastifyRequest, reply: FastifyReply) {
  if (!(request.headers.accept ?? '').includes('text/html')) return handleError(error, request, reply);
  const { status, message, headers } = toProblem(error);
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  const title = TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'Request failed');
  return sendPage(request, reply.headers(headers), renderMessagePage(status, title, `${message}.`), 'none');
}

/** Sends the page of a handler, which no cache may store. */
const asPage =
  (createPage: (request: FastifyRequest) => Promise<Page>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendPage(request, reply, await createPage(request), 'none');

interface PublicPages {
  readonly status: ReturnType<typeof statusHandlers>;
  readonly dashboards: ReturnType<typeof dashboardHandlers>;
}

function registerStatusRoutes(app: FastifyInstance, context: PagesContext, { status }: PublicPages): void {
  const subscribers = subscribeHandlers(context);
  for (const base of ['/status/:slug', '']) {
    if (base !== '') app.get(base, status.page);
    app.get(`${base}/status.json`, status.json);
    app.get(`${base}/feed.atom`, status.atom);
    if (base !== '') app.post(`${base}/access`, rateLimited('access'), status.submitKey);
    app.get(`${base}/subscribe`, asPage(subscribers.form));
    app.post(`${base}/subscribe`, rateLimited('subscribe'), subscribers.subscribe);
    app.get(`${base}/subscribe/asked`, asPage(subscribers.asked));
    app.get(`${base}/confirm/:token`, asPage(subscribers.confirmForm));
    app.post(`${base}/confirm/:token`, rateLimited('confirm'), asPage(subscribers.confirm));
    app.get(`${base}/unsubscribe/:id/:key`, asPage(subscribers.unsubscribeForm));
    app.post(`${base}/unsubscribe/:id/:key`, rateLimited('confirm'), asPage(subscribers.unsubscribe));
  }
}

/** Registers dashboards, and what `/` is: a page on its own domain, the home page for browsers, and JSON for programs. */
function registerStartRoutes(
  app: FastifyInstance,
  context: PagesContext,
  { status, dashboards }: PublicPages,
): void {
  const home = homeHandlers(context, signInHandlers(context));
  app.get('/', async (request, reply) => {
    if ((await findPageByDomain(context, request)) !== undefined) return status.page(request, reply);
    if ((await dashboards.findByDomain(request)) !== undefined) return dashboards.page(request, reply);
    const isBrowser = (request.headers.accept ?? '').includes('text/html');
    return isBrowser
      ? home.home(request, reply)
      : sendRendering(request, reply.header('vary', 'accept'), ABOUT_JSON, 'shared');
  });
  app.get('/dashboards/:slug', dashboards.page);
  app.post('/dashboards/:slug/access', rateLimited('access'), dashboards.submitKey);
  app.post('/access', rateLimited('access'), async (request, reply) =>
    (await findPageByDomain(context, request)) === undefined
      ? dashboards.submitKey(request, reply)
      : status.submitKey(request, reply),
  );
  app.get('/:slug', dashboards.redirect);
}

function registerSignedInRoutes(app: FastifyInstance, context: PagesContext): void {
  const signIn = signInHandlers(context);
  const home = homeHandlers(context, signIn);
  app.post('/sign-in', rateLimited('signIn'), signIn.submitKey);
  app.get('/sign-in/:token', rateLimited('signIn'), signIn.linkForm);
  app.post('/sign-in/:token', rateLimited('signIn'), signIn.useLink);
  app.post('/sign-out', home.signOut);
  app.post('/time-zone', submitZone);
  app.get('/incidents/:id', home.incident);
  app.get('/checks/:id', home.check);
  app.post('/checks/:id/run', rateLimited('run'), home.run);
}

function registerRunRoutes(app: FastifyInstance, context: PagesContext): void {
  const runs = runHandlers(context);
  app.get('/check-sessions/:id/:key', asPage(runs.checkSession));
  app.get('/check-sessions/:id/:key/run', asPage(runs.runForm));
  app.post('/check-sessions/:id/:key/run', rateLimited('run'), runs.runNow);
  app.get('/test-sessions/:id/:key', runs.testSession);
  for (const kind of ['check', 'test']) {
    const result = `/${kind}-sessions/:sessionId/results/:id/:key`;
    app.get(result, runs.result);
    app.get(`${result}/artifacts/:artifactId`, runs.artifact);
  }
}

function registerBadgeRoutes(app: FastifyInstance, context: PagesContext): void {
  const badges = badgeHandlers(context);
  for (const subject of ['check', 'group'] as const) {
    app.get(`/badges/${subject}s/:id/:key/:kind(^status|uptime|response-time$).svg`, badges.linked(subject));
    // The published address.
    app.get(`/v1/badges/${subject}s/:id`, badges.published(subject));
  }
}

/** The routes of a custom domain: those of a page at `/`. */
const DOMAIN_ROUTES: ReadonlySet<string | undefined> = new Set([
  ...['/', '/access', '/time-zone'],
  ...['/status.json', '/feed.atom', '/subscribe', '/subscribe/asked'],
  ...['/confirm/:token', '/unsubscribe/:id/:key'],
]);

/** Answers requests for other pages, and for the sign-in, with 404 if a page is served at the domain of the request. */
function servePageOfDomainOnly(context: PagesContext): onRequestAsyncHookHandler {
  const { statusPages, dashboards } = context.store;
  return async (request) => {
    const domain = DOMAIN_ROUTES.has(request.routeOptions.url) ? undefined : requestDomain(context, request);
    if (domain === undefined) return;
    const page = (await statusPages.byDomain(domain)) ?? (await dashboards.byDomain(domain));
    if (page !== undefined) throw new Problem(404, 'There is no page at this address');
  };
}

/** Registers the pages in a separate scope with form parsers and an error handler. */
export function registerPageRoutes(parent: FastifyInstance, context: PagesContext): void {
  parent.register(async (app) => {
    registerFormParsers(app);
    app.setErrorHandler(handlePageError);
    app.addHook('onRequest', servePageOfDomainOnly(context));
    await app.register(rateLimit, {
      global: false,
      keyGenerator: clientRateLimitKey,
      errorResponseBuilder: tooManyRequests,
    });
    const queue = createRenderQueue();
    const pages = { status: statusHandlers(context, queue), dashboards: dashboardHandlers(context, queue) };
    registerStartRoutes(app, context, pages);
    registerSignedInRoutes(app, context);
    registerStatusRoutes(app, context, pages);
    registerRunRoutes(app, context);
    registerBadgeRoutes(app, context);
    for (const prefix of ['/status', '/dashboards', '/check-sessions', '/test-sessions'])
      app.get(`${prefix}/*`, async () => {
        throw new Problem(404, 'There is no page at this address');
      });
  });
}
