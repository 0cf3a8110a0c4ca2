/** Handles a status page as HTML, JSON and Atom, and the key form of a private one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createShortCache } from '../../../base/short-cache.ts';
import { html } from '../../notify/rendering/markup.ts';
import type { TableName } from '../../store/index.ts';
import { Problem } from '../api/problem.ts';
import { canRead, createAccessCookie, findPage, isAccessKey, type RequestedPage } from './find-page.ts';
import { formFields, isValidForm, renderKeyField, renderTokenField } from './forms.ts';
import { renderLayout } from './layout.ts';
import type { PagesContext } from './pages-context.ts';
import {
  type CacheScope,
  type Rendering,
  renderPage,
  renderText,
  sendPage,
  sendRendering,
} from './send-page.ts';
import { renderStatusAtom, renderStatusJson } from './status-feeds.ts';
import { layoutOptions, renderHeading, renderPoweredBy, renderStatusPage } from './status-html.ts';
import { loadStatusView, type StatusView } from './status-view.ts';

/** Maximum age of a page, in ms, if other processes write to the store. */
const CACHE_TTL_MS = 2000;
const TABLES: readonly TableName[] = [
  'status_pages',
  'status_page_access',
  'status_page_services',
  'incidents',
  'maintenance_windows',
  'maintenance_states',
  'maintenance_versions',
  'maintenance_past',
];

const KEY_REQUIRED = 'This status page is private: send its access key as Authorization: Bearer <key>';

export function statusHandlers(context: PagesContext) {
  const { store, clock, secret } = context;
  const action = ({ page }: RequestedPage) => `access ${page.id}`;
  const cacheScope = ({ access }: RequestedPage): CacheScope => (access.isPrivate ? 'own' : 'shared');
  const views = createShortCache<StatusView>({ ttlMs: CACHE_TTL_MS, maxEntries: 100, clock });
  const renderings = createShortCache<Rendering>({ ttlMs: CACHE_TTL_MS, maxEntries: 200, clock });
  /** Returns a rendering that all readers share. Callers must check access first. */
  function cachedRendering(
    { page, access }: RequestedPage,
    format: string,
    render: (view: StatusView) => Rendering,
  ) {
    const version = `${store.changes?.sum(TABLES)} ${page.updatedAt} ${JSON.stringify(access)}`;
    const loadView = () => views(page.id, version, () => loadStatusView(store, page, access, clock.now()));
    return renderings(`${page.id} ${format}`, version, async () => render(await loadView()));
  }

  /** Renders the form for the key. It reveals only what a visitor of the URL may know. */
  const keyForm = (requested: RequestedPage, status: number, problem?: string) =>
    renderLayout(status, {
      ...layoutOptions(requested),
      title: `${requested.page.body.name} status`,
      heading: renderHeading(requested, requested.base === '' ? '/' : requested.base),
      main: html`<form class="card narrow" method="post" action="${requested.base}/access"><div class="stack"><h2>This page is private</h2>${renderKeyField('Access key', problem)}${renderTokenField(secret, action(requested), clock.now())}<button>View the page</button></div></form>`,
      footer: html`${renderPoweredBy(requested)}`,
    });

  /** Returns the page if the request may read it. Throws `Problem` 404, or 401 for programs. */
  async function requireReadable(request: FastifyRequest): Promise<RequestedPage> {
    const requested = await findPage(context, request);
    if (await canRead(context, request, requested)) return requested;
    throw new Problem(401, KEY_REQUIRED, { headers: { 'www-authenticate': 'Bearer realm="status page"' } });
  }
  /** Returns the handler of a format for programs. */
  const feedHandler =
    (type: string, render: (view: StatusView, url: string) => string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const requested = await requireReadable(request);
      if (!requested.access.isPrivate) reply.header('access-control-allow-origin', '*');
      const { url } = requested;
      const feed = await cachedRendering(requested, `${type} ${url}`, (view) =>
        renderText(`${type}; charset=utf-8`, render(view, url)),
      );
      return sendRendering(request, reply, feed, cacheScope(requested));
    };

  return {
    /** Sends the page, or the key form of a private one. */
    async page(request: FastifyRequest, reply: FastifyReply) {
      const requested = await findPage(context, request);
      if (!(await canRead(context, request, requested)))
        return sendPage(request, reply, keyForm(requested, 401), 'none');
      const { base } = requested;
      const page = await cachedRendering(requested, `page ${base}`, (view) =>
        renderPage(renderStatusPage(view, base)),
      );
      return sendRendering(request, reply, page, cacheScope(requested));
    },
    json: feedHandler('application/json', renderStatusJson),
    atom: feedHandler('application/atom+xml', (view, url) => renderStatusAtom(view, url, `${url}/feed.atom`)),
    /** Checks the key of a private page and sets the access cookie. */
    async submitKey(request: FastifyRequest, reply: FastifyReply) {
      const requested = await findPage(context, request);
      if (!isValidForm(request, secret, action(requested), clock.now()))
        return sendPage(request, reply, keyForm(requested, 400, 'The form has expired. Try again.'), 'none');
      if (!isAccessKey(requested.access, (formFields(request).key ?? '').trim()))
        return sendPage(request, reply, keyForm(requested, 403, 'The access key is not valid.'), 'none');
      return reply
        .header('set-cookie', createAccessCookie(context, request, requested))
        .header('cache-control', 'no-store')
        .redirect(requested.base === '' ? '/' : requested.base, 303);
    },
  };
}
