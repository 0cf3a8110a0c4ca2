/** API checks as their runner gets them: with what holds for them in their group, and without a secret in what is kept. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { RunOutcome } from '../../../../src/runners/core/runner.ts';
import { applyRequestDefaults } from '../../../../src/service/engine/sessions/api-checks.ts';
import { call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

type Request = Parameters<typeof applyRequestDefaults>[0];
type Check = Readonly<Record<string, unknown>> & { readonly request: Request };

let service: TestService;
let seen: Check | undefined;
/** Tells in its details all that it was given. */
async function tellAll(check: Check): Promise<RunOutcome> {
  seen = check;
  return {
    ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
    ...{ isNetworkError: false, responseTime: 1, errors: [] },
    details: { given: { ...check } },
  };
}
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { API: tellAll } } });
});
afterAll(() => service.close());

async function run(body: Readonly<Record<string, unknown>>) {
  const { id } = await call(service, contract.createApiCheck, {
    body: { name: 'a', locations: ['eu-west-1'], ...body } as contract.BodyOf<typeof contract.createApiCheck>,
  });
  const { sessions } = await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [id ?? ''] } },
  });
  await call(service, contract.awaitCheckSession, {
    params: { checkSessionId: sessions[0]?.checkSessionId ?? '' },
  });
  const { entries } = await call(service, contract.listCheckResults, { params: { checkId: id ?? '' } });
  return entries[0];
}

describe('an API check in a group', () => {
  it('asks below the base URL of the group, with its headers, its password and all its scripts', async () => {
    const snippet = await call(service, contract.createSnippet, { body: { name: 'log in', script: 'in()' } });
    const group = await call(service, contract.createCheckGroup, {
      body: {
        name: 'g',
        apiCheckDefaults: {
          url: 'https://api.example.com/v1/',
          headers: [
            { key: 'Accept', value: 'text/plain' },
            { key: 'x-group', value: 'yes' },
          ],
          queryParameters: [{ key: 'lang', value: 'en' }],
          assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
          basicAuth: { username: 'shop', password: 'open sesame' },
        },
        setupSnippetId: snippet.id,
        localTearDownScript: 'groupOut()',
      },
    });
    const result = await run({
      groupId: group.id,
      request: {
        url: '/orders',
        headers: [
          { key: 'accept', value: 'application/json' },
          { key: 'x-key', value: 'locked away', locked: true },
        ],
        assertions: [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '500' }],
      },
      localSetupScript: 'before()',
      localTearDownScript: 'after()',
      environmentVariables: [{ key: 'TOKEN', value: 'most secret', secret: true }],
    });
    expect(seen).toMatchObject({
      checkType: 'API',
      request: {
        url: 'https://api.example.com/v1/orders',
        method: 'GET',
        headers: [
          { key: 'x-group', value: 'yes' },
          { key: 'accept', value: 'application/json' },
          { key: 'x-key', value: 'locked away' },
        ],
        queryParameters: [{ key: 'lang', value: 'en' }],
        basicAuth: { username: 'shop', password: 'open sesame' },
        assertions: [{ source: 'STATUS_CODE' }, { source: 'RESPONSE_TIME' }],
      },
      setup: [
        { name: 'the group\'s setup snippet "log in"', script: 'in()' },
        { name: "the check's setup script", script: 'before()' },
      ],
      teardown: [
        { name: "the check's teardown script", script: 'after()' },
        { name: "the group's teardown script", script: 'groupOut()' },
      ],
      environmentVariables: expect.arrayContaining([
        { key: 'GROUP_BASE_URL', value: 'https://api.example.com/v1/' },
      ]),
    });
    expect(result?.apiCheckResult).toMatchObject({ given: { request: { url: expect.any(String) } } });
    for (const secret of ['open sesame', 'locked away', 'most secret']) {
      expect(JSON.stringify(result)).not.toContain(secret);
    }
  });

  it('says that a snippet is gone, so that nothing of it runs', async () => {
    const snippet = await call(service, contract.createSnippet, { body: { name: 's', script: '' } });
    const { id } = await call(service, contract.createApiCheck, {
      body: { name: 'a', request: { url: 'https://example.com' }, tearDownSnippetId: snippet.id ?? 0 },
    });
    // Past the API, which refuses to delete what a check uses.
    await service.store.snippets.delete(service.accountId, snippet.id ?? 0);
    const { sessions } = await call(service, contract.triggerCheckSessions, {
      body: { target: { checkId: [id ?? ''] } },
    });
    await call(service, contract.awaitCheckSession, {
      params: { checkSessionId: sessions[0]?.checkSessionId ?? '' },
    });
    expect(seen).toMatchObject({
      problem: `the check's teardown snippet ${snippet.id} no longer exists`,
      teardown: [],
    });
  });
});

describe('the address of a request in a group', () => {
  const urlOf = (base: string, url: string) => applyRequestDefaults({ url } as Request, { url: base }).url;
  it.each([
    ['https://a.example/v1', 'orders', 'https://a.example/v1/orders'],
    ['https://a.example/v1/', '/orders', 'https://a.example/v1/orders'],
    ['https://a.example/v1', '', 'https://a.example/v1'],
    ['https://a.example/v1', '?q=1', 'https://a.example/v1?q=1'],
    ['https://a.example/v1', 'https://b.example/', 'https://b.example/'],
    ['https://a.example/v1', '{{GROUP_BASE_URL}}/x', '{{GROUP_BASE_URL}}/x'],
    ['', '/orders', '/orders'],
  ])('of %s and %s is %s', (base, url, whole) => {
    expect(urlOf(base, url)).toBe(whole);
  });
});
