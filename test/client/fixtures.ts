/** A client under test: time that jumps, chance that is known, a key that must never be seen. */
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type Client, type ClientConfig, createClient, type WaitNotice } from '../../src/client/index.ts';

export const KEY = 'pk_very-secret+key/0123456789';
export const ACCOUNT = '7c3f0f2e-6f0c-4a53-9a3b-0a6f9f3f1c11';
export const SESSION = '5f0c8b39-9a64-4c8e-8f53-2b0f6c2f7f10';

/** A clock whose sleeps take no time and move it on. */
export function jumpingClock(now = Date.parse('2026-11-21T10:00:00Z')): Clock & { readonly slept: number[] } {
  let passed = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now + passed,
    monotonic: () => passed,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      passed += ms;
    },
    timer: systemClock.timer,
  };
}

export interface Bench {
  readonly client: Client;
  readonly clock: ReturnType<typeof jumpingClock>;
  readonly waits: WaitNotice[];
  readonly lines: string[];
}

/** A client for a base URL; it is closed with the test. */
export function bench(baseUrl: string, config: Partial<ClientConfig> = {}): Bench {
  const clock = jumpingClock();
  const waits: WaitNotice[] = [];
  const lines: string[] = [];
  const client = createClient({
    baseUrl,
    accountId: ACCOUNT,
    getKey: async () => KEY,
    userAgent: 'sonde/1.2.3',
    clock,
    random: { next: () => 0.5, uuid: () => SESSION },
    onRetry: (notice) => waits.push(notice),
    trace: (line) => lines.push(line),
    ...config,
  });
  onTestFinished(() => client.close());
  return { client, clock, waits, lines };
}

/** What a promise rejects with. */
export async function rejection<T extends Error>(
  promise: Promise<unknown>,
  type: abstract new (...given: never[]) => T,
): Promise<T> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error('it did not reject');
}

/** Something that happens once and can be waited for. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
