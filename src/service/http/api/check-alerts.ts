/** Handles the list of alerts. An alert is listed once, however many channels it was sent to. */
import type { listCheckAlerts, ResponseOf } from '../../../contract/index.ts';
import { resultWindowOf } from '../../../contract/rules.ts';
import { secondsToMs } from '../../engine/results/time-range.ts';
import { pageSlice } from '../../store/lists.ts';
import { parseRun, presentRun } from './alert-run.ts';
import { toIso } from './document-resource.ts';
import type { Call, HandlerContext, Handlers } from './handler.ts';
import { requireCheck } from './references.ts';

type AlertQuery = Call<typeof listCheckAlerts>['query'];
type Alerts = ResponseOf<typeof listCheckAlerts>;

export function checkAlertHandlers({ store, sentAlerts, clock }: HandlerContext) {
  async function list(accountId: string, query: AlertQuery, checkId?: string): Promise<Alerts> {
    // Includes alerts of the current second.
    const window = resultWindowOf(query, Math.floor(clock.now() / 1000) + 1);
    const range = { from: secondsToMs(window.from), to: secondsToMs(window.to) };
    const alerts = await sentAlerts.list({ accountId, checkId, ...range, ...pageSlice(query) });
    const checks = await store.checks.byIds(accountId, [...new Set(alerts.map((alert) => alert.checkId))]);
    const byId = new Map(checks.map((check) => [check.id, check]));
    return alerts.flatMap(({ id, type, createdAt, ...alert }) => {
      const check = byId.get(alert.checkId);
      // Alerts of deleted checks have no name.
      if (check === undefined) return [];
      const { name, type: checkType } = check;
      const alerted = { id, name, checkId: check.id, alertType: type, checkType };
      return [{ ...alerted, created_at: toIso(createdAt), ...presentRun(parseRun(alert.run)) }];
    });
  }

  return {
    listCheckAlerts: ({ accountId, query }) => list(accountId, query),
    async listAlertsOfCheck({ accountId, params: { checkId }, query }) {
      await requireCheck(store, accountId, checkId);
      return list(accountId, query, checkId);
    },
  } satisfies Partial<Handlers>;
}
