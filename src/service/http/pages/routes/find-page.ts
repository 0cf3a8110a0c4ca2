/** Which status page a request is for: by its slug below the service's own address, or by the domain it came to. */
import type { FastifyRequest } from 'fastify';
import { pagePath } from '../../../notify/subscribers/addresses.ts';
import type { PageAccess, StatusPageRecord } from '../../../store/index.ts';
import { Problem } from '../../api/problem.ts';
import { isUnstorable } from '../../server/json-body.ts';
import type { PagesContext } from '../pages-context.ts';

export interface RequestedPage {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  /** What its paths begin with: `/status/<slug>`, or nothing on a domain of its own. */
  readonly base: string;
  /** Where it is reached, in full. */
  readonly url: string;
}

const pageNotFound = () => new Problem(404, 'There is no status page at this address');

/** Whether the browser speaks TLS: to us, or to a trusted proxy in front. */
const isHttps = (request: FastifyRequest): boolean => request.protocol === 'https';

/** The page, with who may read it. Throws `Problem` 404. */
export async function findPage(context: PagesContext, request: FastifyRequest): Promise<RequestedPage> {
  const { store } = context;
  const { slug } = request.params as { readonly slug?: string };
  if (slug !== undefined) {
    const page = isUnstorable(slug) ? undefined : await store.statusPages.bySlug(slug);
    if (page === undefined) throw pageNotFound();
    return toRequestedPage(context, page);
  }
  const page = await findPageByDomain(context, request);
  if (page === undefined) throw new Problem(404, 'Route not found');
  const url = `${isHttps(request) ? 'https' : 'http'}://${requestHost(request)}`;
  return { page, access: await store.pageAccess.of(page.id), base: '', url };
}

const requestHost = ({ headers }: FastifyRequest): string => (headers.host ?? '').toLowerCase();

/** The page whose own domain a request came to. */
export async function findPageByDomain(
  { store }: PagesContext,
  request: FastifyRequest,
): Promise<StatusPageRecord | undefined> {
  const domain = requestHost(request).replace(/:\d+$/, '').replace(/\.$/, '');
  return domain === '' || isUnstorable(domain) ? undefined : store.statusPages.byDomain(domain);
}

/** The page of a subscription, under whatever address it has by now: who was sent a link may use it when the slug has changed. */
export async function findPageById(
  context: PagesContext,
  request: FastifyRequest,
  pageId: string,
): Promise<RequestedPage> {
  const requested = await findPage(context, request).catch(() => undefined);
  if (requested?.page.id === pageId) return requested;
  const page = await context.store.statusPages.anyById(pageId);
  if (page === undefined) throw pageNotFound();
  return toRequestedPage(context, page);
}

/** A page below the service's own address. */
async function toRequestedPage(
  { store, publicUrl }: PagesContext,
  page: StatusPageRecord,
): Promise<RequestedPage> {
  const base = pagePath(page.body.url);
  return { page, access: await store.pageAccess.of(page.id), base, url: (publicUrl() ?? '') + base };
}
