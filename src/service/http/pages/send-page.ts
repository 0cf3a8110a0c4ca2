/** Sends pages with security and cache headers, or 304 if the reader has the current one. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../notify/rendering/markup.ts';
import { type Page, renderLayout } from './layout.ts';
import { keepZone, localizePage, zoneInAddress, zoneOf } from './time-zone.ts';

/**
 * Allowed caches, which must revalidate: any (`shared`), the reader's browser (`own`) or none (`none`). Any cache may use an
 * `image` for a minute.
 */
export type CacheScope = 'shared' | 'own' | 'none' | 'image';

const CACHE_CONTROL: Readonly<Record<CacheScope, string>> = {
  shared: 'public, no-cache',
  own: 'private, no-cache',
  none: 'no-store',
  image: 'public, max-age=60',
};

/** A response body that many clients share: one buffer with its ETag. */
export interface Rendering {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function renderText(type: string, text: string, headers: Rendering['headers'] = {}): Rendering {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return {
    bytes,
    etag,
    headers: { ...headers, 'content-type': type, 'x-content-type-options': 'nosniff' },
  };
}

/** Renders a page. Its URL may contain a secret, so other sites get no referrer. */
export const renderPage = ({ body, policy }: Page): Rendering =>
  renderText('text/html; charset=utf-8', body, {
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  });

/** The zone of a viewer, and the zone in the address of the page, which its links keep. */
export interface ViewerZone {
  readonly zone: string | undefined;
  readonly inAddress: string | undefined;
}

export const viewerZone = (request: FastifyRequest): ViewerZone => ({
  zone: zoneOf(request),
  inAddress: zoneInAddress(request),
});

/** Returns a rendering of a page in UTC with its times in the zone of a viewer. */
export function renderInZone({ bytes, headers }: Rendering, { zone, inAddress }: ViewerZone): Rendering {
  const { body } = keepZone(localizePage({ body: bytes.toString() }, zone), inAddress);
  return renderText(headers['content-type'] ?? '', body, headers);
}

/** Sends a rendering, or 304 if the reader has it. */
export function sendRendering(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag, headers }: Rendering,
  cacheScope: CacheScope,
  status = 200,
): FastifyReply {
  reply.headers(headers).header('cache-control', CACHE_CONTROL[cacheScope]);
  if (status === 200 && cacheScope !== 'none') {
    reply.header('etag', etag);
    const cachedEtags = request.headers['if-none-match'] ?? '';
    if (cachedEtags.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
      return reply.removeHeader('content-type').code(304).send();
  }
  return reply.code(status).send(bytes);
}

/** Sends a page with its times in the zone of the viewer. */
export const sendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  cacheScope: CacheScope,
): FastifyReply =>
  sendRendering(
    request,
    reply.header('vary', 'cookie'),
    renderPage(keepZone(localizePage(page, zoneOf(request)), zoneInAddress(request))),
    cacheScope,
    page.status,
  );

/** Renders a page with one message. It names no product, because it may appear on a custom domain. */
export function renderMessagePage(status: number, title: string, text: string): Page {
  return renderLayout(status, {
    title,
    main: html`<div class="card narrow"><div class="stack"><h1>${title}</h1><p>${text}</p></div></div>`,
  });
}
