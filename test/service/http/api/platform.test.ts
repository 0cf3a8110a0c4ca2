/** What a service says of itself: its runtimes, locations and addresses, as it was started. */
import { isIPv4, isIPv6 } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { SCRIPT_PACKAGES } from '../../../../src/contract/script-packages.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

let service: TestService;
let simulated: TestService;
beforeAll(async () => {
  service = await startTestService({
    runtimes: async () => [
      { id: '2026.04', nodeVersion: '22.1.2', playwrightVersion: '1.58.0' },
      { id: '2025.04', nodeVersion: '22.1.2', playwrightVersion: '1.51.1' },
    ],
    staticAddresses: {
      'eu-west-1': ['192.0.2.7', '2001:db8:1::/64', '192.0.2.8'],
      'us-east-1': ['192.0.2.8', '2001:db8::5'],
    },
    engine: { locations: ['eu-west-1', 'sa-east-1'] },
  });
  simulated = await startTestService({ engine: { locations: ['eu-west-1', 'sa-east-1'] } });
});
afterAll(() => Promise.all([service.close(), simulated.close()]));

describe('runtimes', () => {
  const older = {
    name: '2025.04',
    stage: 'STABLE',
    description: 'Node.js 22.1.2, Playwright 1.51.1',
    multiStepSupport: true,
    nodeJsVersion: '22.1.2',
    dependencies: {
      ...SCRIPT_PACKAGES,
      ...{ '@playwright/test': '1.51.1', playwright: '1.51.1', 'playwright-core': '1.51.1' },
    },
  };

  it('are those that are installed, with the packages that scripts can import', async () => {
    const runtimes = await call(service, contract.listRuntimes, {});
    expect(runtimes.map(({ name, stage }) => [name, stage])).toEqual([
      ['2026.04', 'CURRENT'],
      ['2025.04', 'STABLE'],
    ]);
    expect(runtimes[1]).toEqual(older);
    expect(await call(service, contract.getRuntime, { params: { id: '2025.04' } })).toEqual(older);
  });

  it('do not include one that only other services have', async () => {
    expect(await ask(service, contract.getRuntime, { params: { id: '2024.09' } })).toMatchObject({
      status: 404,
      body: { message: 'Runtime 2024.09 not found' },
    });
    expect(await call(simulated, contract.listRuntimes, {})).toEqual([]);
  });
});

it('the locations are those that the service runs checks for, by their names', async () => {
  expect(await call(service, contract.listLocations, {})).toEqual([
    { region: 'eu-west-1', name: 'Ireland' },
    { region: 'sa-east-1', name: 'São Paulo' },
  ]);
});

async function textOf({ url, apiKey }: TestService, { path }: contract.Endpoint) {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
  return { type: response.headers.get('content-type'), text: await response.text() };
}

describe('addresses', () => {
  it('are split by family, and each is listed once', async () => {
    expect(await call(service, contract.listStaticIpsByRegion, {})).toEqual({
      'eu-west-1': ['192.0.2.7', '192.0.2.8'],
      'us-east-1': ['192.0.2.8'],
    });
    expect(await call(service, contract.listStaticIps, {})).toEqual(['192.0.2.7', '192.0.2.8']);
    expect(await call(service, contract.listStaticIpv6sByRegion, {})).toEqual({
      'eu-west-1': ['2001:db8:1::/64'],
      'us-east-1': ['2001:db8::5/128'],
    });
    expect(await call(service, contract.listStaticIpv6s, {})).toEqual(['2001:db8:1::/64', '2001:db8::5/128']);
  });

  it('are one per line as text', async () => {
    const type = 'text/plain; charset=utf-8';
    expect(await textOf(service, contract.getStaticIpsText)).toEqual({
      type,
      text: '192.0.2.7\n192.0.2.8\n',
    });
    expect(await textOf(service, contract.getStaticIpv6sText)).toEqual({
      type,
      text: '2001:db8:1::/64\n2001:db8::5/128\n',
    });
  });

  it('are those of the machine where it simulates the locations, and the answer says so', async () => {
    const { body, headers } = await ask(simulated, contract.listStaticIpv6sByRegion);
    expect(headers.get('x-warning')).toContain('on its own machine');
    const regions = Object.entries(body as Record<string, string[]>);
    expect(regions.map(([region]) => region)).toEqual(['eu-west-1', 'sa-east-1']);
    for (const network of regions.flatMap(([, networks]) => networks)) {
      const [address = '', bits] = network.split('/');
      expect([isIPv6(address), bits, address.startsWith('fe80')]).toEqual([true, '128', false]);
    }
    const list = await call(simulated, contract.listStaticIps, {});
    expect(list.filter((address) => !isIPv4(address))).toEqual([]);
    expect((await textOf(simulated, contract.getStaticIpsText)).text).toBe(
      list.map((address) => `${address}\n`).join(''),
    );
  });
});
