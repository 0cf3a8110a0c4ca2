/** Pictures and traces that runs left beside their results. */
import { artifactHeaders, safeContentType } from '../../engine/artifacts/artifact-headers.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { fileElsewhere, notFound } from './problem.ts';

export function artifactHandlers({ artifacts, store }: HandlerContext) {
  return {
    async getArtifact({ accountId, params, header }) {
      const found = await artifacts.find(accountId, params.id);
      if (found === undefined) throw notFound(`artifact ${params.id}`);
      const file = await artifacts.open(found.id);
      if (file === undefined) throw fileElsewhere(store);
      header('content-type', safeContentType(found.content_type));
      for (const [key, value] of Object.entries(artifactHeaders(found.name, 'attachment')))
        header(key, value);
      return file;
    },
  } satisfies HandlersFor<'getArtifact'>;
}
