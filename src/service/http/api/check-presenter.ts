/** Loads what a response for a check contains besides the check: subscriptions, alert channels and its heartbeat. */
import type { CheckType } from '../../../contract/check-type-facts.ts';
import type { CheckRecord } from '../../store/index.ts';
import { type CheckRelations, type CheckResponses, presentCheck, presentTypedCheck } from './check-types.ts';
import type { HandlerContext } from './handler.ts';

export function createCheckPresenter({ store, publicUrl }: Pick<HandlerContext, 'store' | 'publicUrl'>) {
  /** Reads with prepared statements: clients that poll a check read one. */
  async function loadRelations(check: CheckRecord): Promise<CheckRelations> {
    const { id, accountId, type } = check;
    const subscriptions = await store.subscriptions.ofTarget(accountId, { checkId: id });
    const channelIds = subscriptions.map(({ channelId }) => channelId);
    const channels = await store.alertChannels.byIds(accountId, channelIds);
    const heartbeat = type === 'HEARTBEAT' ? await store.heartbeats.byCheck(id) : undefined;
    return { subscriptions, channels, heartbeat, publicUrl: publicUrl() };
  }

  return {
    async presentAll(accountId: string, checks: readonly CheckRecord[]) {
      const ids = checks.map(({ id }) => id);
      const all = await store.subscriptions.ofMany(accountId, 'checkId', ids);
      const channelIds = [...new Set(all.map(({ channelId }) => channelId))];
      const channels = await store.alertChannels.byIds(accountId, channelIds);
      const heartbeats = await store.heartbeats.byChecks(
        checks.filter(({ type }) => type === 'HEARTBEAT').map(({ id }) => id),
      );
      return checks.map((check) =>
        presentCheck(check, {
          subscriptions: all.filter(({ checkId }) => checkId === check.id),
          channels,
          heartbeat: heartbeats.find(({ checkId }) => checkId === check.id),
          publicUrl: publicUrl(),
        }),
      );
    },
    presentOne: async (check: CheckRecord) => presentCheck(check, await loadRelations(check)),
    presentTyped: async <T extends CheckType>(check: CheckRecord, type: T): Promise<CheckResponses[T]> =>
      presentTypedCheck(check, await loadRelations(check), type),
  };
}
