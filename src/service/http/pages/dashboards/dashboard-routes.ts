/** Handles dashboards, at their slug or ID and at their custom domain. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createShortCache } from '../../../../base/short-cache.ts';
import { capabilityLinks } from '../../../engine/capability.ts';
import type { DashboardRecord } from '../../../store/index.ts';
import { Problem } from '../../api/problem.ts';
import { isUnstorable } from '../../server/json-body.ts';
import { isHttps } from '../cookies.ts';
import { type ProtectedPage, pathOf, requestDomain, requestHost } from '../find-page.ts';
import type { PagesContext } from '../pages-context.ts';
import { privatePages } from '../private-pages.ts';
import { type Rendering, renderPage, sendRendering } from '../send-page.ts';
import { keepZone, localizePage, withZone, zoneInAddress, zoneOf } from '../time-zone.ts';
import { layoutOptions, nextRefresh, renderDashboard } from './dashboard-html.ts';
import { dashboardPath } from './dashboard-path.ts';
import { loadDashboard, readSelection } from './dashboard-view.ts';

/** Maximum age of a page, in ms: many readers of a dashboard cost as much as one. */
const CACHE_TTL_MS = 5000;

interface RequestedDashboard extends ProtectedPage {
  readonly page: DashboardRecord;
}

/** A page with the header that loads it again. */
interface RefreshingPage {
  readonly rendering: Rendering;
  readonly refresh: string | undefined;
}

export function dashboardHandlers(context: PagesContext) {
  const { store, clock, secret, publicUrl } = context;
  const links = capabilityLinks(secret, () => '');
  const pages = createShortCache<RefreshingPage>({ ttlMs: CACHE_TTL_MS, maxEntries: 100, clock });

  const findByName = async (name: string): Promise<DashboardRecord | undefined> =>
    isUnstorable(name) ? undefined : store.dashboards.bySlugOrId(name);

  async function findByDomain(request: FastifyRequest): Promise<DashboardRecord | undefined> {
    const domain = requestDomain(request);
    return domain === undefined ? undefined : store.dashboards.byDomain(domain);
  }

  /** Returns the requested dashboard with its access settings. Throws `Problem` 404. */
  async function find(request: FastifyRequest): Promise<RequestedDashboard> {
    const { slug } = request.params as { readonly slug?: string };
    const page = slug === undefined ? await findByDomain(request) : await findByName(slug);
    if (page === undefined) throw new Problem(404, 'There is no dashboard at this address');
    const [key] = await store.dashboards.keysOf([page.id]);
    const base = slug === undefined ? '' : dashboardPath(slug);
    const origin =
      slug === undefined ? `${isHttps(request) ? 'https' : 'http'}://${requestHost(request)}` : publicUrl();
    return {
      page,
      access: { isPrivate: page.body.isPrivate === true, keyHash: key?.hash ?? null },
      base,
      url: `${origin ?? ''}${base}`,
    };
  }

  const { sendReadable, submitKey } = privatePages(context, {
    noun: 'dashboard',
    find,
    layout: (requested) => layoutOptions(requested.page, pathOf(requested)),
  });

  async function create(requested: RequestedDashboard, request: FastifyRequest): Promise<RefreshingPage> {
    const home = pathOf(requested);
    const selection = readSelection(request, requested.page);
    const view = await loadDashboard(store, requested.page, selection, clock.now());
    if (selection.check !== undefined && view.checks.length === 0)
      throw new Problem(404, 'This dashboard has no such check');
    const next = nextRefresh(view, home);
    const inAddress = zoneInAddress(request);
    return {
      rendering: renderPage(
        keepZone(localizePage(renderDashboard(view, home, links), zoneOf(request)), inAddress),
      ),
      refresh: next && `${next.seconds}; url=${withZone(next.path, inAddress)}`,
    };
  }

  return {
    findByDomain,
    submitKey,
    /** Sends the page, or the key form of a private one. */
    page: (request: FastifyRequest, reply: FastifyReply) =>
      sendReadable(request, reply, async (requested) => {
        const { page, access, base } = requested;
        const zones = [zoneOf(request), zoneInAddress(request)];
        const key = JSON.stringify([page.id, base, readSelection(request, page), zones]);
        const { rendering, refresh } = await pages(key, String(page.updatedAt), () =>
          create(requested, request),
        );
        // A header instead of a `meta` element, because the reader can turn it off.
        if (refresh !== undefined) reply.header('refresh', refresh);
        return sendRendering(
          request,
          reply.header('vary', 'cookie'),
          rendering,
          access.isPrivate ? 'own' : 'shared',
        );
      }),
    /** Redirects from the short address of a dashboard; sends the usual 404 if there is none. */
    async redirect(request: FastifyRequest, reply: FastifyReply) {
      const { slug = '' } = request.params as { readonly slug?: string };
      const dashboard = await findByName(slug);
      if (dashboard?.body.customUrl !== slug) return reply.callNotFound();
      const [, query] = request.url.split('?', 2);
      return reply.redirect(dashboardPath(slug) + (query ? `?${query}` : ''), 302);
    },
  };
}
