/** The services that status pages show the state of. */
import type { ServiceRecord } from '../../store/documents.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed, documentResource } from './documents.ts';
import { deleteUnlessUsed, useOfService } from './usage.ts';

/** A service as answers show it, alone and on the cards of pages and incidents. */
export const presentService = (stored: ServiceRecord) => ({
  id: stored.id,
  accountId: stored.accountId,
  ...stored.body,
  ...ages(stored),
});

export function serviceHandlers({ store, engine }: HandlerContext) {
  const services = documentResource({
    collection: store.services,
    what: 'status page service',
    present: presentService,
  });
  return {
    listServices: (call) => services.page(call),
    createService: ({ accountId, endpoint, body }) => services.create(accountId, completed(endpoint, body)),
    getService: ({ accountId, params }) => services.get(accountId, params.id),
    updateService: ({ accountId, params, body }) =>
      services.change(accountId, params.id, (before) => ({ ...before, ...body })),
    deleteService: ({ accountId, params: { id }, query: { force } }) =>
      deleteUnlessUsed(store, engine, {
        ...{ accountId, what: `status page service ${id}`, use: useOfService(id), force },
        remove: (tx) => services.remove(accountId, id, tx.services),
      }),
  } satisfies HandlersFor<
    'listServices' | 'createService' | 'getService' | 'updateService' | 'deleteService'
  >;
}
