/** Handles downloads of artifacts: screenshots, traces and other files of runs. */
import { artifactHeaders, safeContentType } from '../../engine/artifacts/artifact-files.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { fileNotFound, notFound } from './problem.ts';

export function artifactHandlers({ artifacts }: HandlerContext) {
  return {
    async getArtifact({ accountId, params, header }) {
      const artifact = await artifacts.find(accountId, params.id);
      if (artifact === undefined) throw notFound(`artifact ${params.id}`);
      const file = await artifacts.open(artifact.id);
      if (file === undefined) throw fileNotFound(artifact.place, artifacts.place, true);
      header('content-type', safeContentType(artifact.content_type));
      for (const [key, value] of Object.entries(artifactHeaders(artifact.name, 'attachment')))
        header(key, value);
      return file;
    },
  } satisfies Partial<Handlers>;
}
