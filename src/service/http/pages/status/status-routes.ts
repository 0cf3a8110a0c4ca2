/** Handles a status page as HTML, JSON and Atom, and the key form of a private one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createShortCache } from '../../../../base/short-cache.ts';
import { html } from '../../../notify/rendering/markup.ts';
import type { TableName } from '../../../store/index.ts';
import type { PagesContext } from '../pages-context.ts';
import { readQuery } from '../read-query.ts';
import type { RenderQueue } from '../render-queue.ts';
import { type CacheScope, type Rendering, renderPage, renderText, sendRendering } from '../send-page.ts';
import { findPage, pathOf, type RequestedPage } from '../sign-in/find-page.ts';
import { privatePages } from '../sign-in/private-pages.ts';
import { keepZone, localizePage, parseZone, zoneInAddress, zoneOf } from '../time-zone.ts';
import { renderStatusAtom, renderStatusJson } from './status-feeds.ts';
import {
  layoutOptions,
  renderFooterLinks,
  renderHeading,
  renderPoweredBy,
  renderStatusPage,
} from './status-html.ts';
import { loadStatusView, type StatusView } from './status-view.ts';

/** Maximum age of a page, in ms, if other processes write to the store. */
const CACHE_TTL_MS = 2000;
/** Pages and feeds that are cached, in all time zones. */
const MAX_RENDERINGS = { maxEntries: 200, maxBytes: 32 * 1024 * 1024 };
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

export function statusHandlers(context: PagesContext, queue: RenderQueue) {
  const { store, clock } = context;
  const cacheScope = ({ access }: RequestedPage): CacheScope => (access.isPrivate ? 'own' : 'shared');
  const views = createShortCache<StatusView>({ ttlMs: CACHE_TTL_MS, maxEntries: 100, clock });
  const renderings = createShortCache<Rendering>({
    ...{ ...MAX_RENDERINGS, ttlMs: CACHE_TTL_MS, clock },
    sizeOf: ({ bytes }) => bytes.length,
  });
  /** Returns a rendering that all readers share. Callers must check access first. */
  function cachedRendering(
    { page, access }: RequestedPage,
    format: string,
    render: (view: StatusView) => Rendering,
  ) {
    const version = `${store.changes?.sum(TABLES)} ${page.updatedAt} ${JSON.stringify(access)}`;
    const queued = <Result>(work: () => Promise<Result>) => queue(page.id, work);
    const load = () => queued(() => loadStatusView(store, page, access, clock.now()));
    return renderings(`${page.id} ${format}`, version, async () => {
      const view = await views(page.id, version, load);
      return queued(async () => render(view));
    });
  }

  const { sendReadable, requireReadable, submitKey } = privatePages(context, {
    noun: 'status page',
    find: (request) => findPage(context, request),
    layout: (requested) => ({
      ...layoutOptions(requested),
      title: `${requested.page.body.name} status`,
      heading: renderHeading(requested, pathOf(requested)),
      footer: html`${renderFooterLinks(requested)}${renderPoweredBy(requested)}`,
    }),
  });

  /** Says to search engines, which may know the address of a page already, that they must not index it. */
  function sendIndexing({ page }: RequestedPage, reply: FastifyReply): void {
    if (page.body.allowIndexing === false) reply.header('x-robots-tag', 'noindex');
  }

  /** Returns the handler of a format for programs. */
  const feedHandler =
    (type: string, render: (view: StatusView, url: string, zone: string | undefined) => string) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const requested = await requireReadable(request);
      if (!requested.access.isPrivate) reply.header('access-control-allow-origin', '*');
      sendIndexing(requested, reply);
      const { url } = requested;
      // Programs choose a zone by the address only: a cookie of the browser is none of theirs.
      const zone = parseZone(readQuery(request).get('tz'));
      const feed = await cachedRendering(requested, `${type} ${url} ${zone}`, (view) =>
        renderText(`${type}; charset=utf-8`, render(view, url, zone)),
      );
      return sendRendering(request, reply, feed, cacheScope(requested));
    };

  return {
    /** Sends the page, or the key form of a private one. */
    page: (request: FastifyRequest, reply: FastifyReply) =>
      sendReadable(request, reply, async (requested) => {
        const { base } = requested;
        sendIndexing(requested, reply);
        const zone = zoneOf(request);
        const inAddress = zoneInAddress(request);
        const page = await cachedRendering(requested, `page ${base} ${zone} ${inAddress}`, (view) =>
          renderPage(keepZone(localizePage(renderStatusPage(view, base, zone), zone), inAddress)),
        );
        return sendRendering(request, reply.header('vary', 'cookie'), page, cacheScope(requested));
      }),
    json: feedHandler('application/json', renderStatusJson),
    atom: feedHandler('application/atom+xml', (view, url) => renderStatusAtom(view, url, `${url}/feed.atom`)),
    submitKey,
  };
}
