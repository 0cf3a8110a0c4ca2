/** Whatever befalls one request of an apply, a second apply reaches the goal, and nothing exists twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as apply } from '../../../../commands/apply.ts';
import { command as plan } from '../../../../commands/plan.ts';
import { runLine } from '../../../support/command.ts';
import { runs } from '../../../support/sampled.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { well } from '../../resources/journey.ts';
import { type ApplyProxy, FAULTS, startApplyProxy } from './apply-proxy.ts';

let service: TestService;
let proxy: ApplyProxy;
beforeAll(async () => {
  service = await startTestService();
  proxy = await startApplyProxy(service.url);
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});

/** Every kind of reference, an update, a rename, a deletion, and names that occur twice. */
const before = (id: string) => `
project: shop
snippets: [{ name: Old, script: a() }]
services: [{ name: Checkout }]
groups: [{ name: Shop, setupSnippet: Old }]
checks:
  - { name: Home, checkType: URL, group: Shop, request: { url: https://shop.test } }
  - { name: Gone, checkType: URL, request: { url: https://gone.test } }
statusPages: [{ name: Shop, url: shop-${id}, cards: [{ name: All, services: [Checkout] }] }]
`;
const after = (id: string) => `
project: shop
services: [{ name: Checkout }, { name: Search }]
alertChannels: [{ type: EMAIL, config: { address: ops@shop.test } }]
groups: [{ name: Store, renamedFrom: Shop }]
checks:
  - { name: Home, checkType: URL, group: Store, frequency: 5, request: { url: https://shop.test } }
  - { key: one, name: Same, checkType: URL, request: { url: https://one.test }, alertChannelSubscriptions: [{ alertChannel: ops@shop.test, activated: true }] }
  - { key: two, name: Same, checkType: URL, request: { url: https://two.test } }
statusPages: [{ name: Shop, url: shop-${id}, isPrivate: true, cards: [{ name: All, services: [Checkout, Search] }] }]
`;

const LISTS = {
  '/v1/snippets': ['sonde project shop'],
  '/v1/alert-channels': [undefined],
  '/v1/check-groups': ['Store'],
  '/v1/checks': ['Foreign', 'Home', 'Same', 'Same'],
} as const;

let turn = 0;

/** Applies with a fault at the nth request, and then without one. Returns whether the first apply got that far. */
async function applyWithFault(
  at: number,
  fault: (typeof FAULTS)[number],
  batches: boolean,
): Promise<boolean> {
  const id = String(turn++);
  const own = { url: service.url, ...(await service.newAccount()) };
  const env = { SONDE_BASE_URL: own.url, SONDE_API_KEY: own.apiKey };
  const faulty = { ...env, SONDE_BASE_URL: proxy.url };
  await send(own, 'POST /v1/checks/url', { name: 'Foreign', request: { url: 'https://foreign.test' } });
  await well(apply, ['f', '--yes'], { env, files: { f: before(id) } });
  const [group] = (await send(own, 'GET /v1/check-groups')).body as { id: number }[];

  const flags = ['f', '--yes', '--prune', '--retry-budget', '1s'];
  proxy.meet(at, fault, { batches });
  await runLine(apply, flags, { env: faulty, files: { f: after(id) } });
  const isMet = proxy.requests().length >= at;
  proxy.meet(0, fault, { batches });
  await well(apply, flags, { env: faulty, files: { f: after(id) } });

  const label = `${fault} at request ${at}`;
  const next = await well(plan, ['f', '--prune', '--json'], { env, files: { f: after(id) } });
  const { summary, undeclared } = JSON.parse(next.stdout);
  expect(summary, label).toMatchObject({ create: 0, update: 0, rename: 0, delete: 0, unchanged: 8 });
  expect(undeclared, label).toEqual([]);
  for (const [path, names] of Object.entries(LISTS)) {
    const rows = (await send(own, `GET ${path}`)).body as { name?: string }[];
    expect(rows.map(({ name }) => name).toSorted(), `${label}: ${path}`).toEqual(names);
  }
  const [renamed] = (await send(own, 'GET /v1/check-groups')).body as { id: number }[];
  expect(renamed?.id, label).toBe(group?.id);
  return isMet;
}

/** Every fourth request in the soak, fewer in `npm test`: other ones for each fault. */
const STEP = runs(6, 4);

describe.each(FAULTS.map((fault, index) => [fault, index] as const))(
  'an apply of which a request is %s',
  (fault, index) => {
    it.each([
      ['in batches', true],
      ['one by one', false],
    ])('is completed by a second one, %s', async (_, batches) => {
      let at = 1 + (index % STEP);
      while (await applyWithFault(at, fault, batches)) at += STEP;
      // Lists, the record, and the changes.
      expect(at).toBeGreaterThan(batches ? 15 : 18);
    });
  },
);
