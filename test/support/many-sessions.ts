/** A gate over many sessions of a service: how much it asks, and how long after the last end it ends. */
import type { World } from '../e2e/world.ts';
import { dnsCheck } from '../e2e/world.ts';
import { bareEnv, type Ran, startSonde } from './binary.ts';
import { startFaultProxy } from './fault-proxy/proxy.ts';

const TAG = 'many';
const MOST_IN_A_BATCH = 100;

export interface ManySessions {
  readonly ran: Ran;
  /** What it sent, the start of the sessions included. */
  readonly requests: number;
  /** From the last end of a session, as the service tells it, to the end of the process, in ms. */
  readonly delayMs: number;
}

/** Makes checks that pass, in few requests. */
export async function makeManyChecks(world: World, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, index) => ({
    operation: 'createDnsCheck',
    body: { ...dnsCheck(world, `many ${index}`), tags: [TAG] },
  }));
  for (let start = 0; start < count; start += MOST_IN_A_BATCH)
    await world.service.make('POST /v1/batch', { requests: all.slice(start, start + MOST_IN_A_BATCH) });
}

/** Runs all of them at once, and waits. */
export async function runManyChecks({ service }: World): Promise<ManySessions> {
  const proxy = await startFaultProxy({
    service: service.url,
    schedule: { steps: [], afterwards: { name: 'pass' } },
  });
  try {
    const env = bareEnv(service.home, {
      SONDE_BASE_URL: proxy.url,
      SONDE_API_KEY: service.key,
      SONDE_ACCOUNT_ID: service.accountId,
    });
    const ran = await startSonde(['checks', 'run', '--tag', TAG, '--json'], { env }).ended;
    const endedAt = Date.now();
    const sessions = JSON.parse(ran.stdout) as readonly { readonly stoppedAt?: string | null }[];
    const last = Math.max(...sessions.map(({ stoppedAt }) => Date.parse(stoppedAt ?? '') || 0));
    return { ran, requests: proxy.requests(), delayMs: endedAt - last };
  } finally {
    await proxy.close();
  }
}
