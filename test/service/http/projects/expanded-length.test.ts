/** A deployment whose checks share files is limited by what it stores, not only by the size of its request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const checks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'check' as const,
    logicalId: `c${index}`,
    payload: {
      ...{
        checkType: 'BROWSER',
        name: `c${index}`,
        activated: false,
        locations: ['eu-west-1'],
        frequency: 10,
      },
      ...{ script: '1', scriptPath: 'a.js', dependencies: [0] },
    },
  }));
const body = (count: number) => ({
  project: { logicalId: 'shop', name: 'Shop' },
  sharedFiles: [{ path: 'd.js', content: ' '.repeat(1024 * 1024) }],
  resources: checks(count),
});

describe('a deployment of checks that share a file', () => {
  it.each([true, false])('is refused above 64 MB, and changes nothing (dry run: %s)', async (dryRun) => {
    const { status, body: problem } = await ask(service, contract.deployProject, {
      body: body(64),
      query: { dryRun },
    });
    expect([status, problem]).toMatchObject([
      413,
      { message: expect.stringMatching(/larger than 64 MB: make the shared files smaller/) },
    ]);
    expect(await call(service, contract.listChecks, {})).toEqual([]);
  });

  it('is accepted below it', async () => {
    const { diff } = await call(service, contract.deployProject, { body: body(3), query: { dryRun: true } });
    expect(diff).toHaveLength(3);
  });
});
