/** Pictures and traces that runs left beside their results. */
import type { HandlerContext, HandlersFor } from './context.ts';
import { notFound } from './problem.ts';

export function artifactHandlers({ artifacts }: HandlerContext) {
  return {
    async getArtifact({ accountId, params, header }) {
      const found = await artifacts.find(accountId, params.id);
      const contents = found && (await artifacts.read(found.id));
      if (found === undefined || contents === undefined) throw notFound(`artifact ${params.id}`);
      header('content-type', found.content_type);
      header('content-disposition', `attachment; filename="${found.name}"`);
      // Never more than a file, whatever a browser makes of it.
      header('x-content-type-options', 'nosniff');
      header('content-security-policy', "default-src 'none'; sandbox");
      header('cache-control', 'private, max-age=86400, immutable');
      return contents;
    },
  } satisfies HandlersFor<'getArtifact'>;
}
