/** Finds the status page of a request, by its slug or by its custom domain. */
import type { FastifyRequest } from 'fastify';
import { buildPagePath } from '../../../notify/subscribers/messages.ts';
import type { PageAccess, StatusPageRecord } from '../../../store/index.ts';
import { Problem } from '../../api/problem.ts';
import { isUnstorable } from '../../server/json-body.ts';
import type { PagesContext } from '../pages-context.ts';

export interface RequestedPage {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  /** The prefix of its paths: `/status/<slug>`, or empty on a custom domain. */
  readonly base: string;
  /** The full URL of the page. */
  readonly url: string;
}

const pageNotFound = () => new Problem(404, 'There is no status page at this address');

/** Returns whether the browser uses TLS, to us or to a trusted proxy. */
const isHttps = (request: FastifyRequest): boolean => request.protocol === 'https';

/** Returns the requested page with its access settings. Throws `Problem` 404. */
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

/** Returns the page with the custom domain of a request. */
export async function findPageByDomain(
  { store }: PagesContext,
  request: FastifyRequest,
): Promise<StatusPageRecord | undefined> {
  const domain = requestHost(request).replace(/:\d+$/, '').replace(/\.$/, '');
  return domain === '' || isUnstorable(domain) ? undefined : store.statusPages.byDomain(domain);
}

/** Returns the page of a subscription under its current address, so that links work after its slug has changed. */
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

/** Returns a page under the address of the service. */
async function toRequestedPage(
  { store, publicUrl }: PagesContext,
  page: StatusPageRecord,
): Promise<RequestedPage> {
  const base = buildPagePath(page.body.url);
  return { page, access: await store.pageAccess.of(page.id), base, url: (publicUrl() ?? '') + base };
}
