/** Checks that cached responses always equal the stored data, regardless of which process changed it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import * as contract from '../../../../src/contract/index.ts';
import { createResponseCache } from '../../../../src/service/http/server/response-cache.ts';
import { createService, type Service } from '../../../../src/service/service.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { runs } from '../../../support/sampled.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { createTarget } from '../../engine/harness.ts';
import { dns } from '../api/support.ts';

const quiet = { ...dns, ...byHand() } as const;
const target = createTarget();
const RUNS = runs(2, 8);

let asked = 0;
/** Asks under an address that nobody has asked before: what it answers is read, not remembered. */
const afresh = (service: TestService, path: string) => {
  asked += 1;
  return send(service, `GET ${path}?${'&'.repeat(asked)}`);
};
/** Reads twice, so that the second time may be from memory, and both times what is so. */
async function expectTrue(service: TestService, path: string): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await send(service, `GET ${path}`);
    const stands = await afresh(service, path);
    expect({ status, body }).toEqual({ status: stands.status, body: stands.body });
  }
}

describe('what the API remembers', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ engine: { runners: { DNS: target.runner } } });
  });
  afterAll(() => service.close());
  const newCheck = async () => String((await call(service, contract.createDnsCheck, { body: quiet })).id);
  const newChannel = async (address: string) =>
    Number(
      (await call(service, contract.createAlertChannel, { body: { type: 'EMAIL', config: { address } } })).id,
    );

  it('is what stands, after any writes through the API and beside it', async () => {
    const deeds = [
      'rename',
      'subscribe',
      'channel',
      'no channel',
      'status',
      'given up',
      'group',
      'other',
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...deeds), fc.nat(99)), { minLength: 1, maxLength: 8 }),
        async (steps) => {
          const id = await newCheck();
          const channels = [await newChannel('a@example.com'), await newChannel('b@example.com')];
          const { store, accountId } = service;
          const change = (body: object) => call(service, contract.updateCheck, { params: { id }, body });
          for (const [deed, n] of steps) {
            const channel = channels[n % 2] ?? 0;
            const isThere = (await store.alertChannels.get(accountId, channel)) !== undefined;
            if (deed === 'rename') await change({ name: `n ${n}` });
            if (deed === 'subscribe' && isThere) {
              await change({
                alertChannelSubscriptions: [{ alertChannelId: channel, activated: n % 3 > 0 }],
              });
            }
            if (deed === 'channel' && isThere) {
              const body = { config: { address: `c${n}@example.com` } };
              await call(service, contract.updateAlertChannel, { params: { id: channel }, body });
            }
            if (deed === 'no channel' && isThere) {
              await call(service, contract.deleteAlertChannel, { params: { id: channel } });
            }
            if (deed === 'status') await store.checks.setStatus([id], n % 2 ? 'passing' : 'failing');
            if (deed === 'given up') {
              const givenUp = store.transaction(async (tx) => {
                await tx.checks.setStatus([id], 'degraded');
                throw new Error('given up');
              });
              await expect(givenUp).rejects.toThrow('given up');
            }
            if (deed === 'group') {
              const groupId = Number(
                (await call(service, contract.createCheckGroup, { body: { name: 'g' } })).id,
              );
              await change({ groupId });
            }
            if (deed === 'other') await newCheck();
            await expectTrue(service, `/v1/checks/${id}`);
          }
          await call(service, contract.deleteCheck, { params: { id } });
          expect((await send(service, `GET /v1/checks/${id}`)).status).toBe(404);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('is not told to who asks while a write is on its way, nor to another account', async () => {
    const id = await newCheck();
    const path = `/v1/checks/${id}`;
    await expectTrue(service, path);
    let asking: ReturnType<typeof send> | undefined;
    await service.store.transaction(async (tx) => {
      await tx.checks.setStatus([id], 'failing');
      asking = send(service, `GET ${path}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    expect((await asking)?.body).toMatchObject({ status: 'failing' });
    expect((await send(service, `GET ${path}`)).body).toMatchObject({ status: 'failing' });
    const givenUp = service.store.transaction(async (tx) => {
      await tx.checks.setStatus([id], 'degraded');
      asking = send(service, `GET ${path}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    expect((await asking)?.body).toMatchObject({ status: 'failing' });
    const another = { ...service, ...(await service.newAccount()) };
    expect((await send(another, `GET ${path}`)).status).toBe(404);
    expect((await send({ ...service, apiKey: 'sk_wrong' }, `GET ${path}`)).status).toBe(401);
  });

  it('forgets a session with its results, and with its check', async () => {
    const checkId = await newCheck();
    const { sessions } = await call(service, contract.triggerCheckSessions, {
      body: { target: { checkId: [checkId] } },
    });
    const checkSessionId = String(sessions[0]?.checkSessionId);
    await call(service, contract.awaitCheckSession, { params: { checkSessionId } });
    const path = `/v2/check-sessions/${checkSessionId}`;
    await expectTrue(service, path);
    const results = async () =>
      (await call(service, contract.getCheckSession, { params: { checkSessionId } })).results;
    expect(await results()).not.toEqual([]);
    await service.store.db.deleteFrom('results').where('session_id', '=', checkSessionId).execute();
    expect(await results()).toEqual([]);
    await expectTrue(service, path);
    await call(service, contract.deleteCheck, { params: { id: checkId } });
    await expectTrue(service, path);
  });
});

describe('what two services over one Postgres answer', () => {
  let server: Postgres;
  let one: TestService;
  let second: Service;
  let other: { readonly url: string; readonly apiKey: string };
  beforeAll(async () => {
    server = await openPostgres();
    const store = { url: await server.createDatabase() };
    one = await startTestService({ store });
    const listen = { host: '127.0.0.1', port: 0 };
    second = await createService({ store, listen, clock: systemClock, random: systemRandom });
    other = { url: (await second.start()).url, apiKey: one.apiKey };
  });
  afterAll(async () => {
    await second?.stop();
    await one?.close();
  });

  it('is what the other wrote', async () => {
    const id = String((await call(one, contract.createDnsCheck, { body: quiet })).id);
    for (const name of ['a', 'b']) {
      await call(other, contract.updateCheck, { params: { id }, body: { name } });
      for (const service of [one, other, one]) {
        expect((await send(service, `GET /v1/checks/${id}`)).body).toMatchObject({ name });
      }
    }
  });
});

describe('the memory of answers', () => {
  const checks = { tables: ['checks'] } as const;

  it('keeps what was asked for last, within its size, and nothing that is too long or not settled', () => {
    const kept = createResponseCache(
      { sum: () => 0 },
      100,
    )<{ done: boolean }>({ ...checks, isCacheable: ({ done }) => done });
    const learn = (key: string, length: number, done = true) =>
      kept?.set(key, { done }, 'x'.repeat(length), 0);
    for (const key of ['a', 'b', 'c']) learn(key, 30);
    expect(kept?.get('a')).toHaveLength(30);
    learn('d', 30);
    expect(['a', 'b', 'c', 'd'].filter((key) => kept?.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
    learn('open', 10, false);
    learn('long', 50_000);
    expect([kept?.get('open'), kept?.get('long'), kept?.get('a')?.length]).toEqual([
      undefined,
      undefined,
      30,
    ]);
  });

  it('forgets at the next write, also one that came while the answer was read, and keeps nothing where none is counted', () => {
    let count = 0;
    const kept = createResponseCache({ sum: () => count })(checks);
    const before = kept?.version() ?? 0;
    kept?.set('a', {}, 'text', before);
    expect(kept?.get('a')).toBe('text');
    count += 1;
    expect(kept?.get('a')).toBeUndefined();
    kept?.set('a', {}, 'text', before);
    expect(kept?.get('a')).toBeUndefined();
    expect(createResponseCache(undefined)(checks)).toBeUndefined();
  });
});
