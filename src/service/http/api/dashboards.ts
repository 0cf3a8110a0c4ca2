/** Handles dashboards and their keys. */
import { createDashboard, type ResponseOf } from '../../../contract/index.ts';
import { dashboardNumber } from '../../store/dashboards.ts';
import type { DashboardBody, DashboardKey, DashboardRecord } from '../../store/index.ts';
import { customDomains } from './custom-domain.ts';
import { applyChange, createDocumentResource, timestamps, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';

type Dashboard = ResponseOf<typeof createDashboard>;

const presentKey = ({ id, masked, createdAt }: DashboardKey, rawKey?: string) => ({
  id,
  ...(rawKey === undefined ? {} : { rawKey }),
  maskedKey: masked,
  created_at: toIso(createdAt),
});

export function dashboardHandlers(context: HandlerContext) {
  const { store, clock } = context;
  const domains = customDomains(context, 'dashboards');
  const dashboards = createDocumentResource({
    collection: store.dashboards,
    label: 'dashboard',
    param: 'dashboardId',
    conflictMessage: ({ customUrl }: DashboardBody) =>
      `Another dashboard already uses the address ${customUrl}`,
    onChange: domains.serveIfProved,
    applyChange: (before, change) => applyChange(createDashboard, before, change, clock.now()),
    async present(all: readonly DashboardRecord[]): Promise<Dashboard[]> {
      const keys = await store.dashboards.keysOf(all.map(({ id }) => id));
      const domainOf = await domains.present(all);
      return all.map((stored) => ({
        id: dashboardNumber(stored.id),
        dashboardId: stored.id,
        ...stored.body,
        ...domainOf(stored),
        keys: keys.filter(({ dashboardId }) => dashboardId === stored.id).map((key) => presentKey(key)),
        ...timestamps(stored),
      }));
    },
  });

  /** Creates the key of a dashboard that became private. Only this response contains the key itself. */
  async function withKey(shown: Dashboard): Promise<Dashboard> {
    if (shown.isPrivate !== true || shown.keys?.length !== 0) return shown;
    const { key, secret } = await store.dashboards.createKey(shown.dashboardId);
    return { ...shown, keys: [presentKey(key, secret)] };
  }

  return {
    listDashboards: dashboards.list,
    async createDashboard(call) {
      await domains.assertDomain(call.body);
      return withKey(await dashboards.create(call));
    },
    getDashboard: dashboards.get,
    async updateDashboard(call) {
      await domains.assertDomain(call.body, call.params.dashboardId);
      return withKey(await dashboards.update(call));
    },
    async verifyDashboardDomain({ accountId, params: { dashboardId } }) {
      const dashboard = await dashboards.find(accountId, dashboardId);
      await domains.verify(dashboard);
      return dashboards.presentOne(dashboard);
    },
    deleteDashboard: dashboards.remove,
    async createDashboardKey({ accountId, params: { dashboardId } }) {
      const { id } = await dashboards.find(accountId, dashboardId);
      const { key, secret } = await store.dashboards.createKey(id);
      return presentKey(key, secret);
    },
  } satisfies Partial<Handlers>;
}
