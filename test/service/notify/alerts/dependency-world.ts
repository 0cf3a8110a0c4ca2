/** A service with checks that depend on each other, on a clock that the test moves. */
import { expect, onTestFinished } from 'vitest';
import type { RunOutcome } from '../../../../src/runners/core/runner.ts';
import type { StoreLocation } from '../../../../src/service/store/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { startTestService } from '../../../support/service.ts';
import { BAD, GOOD } from './outcomes.ts';

export async function dependencyWorld({
  store,
  channel: type = 'WEBHOOK',
}: {
  readonly store?: StoreLocation;
  /** Alerts over webhooks never share a message. */
  readonly channel?: 'WEBHOOK' | 'SLACK';
} = {}) {
  const clock = createManualClock();
  /** What each check finds, by its name. */
  const outcomes = new Map<string, RunOutcome>();
  const at = await startTestService({
    clock,
    ...(store === undefined ? {} : { store }),
    engine: {
      runners: {
        DNS: async (check: { request: { query: string } }) => outcomes.get(check.request.query) ?? GOOD,
      },
    },
  });
  onTestFinished(() => at.close());
  const receiver = await serveWith((_, response) => answer(response, {}));
  const { accountId } = at;
  const channel = await at.store.alertChannels.create(accountId, {
    ...{ type, config: { url: receiver.url } },
  });
  const ids = new Map<string, string>();
  /** The alerts so far, in order: `page ALERT_FAILURE`. */
  const alerts = async (): Promise<string[]> => {
    const rows = await at.store.db
      .selectFrom('outbox')
      .select(['id', 'check_id', 'alert_type'])
      .orderBy('id')
      .execute();
    const names = new Map([...ids].map(([name, id]) => [id, name]));
    const bundled = await at.store.pendingAlerts.checksOf(rows.map(({ id }) => id));
    return rows.map(({ id, check_id: checkId, alert_type: kind }) => {
      const checks = (checkId === null ? (bundled.get(id) ?? []) : [checkId]).map((each) => names.get(each));
      return `${checks.sort().join('+')} ${kind}`;
    });
  };
  return {
    at,
    receiver,
    alerts,
    clock,
    idOf: (name: string) => ids.get(name) ?? '',
    /** Creates a check with this name that depends on others. */
    async check(name: string, dependsOn: readonly string[] = [], fields: object = {}): Promise<string> {
      const { id } = await at.store.checks.create(accountId, {
        type: 'DNS',
        body: {
          ...{ name, request: { query: name }, heartbeat: {}, script: '', retryStrategy: null },
          ...{ ...byHand(clock.now()), dependsOn: dependsOn.map((each) => ids.get(each) ?? ''), ...fields },
        } as never,
      });
      ids.set(name, id);
      const to = [{ channelId: channel.id, activated: true }];
      await at.store.subscriptions.set(accountId, { checkId: id }, to);
      return id;
    },
    /** Runs a check once, a second after the last run of any. */
    async run(name: string, outcome: 'good' | 'bad' | RunOutcome): Promise<void> {
      await clock.advance(1000);
      outcomes.set(name, outcome === 'good' ? GOOD : outcome === 'bad' ? BAD : outcome);
      const target = { checkId: [ids.get(name) ?? ''] };
      const { engine } = at.service;
      const [session] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
      const waited = engine.awaitSession(accountId, session?.checkSessionId ?? '', 10_000);
      let isOver = false;
      void waited.finally(() => {
        isOver = true;
      });
      while (!isOver) await clock.advance(1);
      await waited;
    },
    /** Waits until these are the alerts, while the clock stands. */
    async expectAlerts(...expected: readonly string[]): Promise<void> {
      await eventually(async () => {
        await clock.advance(0);
        expect(await alerts()).toEqual(expected);
      });
    },
  };
}
