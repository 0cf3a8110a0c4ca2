/** The services that status pages show the state of. */
import type { ServiceRecord } from '../store/documents.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed, documentResource } from './documents.ts';

/** A service as answers show it, alone and on the cards of pages and incidents. */
export const presentService = (stored: ServiceRecord) => ({
  id: stored.id,
  accountId: stored.accountId,
  ...stored.body,
  ...ages(stored),
});

export function serviceHandlers({ store }: HandlerContext) {
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
    deleteService: ({ accountId, params }) => services.remove(accountId, params.id),
  } satisfies HandlersFor<
    'listServices' | 'createService' | 'getService' | 'updateService' | 'deleteService'
  >;
}
