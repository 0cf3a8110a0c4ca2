/** Sends what runs left behind to who holds the link of their result. */
import type { FastifyReply } from 'fastify';
import { artifactHeaders, isPicture } from '../artifacts/headers.ts';
import type { ArtifactRecord } from '../store/engine/artifacts.ts';

/** Under the type that was found when it was kept, if it is one that we know. */
export function sendArtifact(
  reply: FastifyReply,
  { content_type: kept, name }: ArtifactRecord,
  contents: Buffer,
): FastifyReply {
  const isKnown = isPicture(kept) || kept === 'application/zip';
  return reply
    .headers(artifactHeaders(name, isPicture(kept) ? 'inline' : 'attachment'))
    .header('cross-origin-resource-policy', 'same-origin')
    .header('referrer-policy', 'same-origin')
    .type(isKnown ? kept : 'application/octet-stream')
    .send(contents);
}
