/** Stores the incidents of dashboards, which people open on one dashboard of their account. */
import type { StoreContext } from './context.ts';
import { collection, resourceFrom, type StoredResource } from './documents.ts';
import { incidentTimes } from './status-pages.ts';

/** An update of an incident of a dashboard. Times are ISO 8601 timestamps. */
export interface DashboardIncidentUpdate {
  readonly id: string;
  readonly status: 'INVESTIGATING' | 'IDENTIFIED' | 'MONITORING' | 'RESOLVED' | 'MAINTENANCE';
  readonly description: string;
  readonly created_at: string;
  /** Null if never changed. */
  readonly updated_at: string | null;
}

export interface DashboardIncidentBody {
  readonly dashboardId: string;
  readonly name: string;
  readonly impact: 'MAINTENANCE' | 'MAJOR' | 'MINOR';
  /** The dashboard shows the incident between these times, in ms since the epoch; null: from its creation, without an end. */
  readonly startedAt: number | null;
  readonly stoppedAt: number | null;
  /** Newest first. */
  readonly incidentUpdates: readonly DashboardIncidentUpdate[];
}

export type DashboardIncidentRecord = StoredResource<string, DashboardIncidentBody>;

/** Returns when a dashboard no longer shows the incident: at its end, or when an update resolved it; null: it has no end. */
function endOf({ stoppedAt, incidentUpdates }: DashboardIncidentBody): number | null {
  const { resolved_at: resolvedAt } = incidentTimes({ incidentUpdates });
  if (stoppedAt === null || resolvedAt === null) return stoppedAt ?? resolvedAt;
  return Math.min(stoppedAt, resolvedAt);
}

export function dashboardIncidents(context: StoreContext) {
  const { db } = context;
  return {
    ...collection<string, DashboardIncidentBody>(context, {
      table: 'dashboard_incidents',
      ids: 'uuid',
      columns: (body) => ({
        dashboard_id: body.dashboardId,
        starts_at: body.startedAt,
        ends_at: endOf(body),
      }),
    }),
    /** Returns the latest incidents that a dashboard shows at an instant (ms since the epoch), newest first. */
    async shownAt(dashboardId: string, now: number, limit: number): Promise<DashboardIncidentRecord[]> {
      const rows = await db
        .selectFrom('dashboard_incidents')
        .select(['id', 'account_id', 'body', 'created_at', 'updated_at'])
        .where('dashboard_id', '=', dashboardId)
        .where((is) => is.or([is('starts_at', 'is', null), is('starts_at', '<=', now)]))
        .where((is) => is.or([is('ends_at', 'is', null), is('ends_at', '>', now)]))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => resourceFrom<string, DashboardIncidentBody>(row));
    },
  };
}
