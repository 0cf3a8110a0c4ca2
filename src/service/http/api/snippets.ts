/** Snippets: code that checks share. Endpoint 18 and its neighbours. */
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed, documentResource } from './documents.ts';
import { deleteUnlessUsed, useOfSnippet } from './usage.ts';

export function snippetHandlers({ store, engine }: HandlerContext) {
  const snippets = documentResource({
    collection: store.snippets,
    what: 'snippet',
    present: (stored) => ({ id: stored.id, ...stored.body, ...ages(stored) }),
  });
  return {
    listSnippets: (call) => snippets.list(call),
    createSnippet: ({ accountId, endpoint, body }) => snippets.create(accountId, completed(endpoint, body)),
    getSnippet: ({ accountId, params }) => snippets.get(accountId, params.id),
    updateSnippet: ({ accountId, params, body }) =>
      snippets.change(accountId, params.id, (before) => ({ ...before, ...body })),
    deleteSnippet: ({ accountId, params: { id }, query: { force } }) =>
      deleteUnlessUsed(store, engine, {
        ...{ accountId, what: `snippet ${id}`, use: useOfSnippet(id), force },
        remove: (tx) => snippets.remove(accountId, id, tx.snippets),
      }),
  } satisfies HandlersFor<
    'listSnippets' | 'createSnippet' | 'getSnippet' | 'updateSnippet' | 'deleteSnippet'
  >;
}
