/** What a file that a run left is sent with. A script may have written it: whatever a browser makes of it, it is never a page. */

/** What pages show as pictures; all else is saved. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** What is saved under its own type. */
const FILES: ReadonlySet<string> = new Set(['application/zip', 'application/json']);

export const isPicture = (contentType: unknown): contentType is string =>
  typeof contentType === 'string' && PICTURES.has(contentType);

/** The type that it is sent under: one that is known, or none in particular. */
export const typeToSend = (contentType: string): string =>
  isPicture(contentType) || FILES.has(contentType) ? contentType : 'application/octet-stream';

/** `inline`: a page of ours shows it. It has no right of such a page in either case. */
export const artifactHeaders = (name: string, disposition: 'inline' | 'attachment') => ({
  'content-disposition': `${disposition}; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, max-age=86400, immutable',
});
