/** Sends what runs left behind to who holds the link of their result. */
import type { FastifyReply } from 'fastify';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import { artifactHeaders, isImageType, safeContentType } from '../../engine/artifacts/artifact-headers.ts';
import type { ArtifactRecord } from '../../store/engine/artifacts.ts';

/** Under the type that was found when it was kept, if it is one that we know. */
export function sendArtifact(
  reply: FastifyReply,
  { content_type: kept, name }: ArtifactRecord,
  { bytes, stream }: FileDownload,
): FastifyReply {
  return reply
    .headers(artifactHeaders(name, isImageType(kept) ? 'inline' : 'attachment'))
    .header('cross-origin-resource-policy', 'same-origin')
    .header('referrer-policy', 'same-origin')
    .type(safeContentType(kept))
    .header('content-length', bytes)
    .send(stream);
}
