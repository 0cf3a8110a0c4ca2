/** Defines the commands that open the page of a resource in a browser. */
import type { Endpoint, ResponseOf } from '../../contract/index.ts';
import { type Command, defineCommand } from '../framework/index.ts';
import { idArgument, openResource, type ResourceWithPage, withArticle } from './read.ts';

/** Returns `sonde checks open`. */
export function openCommand<E extends Endpoint>(
  resource: ResourceWithPage<ResponseOf<E>> & { readonly get: E; readonly sampleId: string },
): Command {
  const { commandGroup, noun, get, sampleId } = resource;
  const endpoint: Endpoint = get;
  const summary = `Open the page of ${withArticle(noun)} in a browser`;
  return defineCommand({
    name: `${commandGroup} open`,
    summary,
    description:
      'Opens $BROWSER or the browser of the system with a link that signs in once and expires within minutes. Without a browser or a terminal, sonde prints the link.',
    endpoint,
    arguments: { id: idArgument(resource) },
    examples: [{ line: `${commandGroup} open ${sampleId}`, does: summary }],
    async run(deps, { input, ...line }) {
      const { client, signal } = deps;
      const { body } = await (await client()).call(endpoint, input, { signal });
      await openResource(deps, line, resource, body as ResponseOf<E>);
    },
  });
}
