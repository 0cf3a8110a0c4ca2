/** Which status page a request is for: by its slug below the service's own address, or by the domain it came to. */
import type { FastifyRequest } from 'fastify';
import { buildPagePath } from '../../../notify/subscribers/subscriber-links.ts';
import type { PageAccess, StatusPageRecord } from '../../../store/index.ts';
import { Problem } from '../../api/problem.ts';
import { isUnstorable } from '../../server/json-body.ts';
import type { PagesContext } from '../context.ts';

export interface Found {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  /** What its paths begin with: `/status/<slug>`, or nothing on a domain of its own. */
  readonly base: string;
  /** Where it is reached, in full. */
  readonly url: string;
}

const noSuchPage = () => new Problem(404, 'There is no status page at this address');

/** Whether the browser speaks TLS: to us, or to a trusted proxy in front. */
const isHttps = (request: FastifyRequest): boolean => request.protocol === 'https';

/** The page, with who may read it. Throws `Problem` 404. */
export async function findPage(context: PagesContext, request: FastifyRequest): Promise<Found> {
  const { store } = context;
  const { slug } = request.params as { readonly slug?: string };
  if (slug !== undefined) {
    const page = isUnstorable(slug) ? undefined : await store.statusPages.bySlug(slug);
    if (page === undefined) throw noSuchPage();
    return below(context, page);
  }
  const page = await pageOfDomain(context, request);
  if (page === undefined) throw new Problem(404, 'Route not found');
  const url = `${isHttps(request) ? 'https' : 'http'}://${hostOf(request)}`;
  return { page, access: await store.pageAccess.of(page.id), base: '', url };
}

const hostOf = ({ headers }: FastifyRequest): string => (headers.host ?? '').toLowerCase();

/** The page whose own domain a request came to. */
export async function pageOfDomain(
  { store }: PagesContext,
  request: FastifyRequest,
): Promise<StatusPageRecord | undefined> {
  const domain = hostOf(request).replace(/:\d+$/, '').replace(/\.$/, '');
  return domain === '' || isUnstorable(domain) ? undefined : store.statusPages.byDomain(domain);
}

/** The page of a subscription, under whatever address it has by now: who was sent a link may use it when the slug has changed. */
export async function findPageOf(
  context: PagesContext,
  request: FastifyRequest,
  pageId: string,
): Promise<Found> {
  const named = await findPage(context, request).catch(() => undefined);
  if (named?.page.id === pageId) return named;
  const page = await context.store.statusPages.anyById(pageId);
  if (page === undefined) throw noSuchPage();
  return below(context, page);
}

/** A page below the service's own address. */
async function below({ store, publicUrl }: PagesContext, page: StatusPageRecord): Promise<Found> {
  const base = buildPagePath(page.body.url);
  return { page, access: await store.pageAccess.of(page.id), base, url: (publicUrl() ?? '') + base };
}
