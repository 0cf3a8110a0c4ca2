/** Response times on status pages: only if the owner of the page shows them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { makeBoardCheck } from './dashboards-world.ts';
import { get, makePage, makeServices, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const text = async (slug: string) => (await get(world, `/status/${slug}`)).text();

async function makeCheck(name: string, serviceId: string, typicalMs: number | null = 180): Promise<void> {
  const incident = { severity: 'MAJOR', name: 'Down', description: 'We look.' } as const;
  await makeBoardCheck(world, {
    ...{ name, status: 'passing', days: 2, typicalMs },
    triggerIncident: { ...incident, serviceId },
  });
}

it('are charts of the checks that open incidents of a service', async () => {
  const [shop = '', search = '', backup = '', other = ''] = await makeServices(world, [
    'Shop',
    'Search <b>',
    'Backup',
    'Other',
  ]);
  await makeCheck('Home', shop);
  await makeCheck('Search <i>', search);
  await makeCheck('Suggestions', search, 4200);
  await makeCheck('Nightly', backup, null);
  await makeCheck('Elsewhere', other);
  const ids = [shop, search, backup];
  await makePage(world, 'without', ids);
  const { id } = await makePage(world, 'with', ids, { showResponseTimes: true });

  expect(await text('without')).not.toMatch(/Response times|Suggestions/);
  const page = await text('with');
  expect(page).toContain('Response times, 24 hours');
  // One check: its percentiles. Several checks: the median of each.
  expect(page.match(/<figcaption><strong>[^<]+<\/strong>/g)).toEqual([
    '<figcaption><strong>Shop</strong>',
    '<figcaption><strong>Search &lt;b&gt;</strong>',
  ]);
  expect(page).toMatch(/aria-label="Shop: Median from \d+ ms to \d+ ms, 95th percentile from/);
  expect(page).toContain('<i class="tone c0"></i>Search &lt;i&gt; (median)</li>');
  expect(page).toContain('<i class="tone c1"></i>Suggestions (median)</li>');
  expect(page).not.toMatch(/Elsewhere|Nightly|Home/);

  const params = { statusPageId: id };
  const { name, url } = await call(world, contract.getStatusPage, { params });
  await call(world, contract.updateStatusPage, { params, body: { name, url, cards: [] } });
  expect(await text('with')).not.toContain('Response times');
});
