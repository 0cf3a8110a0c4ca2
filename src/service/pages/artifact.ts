/** Sends what runs left behind. A script may have written it: whatever a browser makes of it, it is never a page. */
import type { FastifyReply } from 'fastify';
import type { ArtifactRecord } from '../store/engine/artifacts.ts';

/** What a page shows as pictures; all else is saved. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

export const isPicture = (contentType: unknown): contentType is string =>
  typeof contentType === 'string' && PICTURES.has(contentType);

/** Under the type that was found when it was kept, if it is one that we know, and without any right of a page of ours. */
export function sendArtifact(
  reply: FastifyReply,
  { content_type: kept, name }: ArtifactRecord,
  contents: Buffer,
): FastifyReply {
  const type = isPicture(kept) ? kept : kept === 'application/zip' ? kept : 'application/octet-stream';
  const disposition = isPicture(kept) ? 'inline' : 'attachment';
  return reply
    .header('content-disposition', `${disposition}; filename="${name.replace(/[^\w.-]+/g, '-')}"`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cross-origin-resource-policy', 'same-origin')
    .header('referrer-policy', 'same-origin')
    .header('cache-control', 'private, max-age=86400, immutable')
    .type(type)
    .send(contents);
}
