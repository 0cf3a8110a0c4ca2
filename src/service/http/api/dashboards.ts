/** Dashboards. Endpoint 15 and its neighbours. */
import { createDashboard } from '../../../contract/index.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, changed, completed, documentResource } from './documents.ts';

export function dashboardHandlers({ store, clock }: HandlerContext) {
  const dashboards = documentResource({
    collection: store.dashboards,
    what: 'dashboard',
    taken: ({ customUrl }) => `Another dashboard already uses the address ${customUrl}`,
    present: (stored) => ({ dashboardId: stored.id, ...stored.body, ...ages(stored) }),
  });
  return {
    listDashboards: (call) => dashboards.list(call),
    createDashboard: ({ accountId, endpoint, body }) =>
      dashboards.create(accountId, completed(endpoint, body)),
    getDashboard: ({ accountId, params }) => dashboards.get(accountId, params.dashboardId),
    updateDashboard: ({ accountId, params, body }) =>
      dashboards.change(accountId, params.dashboardId, (before) =>
        changed(createDashboard, before, body, clock.now()),
      ),
    deleteDashboard: ({ accountId, params }) => dashboards.remove(accountId, params.dashboardId),
  } satisfies HandlersFor<
    'listDashboards' | 'createDashboard' | 'getDashboard' | 'updateDashboard' | 'deleteDashboard'
  >;
}
