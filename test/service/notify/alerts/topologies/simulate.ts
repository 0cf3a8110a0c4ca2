/** Runs a topology on a simulated clock over a real store, with the real attempts, uplink, records of results and alerts. */
import { type Clock, systemClock } from '../../../../../src/base/clock.ts';
import { createUuidV7, systemRandom } from '../../../../../src/base/random.ts';
import { EMPTY_OUTCOME, execute } from '../../../../../src/runners/execute.ts';
import { createUplink } from '../../../../../src/runners/uplink/uplink.ts';
import { LIMITS, planSession } from '../../../../../src/service/engine/sessions/plan-session.ts';
import { recordReports } from '../../../../../src/service/engine/sessions/record-reports.ts';
import { subjectsOf } from '../../../../../src/service/engine/sessions/settings.ts';
import { createAlerts } from '../../../../../src/service/notify/alerts/send-alerts.ts';
import { type EngineData, engineStore } from '../../../../../src/service/store/engine/index.ts';
import type { Store } from '../../../../../src/service/store/index.ts';
import { byHand } from '../../../../support/by-hand.ts';
import { surroundings } from '../../../../support/runners.ts';
import { isBroken, isWithin, type Topology } from './topology.ts';

/** A message with alerts of one kind. */
export interface SentMessage {
  /** Since the start of the topology, in ms. */
  readonly at: number;
  readonly kind: string;
  /** Indexes of the checks. */
  readonly checks: readonly number[];
}

/** A run with a verdict about its target. */
export interface SeenRun {
  readonly check: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isFailed: boolean;
}

export interface Simulation {
  readonly messages: readonly SentMessage[];
  readonly runs: readonly SeenRun[];
}

const WORKER = 'test';

export function createSimulator(store: Store, time: { now: number }) {
  const clock: Clock = { ...systemClock, now: () => time.now, monotonic: () => time.now };
  const onError = (message: string, error: unknown) => {
    throw new Error(message, { cause: error });
  };
  const alerts = createAlerts({
    store,
    clock,
    onError,
    buildResultLink: () => undefined,
    buildPageLink: () => undefined,
  });

  /** Lets the alerts do what is due until an instant. */
  async function passUntil(instant: number): Promise<void> {
    for (;;) {
      const dues = [await store.alertStates.nextInstant(), await store.pendingAlerts.nextInstant()];
      const next = Math.min(...dues.map((due) => due ?? Number.POSITIVE_INFINITY));
      if (next > instant) break;
      time.now = Math.max(time.now, next);
      await alerts.processDue();
    }
    time.now = instant;
  }

  return async (topology: Topology): Promise<Simulation> => {
    const start = time.now;
    const { id: accountId } = await store.accounts.create('simulated');
    const channel = await store.alertChannels.create(accountId, {
      ...{ type: 'EMAIL', config: { address: 'ops@example.com' } },
    });
    const group = await store.groups.create(accountId, { name: 'Shop', retryStrategy: 'FALLBACK' as const });
    const service = await store.services.create(accountId, { name: 'Checkout' });
    const bundles = {
      group: { groupId: group.id },
      service: {
        triggerIncident: { serviceId: service.id, severity: 'MAJOR', name: 'n', description: 'd' },
      },
    };
    const ids: string[] = [];
    for (const { name, dependsOn, bundle } of topology.checks) {
      const { id } = await store.checks.create(accountId, {
        type: 'DNS',
        body: {
          ...{ name, request: { query: name }, heartbeat: {}, script: '', retryStrategy: null },
          ...{ ...byHand(start), activated: true, dependsOn: dependsOn.map((each) => ids[each] ?? '') },
          ...(bundle === undefined ? {} : bundles[bundle]),
        } as never,
      });
      await store.subscriptions.set(accountId, { checkId: id }, [{ channelId: channel.id, activated: true }]);
      ids.push(id);
    }
    const subjects = await subjectsOf(engineStore(store), await store.checks.byIds(accountId, ids));
    const uplink = createUplink({
      canaries: [{ name: 'canary', target: { url: 'canary' } }],
      clock: { ...clock, sleep: async () => {}, timer: () => () => {} },
      probe: async () => !isWithin(topology.uplinkOutages, time.now - start),
      onChange: () => {},
    });

    const runs: SeenRun[] = [];
    for (const { check, at } of endsOf(topology)) {
      const startedAt = at - (topology.checks[check]?.durationMs ?? 0);
      await passUntil(start + at);
      const isUnreachable = isWithin(topology.uplinkOutages, at) || isBroken(topology, check, at);
      const report = await execute(
        async () =>
          isUnreachable
            ? { ...EMPTY_OUTCOME, hasFailures: true, isNetworkError: true, errors: ['no answer'] }
            : { ...EMPTY_OUTCOME, responseTime: 10 },
        null,
        surroundings({ clock: { ...clock, timer: () => () => {} }, uplink }),
        { deadlineMs: 30_000 },
      );
      const subject = subjects.find((each) => each.check.id === ids[check]);
      if (subject === undefined) throw new Error('the check is missing');
      await store.transaction(async (tx) => {
        const data: EngineData = tx;
        const { session, runs: planned } = planSession({
          check: subject.check,
          settings: subject.settings,
          now: start + startedAt,
          limits: LIMITS,
          runSource: 'SCHEDULER',
          rotation: 0,
          publicLocations: ['eu-west-1'],
          uuid: () => createUuidV7(systemRandom, time.now),
        });
        const context = {
          data,
          tx,
          now: time.now,
          random: systemRandom,
          limits: LIMITS,
          onEnded: alerts.onEnded,
        };
        await data.sessions.insert([session]);
        const claimed = { state: 'RUNNING', claimed_by: WORKER, claimed_at: time.now, lease_until: time.now };
        const numbers = await data.runs.insertNumbered(
          planned.map((run) => ({ ...run, ...claimed }) as never),
        );
        await recordReports(
          context,
          numbers.map((runId) => ({
            worker: WORKER,
            runId,
            report: { ...report, startedAt: start + startedAt },
          })),
        );
      });
      await alerts.processDue();
      if (!report.hasErrors) runs.push({ check, startedAt, endedAt: at, isFailed: report.hasFailures });
    }
    await passUntil(start + topology.endsAt);
    uplink.stop();
    const { rows } = await store.outbox.alerts({ accountId, limit: 1000 });
    const bundled = await store.pendingAlerts.checksOf(rows.map(({ id }) => id));
    const messages = rows.toReversed().map((row) => ({
      at: row.created_at - start,
      kind: row.alert_type ?? '',
      checks: (row.check_id === null ? (bundled.get(row.id) ?? []) : [row.check_id])
        .map((id) => ids.indexOf(id))
        .sort(),
    }));
    time.now = start + topology.endsAt + 600_000;
    return { messages, runs };
  };
}

/** Returns the ends of all runs, in order. */
function endsOf({ checks, endsAt }: Topology): readonly { readonly check: number; readonly at: number }[] {
  const ends = checks.flatMap(({ phaseMs, periodMs, durationMs }, check) => {
    const count = Math.floor((endsAt - phaseMs) / periodMs);
    return Array.from({ length: count }, (_, n) => ({ check, at: phaseMs + n * periodMs + durationMs }));
  });
  return ends.sort((one, other) => one.at - other.at || one.check - other.check);
}
