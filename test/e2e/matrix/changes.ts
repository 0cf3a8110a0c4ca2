/** Endpoints 1 to 7: groups, checks, status pages and maintenance windows. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fresh, type Made, NO_NUMBER, NOBODY, type World } from '../world.ts';
import type { Row } from './row.ts';

const idOf = (printed: unknown): string => String((printed as { id: unknown }).id);

async function reads({ service }: World, path: string, printed: unknown): Promise<void> {
  expect(await service.make(`GET ${path}`)).toEqual(printed);
}

const group: Row = {
  number: 1,
  async arrange({ service }) {
    const name = fresh('group');
    const { id } = await service.make<{ id: number }>('POST /v1/check-groups', { name: fresh('former') });
    return { id: String(id), name };
  },
  command: ({ id, name }) => [
    ...['groups', 'update', id, '--name', name, '--locations', 'eu-west-1,us-east-1'],
    ...['--concurrency', '7', '--tags', 'a,b', '--yes'],
  ],
  shows: ({ name }) => [name, 'eu-west-1', '7'],
  async stored(world, { id, name }, printed) {
    expect(printed).toMatchObject({ id: Number(id), name, concurrency: 7, tags: ['a', 'b'] });
    await reads(world, `/v1/check-groups/${id}`, printed);
  },
  bad: {
    args: ['groups', 'update', '1', '--concurrency', '0', '--locations', 'eu-west-9', '--yes'],
    says: ['--concurrency', 'at least 1', '--locations', 'eu-west-1'],
  },
  raw: {
    path: '/v1/check-groups/1',
    body: { concurrency: 0, locations: ['nowhere'], runtimeId: '1999.01', nonsense: 1 },
    violations: ['concurrency', 'locations[0]', 'runtimeId', 'nonsense'],
  },
  missing: { id: NO_NUMBER, body: { name: 'none' } },
};

const dns: Row = {
  number: 2,
  arrange: async () => ({ id: '', name: fresh('dns') }),
  command: ({ name }, { names }) => [
    ...['checks', 'create-dns', '--name', name, '--query', 'good.test'],
    ...['--name-server', names.address, '--port', String(names.port)],
    ...['--assert', 'RESPONSE_CODE EQUALS NOERROR', '--locations', 'eu-west-1', '--frequency', '1440'],
  ],
  shows: ({ name }) => [name, 'good.test', '1440', 'eu-west-1'],
  async stored({ service, names }, { name }, printed) {
    const { address: nameServer, port } = names;
    expect(printed).toMatchObject({ name, checkType: 'DNS', request: { nameServer, port } });
    expect(await service.make(`GET /v1/checks/${idOf(printed)}`)).toMatchObject(printed as object);
  },
  bad: {
    args: [
      'checks',
      'create-dns',
      '--name',
      'n',
      '--query',
      'q.test',
      '--frequency',
      '7',
      '--max-response-time',
      '5001',
    ],
    says: ['--frequency', '10', '--max-response-time', '5000'],
  },
  raw: {
    path: '/v1/checks/dns',
    body: { name: 1, request: { query: 'q.test', port: 0 }, heartbeat: {}, script: '', frequency: 7 },
    violations: ['name', 'request.port', 'frequency'],
  },
};

const SCRIPT =
  "import { test } from '@playwright/test';\ntest('opens', async ({ page }) => page.goto('/'));\n";

const browser: Row = {
  number: 3,
  async arrange({ service }) {
    const name = fresh('browser');
    await writeFile(join(service.home, `${name}.spec.ts`), SCRIPT);
    return { id: '', name };
  },
  command: ({ name }) => [
    ...['checks', 'create-browser', '--name', name, '--script-file', `${name}.spec.ts`],
    ...['--frequency', '60', '--locations', 'eu-central-1', '--no-activated', '--env', 'MODE=test'],
  ],
  shows: ({ name }) => [name, '60', 'eu-central-1'],
  async stored({ service }, { name }, printed) {
    expect(printed).toMatchObject({ name, checkType: 'BROWSER', script: SCRIPT, activated: false });
    expect(await service.make(`GET /v1/checks/${idOf(printed)}`)).toMatchObject(printed as object);
  },
  bad: {
    args: [
      'checks',
      'create-browser',
      '--name',
      'n',
      '--script',
      '',
      '--frequency',
      '0',
      '--group-order',
      '-1',
    ],
    says: ['--frequency', '--group-order', 'at least 0'],
  },
  raw: {
    path: '/v1/checks/browser',
    body: { name: 'n', frequency: 0, description: 'x'.repeat(501), dependencies: [{ path: 1 }] },
    violations: ['script', 'frequency', 'description', 'dependencies[0].path'],
  },
};

async function makePage({ service }: World): Promise<Made> {
  const name = fresh('page');
  const body = { name, url: name, cards: [{ name: 'Shop' }] };
  const { id } = await service.make<{ id: string }>('POST /v1/status-pages', body);
  return { id, name };
}

const putPage: Row = {
  number: 4,
  async arrange(world) {
    const { id } = await makePage(world);
    const name = fresh('page');
    const yaml = `name: ${name}\nurl: ${name}\ncards:\n  - name: Checkout\ndescription: All of it\n`;
    await writeFile(join(world.service.home, `${name}.yaml`), yaml);
    return { id, name };
  },
  command: ({ id, name }) => [
    'status-pages',
    'put',
    id,
    '-f',
    `${name}.yaml`,
    '--default-theme',
    'DARK',
    '--yes',
  ],
  shows: ({ id, name }) => [id, name, 'Checkout', 'DARK'],
  async stored(world, { id, name }, printed) {
    expect(printed).toMatchObject({ id, name, defaultTheme: 'DARK', cards: [{ name: 'Checkout' }] });
    await reads(world, `/v1/status-pages/${id}`, printed);
  },
  bad: {
    args: ['status-pages', 'put', 'p', '--name', 'n', '--url', 'u', '--default-theme', 'PINK'],
    says: ['--cards', '--default-theme', 'LIGHT'],
  },
  raw: {
    path: '/v1/status-pages/p',
    body: { name: 'n', cards: [{ services: [{}] }], defaultTheme: 'PINK', description: 'x'.repeat(501) },
    violations: ['url', 'cards[0].services[0].id', 'defaultTheme', 'description'],
  },
  missing: { id: NOBODY, body: { name: 'n', url: 'u', cards: [] } },
};

const getPage: Row = {
  number: 5,
  arrange: makePage,
  command: ({ id }) => ['status-pages', 'get', id],
  shows: ({ id, name }) => [id, name, 'Shop', 'AUTO'],
  stored: (world, { id }, printed) => reads(world, `/v1/status-pages/${id}`, printed),
  bad: { args: ['status-pages', 'get', '..'], says: ['<id>', 'would change the path of the request'] },
  raw: { path: '/v1/status-pages/a%00b?depth=2', violations: ['statusPageId', 'depth'] },
  missing: { id: NOBODY },
};

async function makeWindow({ service }: World): Promise<Made> {
  const name = fresh('window');
  const { id } = await service.make<{ id: number }>('POST /v1/maintenance-windows', {
    ...{ name, startsAt: '2027-03-01T22:00:00.000Z', endsAt: '2027-03-02T02:00:00.000Z' },
    ...{ repeatUnit: 'WEEK', repeatInterval: 2, repeatEndsAt: '2027-06-01', tags: ['shop'] },
  });
  return { id: String(id), name };
}

const listWindows: Row = {
  number: 6,
  arrange: makeWindow,
  command: () => ['maintenance', 'list', '--starts-at', 'gte=2027-03-01', '--limit', '100'],
  shows: ({ id, name }) => [id, name],
  async stored({ service }, { id, name }, printed) {
    expect(printed).toContainEqual(expect.objectContaining({ id: Number(id), name }));
    const windows = await service.make('GET /v1/maintenance-windows?limit=100');
    expect(windows).toEqual(expect.arrayContaining(printed as unknown[]));
  },
  bad: {
    args: ['maintenance', 'list', '--limit', '101', '--starts-at', 'gte=soon'],
    says: ['--limit', 'at most 100', '--starts-at', 'date'],
  },
  raw: {
    path: '/v1/maintenance-windows?limit=101&page=0&startsAt[gte]=soon',
    violations: ['limit', 'page', 'startsAt.gte'],
  },
};

const getWindow: Row = {
  number: 7,
  arrange: makeWindow,
  command: ({ id }) => ['maintenance', 'get', id],
  shows: ({ id, name }) => [id, name, 'every 2 weeks'],
  stored: (world, { id }, printed) => reads(world, `/v1/maintenance-windows/${id}`, printed),
  bad: { args: ['maintenance', 'get', '..'], says: ['id', '".."'] },
  raw: { path: '/v1/maintenance-windows/next?deep=1', violations: ['id', 'deep'] },
  missing: { id: NO_NUMBER },
};

export const changes: readonly Row[] = [group, dns, browser, putPage, getPage, listWindows, getWindow];
