/** A real service in this process for a test: on a port of its own, with a store in a folder of its own. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createService, type Service } from '../../src/service/service.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import type { Store } from '../../src/service/store/index.ts';
import { evaluateInProcess } from './runners.ts';

export interface TestService {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  readonly accountId: string;
  readonly apiKey: string;
  readonly store: Store;
  readonly service: Service;
  /** Where its store and its files are. */
  readonly folder: string;
  /** Another account with a key of its own. */
  readonly newAccount: () => Promise<{ readonly accountId: string; readonly apiKey: string }>;
  /** Stops the service and removes its folder. */
  readonly close: () => Promise<void>;
}

/** Far beyond what a test asks for: only tests of the rates want less. */
const UNLIMITED = { requests: 1_000_000, windowSeconds: 60 };

/** Starts a service; the caller closes it. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-service-'));
  const removed = () => rm(folder, { recursive: true, force: true });
  try {
    const service = await createService({
      store: { path: join(folder, 'sonde.db') },
      listen: { host: '127.0.0.1', port: 0 },
      clock: systemClock,
      random: systemRandom,
      ...options,
      engine: { graceMs: 1000, evaluate: evaluateInProcess, ...options.engine },
      limits: {
        rates: { standard: UNLIMITED, 'deprecated-listing': UNLIMITED, agent: UNLIMITED },
        ...options.limits,
      },
    });
    const { url, port } = await service.start();
    if (!service.firstAccount) throw new Error('A new store has no first key');
    return {
      ...{ url, port, service, folder, store: service.store, ...service.firstAccount },
      async newAccount() {
        const account = await service.store.accounts.create('another');
        const { secret } = await service.store.keys.create(account.id, 'test');
        return { accountId: account.id, apiKey: secret };
      },
      async close() {
        await service.stop();
        await removed();
      },
    };
  } catch (error) {
    await removed();
    throw error;
  }
}
