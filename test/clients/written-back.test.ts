/** `curl GET x | curl PUT x` succeeds for every resource: our own answers are bodies. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { formatRows } from './compatibility.ts';
import { CHECK_BODIES } from './every-endpoint.ts';

const window = { name: 'w', startsAt: '2090-01-01', endsAt: '2090-01-02', repeatUnit: null };
const update = { description: 'We look into it', status: 'INVESTIGATING' };
/** What creates a resource below a path. */
const RESOURCES: readonly (readonly [area: string, path: string, body: object])[] = [
  ...Object.entries(CHECK_BODIES).map(
    ([type, body]) =>
      [`checks (${type})`, '/v1/checks', { checkType: type, name: 'c', activated: false, ...body }] as const,
  ),
  ['check groups', '/v1/check-groups', { name: 'g' }],
  ['alert channels', '/v1/alert-channels', { type: 'EMAIL', config: { address: 'ops@example.com' } }],
  ['maintenance windows', '/v1/maintenance-windows', window],
  ['status page services', '/v1/status-pages/services', { name: 's' }],
  ['status pages', '/v1/status-pages', { name: 'p', url: 'page', cards: [] }],
  ['dashboards', '/v1/dashboards', { header: 'd', customUrl: 'dashboard' }],
  ['snippets', '/v1/snippets', { name: 's', script: 'return 1' }],
  ['variables', '/v1/variables', { key: 'SHOP', value: 'one' }],
  ['private locations', '/v1/private-locations', { name: 'l', slugName: 'office' }],
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Resource = Readonly<Record<string, unknown>>;
/** Leaves out what a write changes, and how long an incident has been open. */
const withoutTimes = ({ updated_at: _, duration: __, ...rest }: Resource): Resource => rest;

const results: { readonly area: string; readonly works: boolean }[] = [];
async function writeBack(area: string, path: string, body: object): Promise<void> {
  const created = await send(service, `POST ${path}`, body);
  const { dashboardId, id, key } = created.body as Resource;
  const place = `${path}/${dashboardId ?? id ?? key}`;
  const read = await send(service, `GET ${place}`);
  const written = await send(service, `PUT ${place}`, read.body);
  const again = await send(service, `GET ${place}`);
  const works = [201, 200].includes(created.status) && written.status === 200;
  results.push({ area, works });
  expect(written.status, JSON.stringify(written.body)).toBe(200);
  expect(withoutTimes(again.body as Resource)).toEqual(withoutTimes(read.body as Resource));
}

it.each(RESOURCES)('%s', (...resource) => writeBack(...resource));

it('incidents', async () => {
  const { body } = await send(service, 'POST /v1/status-pages/services', { name: 'of an incident' });
  const services = [{ id: (body as Resource).id }];
  const incident = { name: 'i', severity: 'MINOR', services, incidentUpdates: [update] };
  await writeBack('incidents', '/v1/status-pages/incidents', incident);
});

it('are rows of docs/compatibility.md', async () => {
  const works = results.filter((result) => result.works).map(({ area }) => area);
  const rows = [{ area: `GET, then PUT of: ${works.join(', ')}`, works: true, since: 'next', note: '' }];
  const file = { client: 'curl', version: '', direction: 'client', rows } as const;
  await expect(formatRows(file)).toMatchFileSnapshot('./rows/curl.json');
});
