/**
 * Defines the HTTP headers of artifacts. A script may have written them, so a browser must never treat one as a page.
 */

/** Types that pages embed as images. All others are downloads. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** Types of downloads that keep their content type. */
const DOWNLOAD_TYPES: ReadonlySet<string> = new Set(['application/zip', 'application/json']);

export const isImageType = (contentType: unknown): contentType is string =>
  typeof contentType === 'string' && IMAGE_TYPES.has(contentType);

/** Returns a known content type, or the generic one. */
export const safeContentType = (contentType: string): string =>
  isImageType(contentType) || DOWNLOAD_TYPES.has(contentType) ? contentType : 'application/octet-stream';

/** `inline`: a page of the service embeds it. The sandbox policy denies it that page's rights. */
export const artifactHeaders = (name: string, disposition: 'inline' | 'attachment') => ({
  'content-disposition': `${disposition}; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, max-age=86400, immutable',
});
