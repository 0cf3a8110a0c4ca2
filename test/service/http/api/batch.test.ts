/** Batches: several requests in one transaction, which all have an effect or none. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

describe.each(['SQLite', 'Postgres'])('a batch over %s', (database) => {
  let service: TestService;
  let account: { readonly url: string; readonly apiKey: string };
  beforeAll(async () => {
    service = await startTestService(
      database === 'Postgres' ? { store: { url: await (await openPostgres()).createDatabase() } } : {},
    );
  });
  beforeEach(async () => {
    account = { url: service.url, ...(await service.newAccount()) };
  });
  afterAll(() => service.close());

  const url = (name: string) => ({
    operation: 'createUrlCheck',
    query: { autoAssignAlerts: false },
    body: { name, request: { url: 'https://shop.test' } },
  });
  const run = (...requests: readonly object[]) =>
    ask(account, contract.runBatch, { body: { requests } as never });
  const checks = async () => call(account, contract.listChecks, {});

  it('creates, updates and deletes resources, and answers as their endpoints do', async () => {
    const { status, body, headers } = await run(
      { operation: 'createCheckGroup', body: { name: 'Shop' } },
      url('One'),
      url('Two'),
    );
    expect(status).toBe(200);
    expect(headers.get('x-batch-limit')).toBe('100');
    const { responses } = body as { responses: { status: number; body: { id: string } }[] };
    expect(responses.map((each) => each.status)).toEqual([201, 201, 201]);
    expect(responses[1]?.body).toMatchObject({
      name: 'One',
      checkType: 'URL',
      alertChannelSubscriptions: [],
    });
    const [one, two] = [responses[1]?.body.id, responses[2]?.body.id];
    const next = await run(
      { operation: 'updateUrlCheck', params: { id: one }, body: { frequency: 5 } },
      { operation: 'deleteCheck', params: { id: two } },
    );
    expect(next.body).toMatchObject({
      responses: [{ status: 200, body: { frequency: 5 } }, { status: 204 }],
    });
    // The scheduler knows the new check.
    expect(await checks()).toMatchObject([{ id: one, frequency: 5, nextRunAt: expect.any(String) }]);
  });

  it('has no effect if one request is refused, and names it', async () => {
    const invalid = { ...url('Three'), body: { name: 'Three', request: { url: 'ftp://shop.test' } } };
    const refused = await run(url('One'), invalid);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message: expect.stringContaining('requests[1] (createUrlCheck): '),
        attributes: { request: { index: 1, operation: 'createUrlCheck' } },
      },
    });
    const missing = { operation: 'deleteCheck', params: { id: '00000000-0000-4000-8000-000000000000' } };
    expect(await run(url('One'), missing)).toMatchObject({ status: 404 });
    expect(await checks()).toEqual([]);
  });

  it('refuses other operations, and too many requests', async () => {
    expect(await run({ operation: 'triggerCheckSessions', body: {} })).toMatchObject({ status: 400 });
    expect(await run(...Array.from({ length: 101 }, (_, index) => url(String(index))))).toMatchObject({
      status: 400,
    });
    expect(await checks()).toEqual([]);
  });
});
