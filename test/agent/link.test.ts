/** What answers an agent may be anything: nothing but what the service says counts as said. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLink, type Link } from '../../src/agent/link.ts';
import { systemClock } from '../../src/base/clock.ts';
import { NetworkError } from '../../src/base/errors.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createClient } from '../../src/client/index.ts';
import { GOOD } from '../service/agents/support.ts';
import { going } from './support.ts';

const UUID = '11111111-1111-4111-8111-111111111111';
let answer: { readonly status: number; readonly body: string };
let link: Link;
const told: unknown[] = [];
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(answer.body);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ getKey: async () => 'pl_test-key', userAgent: 'test', clock: systemClock, random: systemRandom },
  });
  link = createLink({ client, agentId: UUID, version: '1', onKey: (refusal) => void told.push(refusal) });
});
afterAll(() => void server.close());

const report = () =>
  link.report(
    {
      ...{ agentId: UUID, claimId: UUID, runId: 1, resultId: UUID, sentAt: 0, artifacts: [] },
      report: { ...GOOD, startedAt: 0, stoppedAt: 0 },
    },
    going,
  );
const asking = {
  report,
  claim: () =>
    link.claim({ claimId: UUID, capacity: 1, waitSeconds: 0, checkTypes: [], runtimes: [] }, going),
  renew: () => link.renew({ runs: [1], waitSeconds: 0 }, going),
  announce: () => link.announce(going),
  upload: () => link.upload({ agentId: UUID, claimId: UUID, runId: 1, id: UUID }, 0, Buffer.from('x'), going),
};

it.each(Object.keys(asking) as (keyof typeof asking)[])(
  '%s takes no other answer for the service’s',
  async (name) => {
    for (const body of [
      '[]',
      '{}',
      '[{"outcome":"RECORDED"}]',
      '{"outcome":"PASSED"}',
      '{"runs":{},"held":[]}',
      '{"runs":[]}',
      '<p>hi',
      '',
    ]) {
      answer = { status: 200, body };
      await expect(asking[name](), body).rejects.toBeInstanceOf(NetworkError);
    }
  },
);

it('tells of a key that is refused, and of each answer that did not refuse it', async () => {
  told.length = 0;
  answer = { status: 401, body: '{"statusCode":401,"error":"Unauthorized","message":"no"}' };
  await expect(report()).rejects.toMatchObject({ status: 401, exitCode: 4 });
  answer = { status: 200, body: '{"outcome":"RECORDED","missing":[]}' };
  expect(await report()).toEqual({ outcome: 'RECORDED', missing: [] });
  answer = { status: 503, body: '{"message":"later"}' };
  await expect(report()).rejects.toMatchObject({ status: 503 });
  expect(told).toEqual([expect.objectContaining({ status: 401 }), undefined]);
});
