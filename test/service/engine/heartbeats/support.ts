/** Services with heartbeats on a clock of the test's own, over whatever store. */
import { systemRandom } from '../../../../src/base/random.ts';
import * as contract from '../../../../src/contract/index.ts';
import type { Uplink } from '../../../../src/runners/uplink/uplink.ts';
import { createService, type Service } from '../../../../src/service/service.ts';
import type { StoreLocation } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';
import type { TestService } from '../../../support/service.ts';

export const MINUTE = 60_000;
const STEP_MS = 30_000;
/** So often the store is asked before time goes on: a look of a service asks less often, and has been answered by then. */
const ANSWERS = 25;
export const heartbeat = { period: 5, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' } as const;

/** A store and the services over it; the first that starts makes the account. */
export function watch(store: StoreLocation, createUplink?: (clock: ManualClock) => Uplink) {
  const clock = createManualClock();
  const running = new Set<Service>();
  let key: { accountId: string; apiKey: string };

  /** Starts a service; `on`: a clock of its own. */
  async function start(on = clock): Promise<TestService> {
    const service = await createService({
      ...{ store, listen: { host: '127.0.0.1', port: 0 } },
      ...{
        clock: on,
        random: systemRandom,
        engine: { graceMs: 0, locations: ['eu-west-1'], uplink: createUplink?.(on) },
      },
    });
    const { url, port } = await service.start();
    running.add(service);
    key = service.firstAccount ?? key;
    return { url, port, service, store: service.store, ...key } as TestService;
  }
  async function stop({ service }: Pick<TestService, 'service'>): Promise<void> {
    running.delete(service);
    await service.stop();
  }

  /** All that is due is done: nothing that is due is left, and whoever was woken has slept again. */
  async function settled(): Promise<void> {
    const [one] = running;
    for (let isLeft = one !== undefined; isLeft; ) {
      for (let answer = 0; answer < ANSWERS; answer += 1)
        await one?.store.transaction((tx) => tx.heartbeats.nextDue());
      await clock.advance(0);
      const due = (await one?.store.heartbeats.nextDue()) ?? null;
      isLeft = due !== null && due + 1 <= clock.now();
    }
  }

  return {
    clock,
    start,
    stop,
    /** Time in steps: what is woken has its turns, and what it asks of the store its own. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= STEP_MS) {
        await clock.advance(Math.min(left, STEP_MS));
        await settled();
      }
    },
    async stopAll(): Promise<void> {
      await Promise.all([...running].map((service) => stop({ service })));
    },
  };
}
export type Watch = ReturnType<typeof watch>;

/** A heartbeat that is expected every five minutes with one of grace, and the path of its URL. */
export async function createHeartbeat(at: TestService, more: object = {}) {
  const check = await call(at, contract.createHeartbeatCheck, {
    body: { name: 'backup', heartbeat, ...more },
  });
  return { id: String(check.id), url: new URL(check.heartbeat?.pingUrl ?? '').pathname };
}

export const ping = (at: TestService, path: string, method = 'GET') => fetch(`${at.url}${path}`, { method });

/** The results of a check, the oldest first. */
export const resultsOf = async (at: TestService, id: string) =>
  (
    await call(at, contract.listCheckResults, { params: { checkId: id }, query: { limit: 100 } })
  ).entries.toReversed();
export const verdictsOf = async (at: TestService, id: string) =>
  (await resultsOf(at, id)).map(({ hasFailures }) => !hasFailures);
