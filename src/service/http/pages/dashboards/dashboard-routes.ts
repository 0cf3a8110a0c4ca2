/** Handles dashboards, at their slug or ID and at their custom domain. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createShortCache } from '../../../../base/short-cache.ts';
import { isUnstorable } from '../../../../contract/storable.ts';
import { capabilityLinks } from '../../../engine/sessions/capability.ts';
import type { DashboardRecord } from '../../../store/index.ts';
import { Problem } from '../../api/problem.ts';
import { isHttps } from '../cookies.ts';
import type { PagesContext } from '../pages-context.ts';
import type { RenderQueue } from '../render-queue.ts';
import { type Rendering, renderInZone, renderPage, sendRendering, viewerZone } from '../send-page.ts';
import { type ProtectedPage, pathOf, requestDomain, requestHost } from '../sign-in/find-page.ts';
import { privatePages } from '../sign-in/private-pages.ts';
import { withZone } from '../time-zone.ts';
import { layoutOptions, nextRefresh, renderDashboard } from './dashboard-html.ts';
import { dashboardPath } from './dashboard-path.ts';
import {
  type DashboardData,
  loadDashboardData,
  narrowSelection,
  readSelection,
  type Selection,
  selectView,
} from './dashboard-view.ts';

/** Maximum age of the data of a page, in ms: many readers of a dashboard cost as much as one. */
const CACHE_TTL_MS = 5000;
/** Dashboards whose data is cached. */
const MAX_DATA = 20;
/** Pages of dashboards that are cached in UTC, and in time zones: their number and size. */
const MAX_PAGES = { maxEntries: 100, maxBytes: 32 * 1024 * 1024 };

interface RequestedDashboard extends ProtectedPage {
  readonly page: DashboardRecord;
}

/** A page in UTC, and when and where it is loaded again. */
interface RefreshingPage {
  readonly rendering: Rendering;
  readonly next: ReturnType<typeof nextRefresh>;
}

export function dashboardHandlers(context: PagesContext, queue: RenderQueue) {
  const { store, clock, secret, publicUrl } = context;
  const ownLinks = capabilityLinks(secret, () => '');
  // A custom domain serves only the dashboard.
  const serviceLinks = capabilityLinks(secret, publicUrl);
  const ttlMs = CACHE_TTL_MS;
  const data = createShortCache<DashboardData>({ ttlMs, maxEntries: MAX_DATA, clock });
  const sizeOf = ({ bytes }: Rendering) => bytes.length;
  const pages = createShortCache<RefreshingPage>({
    ...{ ...MAX_PAGES, ttlMs, clock },
    sizeOf: ({ rendering }) => sizeOf(rendering),
  });
  const zonePages = createShortCache<Rendering>({ ...MAX_PAGES, ttlMs, clock, sizeOf });

  const findByName = async (name: string): Promise<DashboardRecord | undefined> =>
    isUnstorable(name) ? undefined : store.dashboards.bySlugOrId(name);

  async function findByDomain(request: FastifyRequest): Promise<DashboardRecord | undefined> {
    const domain = requestDomain(context, request);
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

  async function create(
    requested: RequestedDashboard,
    from: DashboardData,
    selection: Selection,
  ): Promise<RefreshingPage> {
    const home = pathOf(requested);
    const view = await selectView(store, requested.page, from, selection);
    const links = requested.base === '' ? serviceLinks : ownLinks;
    return {
      rendering: renderPage(renderDashboard(view, home, links)),
      next: nextRefresh(view, home),
    };
  }

  /** Returns the page of a request with the header that loads it again. Throws `Problem` 404 for an unknown check. */
  async function render(requested: RequestedDashboard, request: FastifyRequest) {
    const { page, base } = requested;
    const queued = <Result>(work: () => Promise<Result>) => queue(page.id, work);
    const from = await data(page.id, String(page.updatedAt), () =>
      queued(() => loadDashboardData(store, page, clock.now())),
    );
    const selection = narrowSelection(from, page, readSelection(request, page));
    if (selection === undefined) throw new Problem(404, 'This dashboard has no such check');
    // All selections expire with their data.
    const version = `${page.updatedAt} ${from.now}`;
    const key = JSON.stringify([page.id, base, selection]);
    const { rendering, next } = await pages(key, version, () =>
      queued(() => create(requested, from, selection)),
    );
    const viewer = viewerZone(request);
    const refresh = next && `${next.seconds}; url=${withZone(next.path, viewer.inAddress)}`;
    if (viewer.zone === undefined && viewer.inAddress === undefined) return { rendering, refresh };
    const inZone = await zonePages(`${key} ${JSON.stringify(viewer)}`, version, () =>
      queued(async () => renderInZone(rendering, viewer)),
    );
    return { rendering: inZone, refresh };
  }

  return {
    findByDomain,
    submitKey,
    /** Sends the page, or the key form of a private one. */
    page: (request: FastifyRequest, reply: FastifyReply) =>
      sendReadable(request, reply, async (requested) => {
        const { rendering, refresh } = await render(requested, request);
        // A header instead of a `meta` element, because the reader can turn it off.
        if (refresh !== undefined) reply.header('refresh', refresh);
        return sendRendering(
          request,
          reply.header('vary', 'cookie'),
          rendering,
          requested.access.isPrivate ? 'own' : 'shared',
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
