/** Pictures and traces that runs left beside their results. */
import { artifactHeaders } from '../artifacts/headers.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { notFound } from './problem.ts';

export function artifactHandlers({ artifacts }: HandlerContext) {
  return {
    async getArtifact({ accountId, params, header }) {
      const found = await artifacts.find(accountId, params.id);
      const contents = found && (await artifacts.read(found.id));
      if (found === undefined || contents === undefined) throw notFound(`artifact ${params.id}`);
      header('content-type', found.content_type);
      for (const [key, value] of Object.entries(artifactHeaders(found.name, 'attachment')))
        header(key, value);
      return contents;
    },
  } satisfies HandlersFor<'getArtifact'>;
}
