/** Features of published deployments that this service lacks: it says what is missing, and what to do instead. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { refusal } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

it.each([
  ['POST /next/checkly-storage/upload', 'does not store the files of a project'],
  ['GET /next/test-sessions/a/results/b/links', 'has no message broker'],
  ['POST /next/projects/shop/imports?preview=false', 'sonde export'],
  ['GET /next/projects/shop/imports', 'sonde export'],
  ['POST /v1/root-cause-analyses/error-groups/a', 'does not analyze root causes'],
  ['DELETE /v1/accounts/me/members/a', 'the only member'],
  ['POST /v1/maintenance-windows/1/maintenances/a/updates', 'has no status updates'],
  ['DELETE /v1/maintenance-windows/1/maintenances/a/updates/b', 'has no status updates'],
  ['GET /next/assets/log/eu/a', 'GET /v1/artifacts/{id}'],
])('%s answers 501', async (line, message) => {
  const answer = await send(service, line, line.startsWith('POST') ? {} : undefined);
  expect(answer).toMatchObject({ status: 501, body: refusal(501) });
  expect((answer.body as { message: string }).message).toContain(message);
});

it.each(['GET /v1/test-sessions/runner/a', 'GET /next/projects/a/imports-of-mine', 'GET /v1/assets'])(
  '%s is no such feature',
  async (line) => {
    expect((await send(service, line)).status).toBe(404);
  },
);
