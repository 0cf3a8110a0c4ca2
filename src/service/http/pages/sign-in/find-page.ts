/** Finds the status page of a request, by its slug or its custom domain, and controls access to private pages. */

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { isUrl } from '../../../../base/parse-url.ts';
import { isUnstorable } from '../../../../contract/storable.ts';
import { createCapability, isCapability } from '../../../engine/sessions/capability.ts';
import { buildPagePath } from '../../../notify/subscribers/messages.ts';
import type { PageAccess, StatusPageRecord } from '../../../store/index.ts';
import { hashOf } from '../../../store/secrets.ts';
import { Problem } from '../../api/problem.ts';
import { createCookie, isHttps, readCookie } from '../cookies.ts';
import type { PagesContext } from '../pages-context.ts';
import { findSignedIn } from './session.ts';

/** A page that may require a key. */
export interface ProtectedPage {
  readonly page: { readonly id: string; readonly accountId: string };
  readonly access: Pick<PageAccess, 'isPrivate' | 'keyHash'>;
  readonly base: string;
  readonly url: string;
}

/** Returns the path of a page, `/` on a custom domain. */
export const pathOf = ({ base }: Pick<ProtectedPage, 'base'>): string => (base === '' ? '/' : base);

export interface RequestedPage extends ProtectedPage {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  /** The prefix of its paths: `/status/<slug>`, or empty on a custom domain. */
  readonly base: string;
}

const pageNotFound = () => new Problem(404, 'There is no status page at this address');

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
  context: PagesContext,
  request: FastifyRequest,
): Promise<StatusPageRecord | undefined> {
  const domain = requestDomain(context, request);
  return domain === undefined ? undefined : context.store.statusPages.byDomain(domain);
}

/** Returns the domain of a request without its port; undefined if no page can have it: the host of the service, or an address. */
export function requestDomain(
  { publicUrl }: Pick<PagesContext, 'publicUrl'>,
  request: FastifyRequest,
): string | undefined {
  const domain = requestHost(request).replace(/:\d+$/, '').replace(/\.$/, '');
  if (domain === '' || domain === 'localhost' || isIP(domain) !== 0 || isUnstorable(domain)) return undefined;
  const url = publicUrl();
  return url !== undefined && isUrl(url) && new URL(url).hostname === domain ? undefined : domain;
}

/** Returns the page of a subscription under its current address, so that links work after its slug has changed. */
export async function findPageById(
  context: PagesContext,
  request: FastifyRequest,
  pageId: string,
): Promise<RequestedPage> {
  const requested = await findPage(context, request).catch(() => undefined);
  if (requested?.page.id === pageId) return requested;
  // A custom domain serves no other page.
  if (requested?.base === '') throw pageNotFound();
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

const cookieOf = (request: FastifyRequest, { page, url }: ProtectedPage) => ({
  name: `sonde_page_${page.id}`,
  isSecure: isHttps(request) || url.startsWith('https:'),
});
/** Returns what the cookie signs. It contains the key's hash, so that a new key invalidates cookies of the old one. */
const signedText = ({ page, access }: ProtectedPage, until: string) =>
  `${page.id} ${access.keyHash ?? ''} ${until}`;

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
  return createCookie({ ...cookieOf(request, requested), value, maxAgeSeconds: COOKIE_SECONDS });
}

/**
 * Returns whether a request may read the page: it is public, the request has its key (Bearer) or cookie, or somebody of its
 * account is signed in.
 */
export async function canRead(
  context: PagesContext,
  request: FastifyRequest,
  requested: ProtectedPage,
): Promise<boolean> {
  if (!requested.access.isPrivate || hasPageKey(context, request, requested)) return true;
  return (await findSignedIn(context, request))?.accountId === requested.page.accountId;
}

function hasPageKey(
  { secret, clock }: PagesContext,
  request: FastifyRequest,
  requested: ProtectedPage,
): boolean {
  const { access } = requested;
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined && isAccessKey(access, bearer)) return true;
  const [until = '', key = ''] = (readCookie(request, cookieOf(request, requested)) ?? '').split('.');
  return (
    access.keyHash !== null &&
    Number(until) > clock.now() &&
    isCapability(secret, 'access', signedText(requested, until), key)
  );
}
