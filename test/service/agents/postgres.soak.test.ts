/** What agents are promised by a service over Postgres. */
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import * as contract from '../../../src/contract/index.ts';
import { createService } from '../../../src/service/service.ts';
import { call } from '../../support/call.ts';
import { openPostgres, type Postgres } from '../../support/postgres.ts';
import { startTestService } from '../../support/service.ts';
import { promisesToAgents } from './contract.ts';
import { createAgent, createCheckAt, createPlace, startSession } from './support.ts';

describe('agents of a service over Postgres', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await openPostgres();
  });
  promisesToAgents(async () => ({ url: await server.createDatabase() }));

  it('an agent that waits at one service hears of what another has planned and cancelled', async () => {
    const store = { url: await server.createDatabase() };
    const one = await startTestService({ store });
    const listen = { host: '127.0.0.1', port: 0 };
    const other = await createService({ store, listen, clock: systemClock, random: systemRandom });
    try {
      const { url } = await other.start();
      const place = await createPlace(one, 'cellar');
      const check = await createCheckAt(one, ['cellar']);
      const agent = createAgent(place);
      const waiting = agent.claim({ waitSeconds: 20 });
      const elsewhere = { ...one, url };
      const session = await startSession(elsewhere, check);
      const [run] = await waiting;
      expect(run).toBeDefined();
      const hearing = agent.renew([run?.id ?? 0], 20);
      await call(elsewhere, contract.cancelCheckSession, { params: { id: session } });
      expect(await hearing).toMatchObject({ cancelled: [run?.id] });
    } finally {
      await Promise.all([one.close(), other.stop()]);
    }
  });
});
