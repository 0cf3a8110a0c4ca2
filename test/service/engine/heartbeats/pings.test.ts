/** The URL of a heartbeat as strangers find it, and how spans of time are told. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { formatSpan } from '../../../../src/service/engine/heartbeats/report.ts';
import { call } from '../../../support/call.ts';
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
});
