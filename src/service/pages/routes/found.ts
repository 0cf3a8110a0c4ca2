/** Which status page a request is for: by its slug below the service's own address, or by the domain it came to. */
import type { FastifyRequest } from 'fastify';
import { isUnstorable } from '../../api/json-body.ts';
import { notFound } from '../../api/problem.ts';
import type { PageAccess, StatusPageRecord } from '../../store/index.ts';
import { pagePath } from '../../subscribers/addresses.ts';
import type { PagesContext } from '../context.ts';

export interface Found {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  /** What its paths begin with: `/status/<slug>`, or nothing on a domain of its own. */
  readonly base: string;
  /** Where it is reached, in full. */
  readonly url: string;
}

const isHttps = (request: FastifyRequest): boolean =>
  request.headers['x-forwarded-proto'] === 'https' || request.protocol === 'https';

/** The page, with who may read it. Throws `Problem` 404. */
export async function findPage({ store, publicUrl }: PagesContext, request: FastifyRequest): Promise<Found> {
  const { slug } = request.params as { readonly slug?: string };
  if (slug !== undefined) {
    const page = isUnstorable(slug) ? undefined : await store.statusPages.bySlug(slug);
    if (page === undefined) throw notFound('status page at this address');
    const base = pagePath(page.body.url);
    return { page, access: await store.pageAccess.of(page.id), base, url: (publicUrl() ?? '') + base };
  }
  const host = (request.headers.host ?? '').toLowerCase();
  const domain = host.replace(/:\d+$/, '').replace(/\.$/, '');
  const page = domain === '' || isUnstorable(domain) ? undefined : await store.statusPages.byDomain(domain);
  if (page === undefined) throw notFound('such route');
  const url = `${isHttps(request) ? 'https' : 'http'}://${host}`;
  return { page, access: await store.pageAccess.of(page.id), base: '', url };
}

/** Whether the browser speaks to us through TLS, so that a cookie may insist on it. */
export const isSecure = isHttps;
