/** Which domains a status page may have, on a real service that people reach at an address of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask } from '../../../support/call.ts';
import { violations } from '../api/support.ts';
import { get, makePage, startWorld, type World } from './world.ts';

let world: World;
let statusPageId = '';
beforeAll(async () => {
  world = await startWorld({ publicUrl: 'https://monitoring.example.com' });
  statusPageId = (await makePage(world, 'kept', [])).id;
});
afterAll(() => world.close());

const NAME = 'must be a host name, such as status.example.com';
const ADDRESS = 'must be a domain, not an IP address';

it.each([
  ['192.0.2.7', ADDRESS],
  ['127.1', ADDRESS],
  ['0x7f000001', ADDRESS],
  ['300.1.1.1', ADDRESS],
  ['[::1]', NAME],
  ['::1', NAME],
  ['localhost', 'must not be localhost'],
  ['Status.LOCALHOST', 'must not be localhost'],
  ['Monitoring.example.com', 'must not be the host of the service:'],
  ['status.example.com:443', NAME],
  ['a b\r\n', NAME],
  [`${'a'.repeat(64)}.example.com`, NAME],
])('%j is refused with its place, the rule and a way out', async (customDomain, rule) => {
  const body = { name: 'a', url: 'a', cards: [], customDomain };
  for (const refused of [
    await ask(world, contract.createStatusPage, { body }),
    await ask(world, contract.updateStatusPage, { params: { statusPageId }, body }),
  ]) {
    expect(refused.status).toBe(400);
    expect(violations(refused.body)).toMatchObject([
      { path: 'customDomain', message: expect.stringContaining(rule) },
    ]);
  }
});

it.each([
  'status',
  'status.example.com',
  'a.monitoring.example.com',
  '1.example.com',
  'xn--bcher-kva.example',
])('%s is a domain that a page is served at', async (customDomain) => {
  await makePage(world, `at-${customDomain}`, [], { customDomain, name: `Page at ${customDomain}` });
  // fetch sets Host itself.
  const answer = await world.service.app.inject({ url: '/', headers: { host: customDomain.toUpperCase() } });
  expect(answer.body).toContain(`Page at ${customDomain}`);
  expect(await (await get(world, '/')).text()).not.toContain('Page at');
});
