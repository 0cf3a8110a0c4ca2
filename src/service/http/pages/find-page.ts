/** Finds the status page of a request, by its slug or its custom domain, and controls access to private pages. */
import type { FastifyRequest } from 'fastify';
import { createCapability, isCapability } from '../../engine/capability.ts';
import { buildPagePath } from '../../notify/subscribers/messages.ts';
import type { PageAccess, StatusPageRecord, Store } from '../../store/index.ts';
import { hashOf } from '../../store/secrets.ts';
import type { Authenticate } from '../api/authentication.ts';
import type { HandlerContext } from '../api/handler.ts';
import { Problem } from '../api/problem.ts';
import { isUnstorable } from '../server/json-body.ts';

/** The dependencies of the pages. */
export interface PagesContext
  extends Pick<HandlerContext, 'engine' | 'clock' | 'publicUrl' | 'artifacts' | 'deliveries'> {
  readonly store: Store;
  /** Returns the caller of an API key, which is required to start a run from a page. */
  readonly authenticate: Authenticate;
  /** The secret that signs links, forms and cookies. */
  readonly secret: string;
}

/** A page that may require a key. */
export interface ProtectedPage {
  readonly page: { readonly id: string };
  readonly access: Pick<PageAccess, 'isPrivate' | 'keyHash'>;
  readonly base: string;
  readonly url: string;
}

export interface RequestedPage extends ProtectedPage {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  /** The prefix of its paths: `/status/<slug>`, or empty on a custom domain. */
  readonly base: string;
}

const pageNotFound = () => new Problem(404, 'There is no status page at this address');

/** Returns whether the browser uses TLS, to us or to a trusted proxy. */
export const isHttps = (request: FastifyRequest): boolean => request.protocol === 'https';

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

export const requestHost = ({ headers }: FastifyRequest): string => (headers.host ?? '').toLowerCase();

export async function findPageByDomain(
  { store }: PagesContext,
  request: FastifyRequest,
): Promise<StatusPageRecord | undefined> {
  const domain = requestDomain(request);
  return domain === undefined ? undefined : store.statusPages.byDomain(domain);
}

/** Returns the domain of a request without its port. */
export function requestDomain(request: FastifyRequest): string | undefined {
  const domain = requestHost(request).replace(/:\d+$/, '').replace(/\.$/, '');
  return domain === '' || isUnstorable(domain) ? undefined : domain;
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

const COOKIE_SECONDS = 30 * 24 * 60 * 60;

const cookieName = (page: ProtectedPage['page']): string => `sonde_page_${page.id}`;
/** Returns what the cookie signs. It contains the key's hash, so that a new key invalidates cookies of the old one. */
const signedText = ({ page, access }: ProtectedPage, until: string) =>
  `${page.id} ${access.keyHash ?? ''} ${until}`;

function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}

/** Returns whether this is the page's key. Compares hashes, whose timing reveals nothing about the key. */
export const isAccessKey = ({ keyHash }: ProtectedPage['access'], key: string): boolean =>
  keyHash !== null && hashOf(key) === keyHash;

/** Returns the cookie header that grants access for a month, or until the key changes. */
export function createAccessCookie(
  { secret, clock }: PagesContext,
  request: FastifyRequest,
  requested: ProtectedPage,
): string {
  const until = String(clock.now() + COOKIE_SECONDS * 1000);
  const value = `${until}.${createCapability(secret, 'access', signedText(requested, until))}`;
  const isSecure = isHttps(request) || requested.url.startsWith('https:');
  const flags = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return `${cookieName(requested.page)}=${value}; ${flags}`;
}

/** Returns whether a request may read the page: it is public, or the request has its key (Bearer) or cookie. */
export function canRead(
  { secret, clock }: PagesContext,
  request: FastifyRequest,
  requested: ProtectedPage,
): boolean {
  const { page, access } = requested;
  if (!access.isPrivate) return true;
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined && isAccessKey(access, bearer)) return true;
  const [until = '', key = ''] = (readCookie(request, cookieName(page)) ?? '').split('.');
  return (
    access.keyHash !== null &&
    Number(until) > clock.now() &&
    isCapability(secret, 'access', signedText(requested, until), key)
  );
}
