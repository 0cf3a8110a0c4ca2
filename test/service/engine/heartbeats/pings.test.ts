/** The URL of a heartbeat as strangers find it, and how spans of time are told. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { formatSpan } from '../../../../src/service/engine/heartbeats/report.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService } from '../../../support/service.ts';
import { heartbeat } from './support.ts';

describe('a span of time', () => {
  it.each([
    [30_000, '30 seconds'],
    [60_000, '1 minute'],
    [5_400_000, '90 minutes'],
    [86_400_000, '1 day'],
  ])('of %d ms is %s', (ms, words) => {
    expect(formatSpan(ms)).toBe(words);
  });
});

describe('the URL of a heartbeat', () => {
  it('answers so often as a key may ask, and guessing no oftener', async () => {
    const rate = { requests: 3, windowSeconds: 60 };
    const limited = await startTestService({
      limits: { rates: { standard: rate, 'deprecated-listing': rate, agent: rate } },
    });
    try {
      const check = await call(limited, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
      const statuses = async (path: string) => {
        const found: number[] = [];
        for (let n = 0; n < 5; n += 1) found.push((await fetch(`${limited.url}${path}`)).status);
        return found;
      };
      const { pathname } = new URL(check.heartbeat?.pingUrl ?? '');
      expect(await statuses('/ping/a-guess')).toEqual([404, 404, 404, 429, 429]);
      expect(await statuses(pathname)).toEqual([200, 200, 200, 429, 429]);
    } finally {
      await limited.close();
    }
  });

  it('has the token that its owner gives it, which no other check has', async () => {
    const service = await startTestService();
    try {
      const first = await call(service, contract.createHeartbeatCheck, { body: { name: 'a', heartbeat } });
      const { pingToken = '', pingUrl } = first.heartbeat as NonNullable<typeof first.heartbeat>;
      expect(pingToken).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
      expect(pingUrl).toBe(`${service.url}/ping/${pingToken}`);
      const pings = async (token: string) => (await fetch(`${service.url}/ping/${token}`)).status;
      const own = '3c0a8b5e-6a1f-4a57-9d53-0c2f3f0c1f11';
      const body = { name: 'b', heartbeat: { ...heartbeat, pingToken: own } };
      const second = await call(service, contract.createHeartbeatCheck, { body });
      expect([second.heartbeat?.pingToken, await pings(own)]).toEqual([own, 200]);
      for (const answer of [
        await ask(service, contract.createHeartbeatCheck, { body }),
        await ask(service, contract.updateHeartbeatCheck, { params: { id: first.id ?? '' }, body }),
      ])
        expect([answer.status, answer.body]).toMatchObject([
          409,
          { message: 'Another check already uses this heartbeat.pingToken' },
        ]);
      expect(await pings(pingToken ?? '')).toBe(200);
      const change = (pingToken: string | null | undefined) =>
        call(service, contract.updateHeartbeatCheck, {
          params: { id: second.id ?? '' },
          body: { heartbeat: { ...heartbeat, ...(pingToken === undefined ? {} : { pingToken }) } },
        });
      for (const same of [own, null, '', undefined])
        expect((await change(same)).heartbeat?.pingToken).toBe(own);
      const next = '7d9d4a0e-1c53-4f5e-8a2b-5f0f7b5c9a22';
      expect((await change(next)).heartbeat?.pingToken).toBe(next);
      expect([await pings(own), await pings(next)]).toEqual([404, 200]);
      const guessable = { ...body, heartbeat: { ...heartbeat, pingToken: 'backup' } };
      expect((await ask(service, contract.createHeartbeatCheck, { body: guessable })).status).toBe(400);
    } finally {
      await service.close();
    }
  });
});
