/** Sends what runs left behind to who holds the link of their result. */
import type { FastifyReply } from 'fastify';
import type { FileToSend } from '../../engine/artifacts/files.ts';
import { artifactHeaders, isPicture, typeToSend } from '../../engine/artifacts/headers.ts';
import type { ArtifactRecord } from '../../store/engine/artifacts.ts';

/** Under the type that was found when it was kept, if it is one that we know. */
export function sendArtifact(
  reply: FastifyReply,
  { content_type: kept, name }: ArtifactRecord,
  { bytes, stream }: FileToSend,
): FastifyReply {
  return reply
    .headers(artifactHeaders(name, isPicture(kept) ? 'inline' : 'attachment'))
    .header('cross-origin-resource-policy', 'same-origin')
    .header('referrer-policy', 'same-origin')
    .type(typeToSend(kept))
    .header('content-length', bytes)
    .send(stream);
}
