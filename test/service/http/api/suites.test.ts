/** Suites that are sent for test sessions, over the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, createTarget } from '../../engine/harness.ts';
import { violations } from './support.ts';

const target = createTarget();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    engine: {
      runners: { PLAYWRIGHT: (check, ...more) => target.runner(check as { name: string }, ...more) },
    },
  });
});
afterAll(() => service.close());

describe('a test session of a suite', () => {
  const archive = Buffer.from('PK\x03\x04 a project', 'latin1').toString('base64');
  const trigger = (more: object) =>
    ask(service, contract.triggerTestSessions, {
      body: { name: 'Shop', runLocation: 'eu-west-1', ...more } as never,
    });

  it('is started of a project that was sent, and leaves no check', async () => {
    target.finds(BAD);
    const { id: codeBundleId } = await call(service, contract.uploadCodeBundle, { body: { archive } });
    const before = (await call(service, contract.listChecks, { query: {} })).length;
    const started = await call(service, contract.triggerTestSessions, {
      body: { name: 'Shop', runLocation: 'eu-west-1', suite: { codeBundleId } },
    });
    const { testSessionId } = started;
    const params = { testSessionId };
    const ended = await call(service, contract.awaitTestSession, { params, query: { maxWaitSeconds: 30 } });
    expect(ended).toMatchObject({
      ...{ name: 'Shop', status: 'FAILED', errorGroupIds: [] },
      results: [
        {
          ...{ checkId: null, name: 'Shop', checkType: 'PLAYWRIGHT', status: 'FAILED' },
          ...{ errors: [expect.stringContaining('example.org')], playwrightCheckResult: expect.any(Object) },
        },
      ],
    });
    const listed = await call(service, contract.listTestSessions, { query: { limit: 1 } });
    expect(listed.entries[0]).toMatchObject({ testSessionId, results: [{ name: 'Shop' }] });
    expect(listed.entries[0]?.results?.[0]).not.toHaveProperty('playwrightCheckResult');
    expect(await call(service, contract.listChecks, { query: {} })).toHaveLength(before);
  });

  it('has a page that tells its tests, place by place', async () => {
    const { id: codeBundleId } = await call(service, contract.uploadCodeBundle, { body: { archive } });
    target.finds({ ...BAD, details: { counts: { passed: 2, failed: 1, flaky: 0, skipped: 0 } } });
    const { testSessionId } = await call(service, contract.triggerTestSessions, {
      body: {
        ...{ name: 'Shop', runLocation: 'eu-west-1' },
        suite: { codeBundleId, furtherLocations: ['us-east-1'] },
      },
    });
    const waited = { params: { testSessionId }, query: { maxWaitSeconds: 30 } };
    const { testSessionLink } = await call(service, contract.awaitTestSession, waited);
    const page = (await (await fetch(String(testSessionLink))).text()).replace(/<[^>]+>/g, ' ');
    expect(page).toContain('2 passed, 1 failed');
    for (const place of ['eu-west-1', 'us-east-1']) expect(page).toMatch(new RegExp(`Shop, .*${place}`));
    expect(page).not.toContain('null');
  });

  it('is never started of a project of another account', async () => {
    const other = await service.newAccount();
    const { id: codeBundleId } = await call({ ...service, ...other }, contract.uploadCodeBundle, {
      body: { archive: Buffer.from('PK\x03\x04 another', 'latin1').toString('base64') },
    });
    const { status, body } = await trigger({ suite: { codeBundleId } });
    expect(status).toBe(400);
    expect(violations(body).map(({ path }) => path)).toEqual(['suite.codeBundleId']);
  });

  it('names all that is wrong with it, and where', async () => {
    for (const [more, places] of [
      [{ suite: {} }, ['suite.codeBundleId']],
      [{ suite: { codeBundleId: 'a'.repeat(64), engine: 'deno' } }, ['suite.engine']],
      [{ suite: { codeBundleId: 'a'.repeat(64) } }, ['suite.codeBundleId']],
      [
        { suite: { codeBundleId: 'a'.repeat(64), furtherLocations: ['us-east-1', 'nowhere'] } },
        ['suite.codeBundleId', 'suite.furtherLocations[1]'],
      ],
      [
        { suite: { codeBundleId: 'a'.repeat(64) }, target: {}, retryStrategy: null },
        ['target', 'retryStrategy'],
      ],
    ] as const) {
      const { status, body } = await trigger(more);
      expect(status).toBe(400);
      expect(violations(body).map(({ path }) => path)).toEqual([...places]);
    }
  });
});
