/** The npm client of a published deployment works with the service: each command runs as a process of its own. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../e2e/world.ts';
import type { Ran } from '../support/binary.ts';
import { type Targets, type Variant, writeProject } from './project.ts';
import { type Client, clientOf, installClient } from './published-client.ts';

const INSTALL_TIMEOUT_MS = 6 * 60_000;
const world = useWorld();
const closing: (() => Promise<unknown>)[] = [];
let packages: string;
let folder: string;
let targets: Targets;
let client: Client;

beforeAll(async () => {
  packages = await installClient();
  folder = await mkdtemp(join(tmpdir(), 'sonde-client-'));
  const page = createHttpServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Shop</title><h1>Shop</h1>');
  });
  const port = createServer((socket) => socket.end());
  for (const server of [page, port]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => server.close());
  }
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  targets = {
    page: `http://127.0.0.1:${portOf(page)}/`,
    tcpPort: portOf(port),
    dnsPort: world.names.port,
  };
  client = clientOf(world.service, packages, folder);
  await writeProject(folder, packages, targets);
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  for (const close of closing) await close();
  await rm(folder, { recursive: true, force: true });
});

const write = (variant?: Variant) => writeProject(folder, packages, targets, variant);
/** Runs a command that must succeed, and returns its output. */
async function run(...args: readonly string[]): Promise<string> {
  const ran = await client(...args);
  if (ran.code !== 0) throw new Error(`${args.join(' ')} exits with ${ran.code}\n${said(ran)}`);
  return ran.stdout;
}
/** Runs a command that must fail, and returns what it says on one line. */
async function refused(...args: readonly string[]): Promise<string> {
  const ran = await client(...args);
  expect(ran.code).not.toBe(0);
  return said(ran).replaceAll(/\s+/g, ' ');
}
const said = ({ stdout, stderr }: Ran) => `${stdout}\n${stderr}`;

interface Resource {
  readonly id: string;
  readonly name: string;
}
const read = async <T>(path: string) => (await world.service.api(`GET ${path}`)).body as T;
/** The deployed checks by name. */
async function checks(): Promise<ReadonlyMap<string, Resource & Readonly<Record<string, unknown>>>> {
  const all = await read<Resource[]>('/v1/checks?limit=100');
  return new Map(all.map((check) => [check.name, { ...check }]));
}
/** Everything that a deployment could change, as the service shows it. */
async function everything(): Promise<string> {
  const lists = ['checks', 'check-groups', 'alert-channels', 'status-pages', 'status-pages/services'];
  const bodies = await Promise.all(lists.map((list) => read(`/v1/${list}?limit=100`)));
  return JSON.stringify(bodies, (name, value) =>
    ['nextRunAt', 'status'].includes(name) ? undefined : value,
  );
}

describe('deploy', () => {
  it('shows what it would create, and creates nothing', async () => {
    const empty = await everything();
    const preview = await run('deploy', '--preview');
    expect(preview).toContain('Create:');
    for (const line of ['DnsMonitor: dns', 'BrowserCheck: browser', 'StatusPage: status'])
      expect(preview).toContain(line);
    expect(await everything()).toBe(empty);
  });

  it('creates the resources of the project', async () => {
    const output = await run('deploy', '--force', '--verbose');
    expect(output).toContain('Successfully deployed project "Shop" to account "local"');
    const deployed = await checks();
    expect([...deployed.keys()].sort()).toEqual(['Browser', 'Name', 'Page', 'Port']);
    const [group] =
      await read<{ id: number; name: string; alertChannelSubscriptions: unknown[] }[]>('/v1/check-groups');
    const [channel] = await read<{ id: number }[]>('/v1/alert-channels');
    const subscription = { alertChannelId: channel?.id, activated: true };
    expect(group).toMatchObject({ name: 'Shop', alertChannelSubscriptions: [subscription] });
    expect(deployed.get('Page')).toMatchObject({
      groupId: group?.id,
      alertChannelSubscriptions: [subscription],
      frequency: 1440,
    });
    expect(deployed.get('Browser')).toMatchObject({
      scriptPath: 'src/shop.spec.js',
      dependencies: [{ path: 'lib/title.js', content: "export const title = 'Shop'\n" }],
    });
    const { entries } = await read<{ entries: { cards: { services: Resource[] }[] }[] }>('/v1/status-pages');
    expect(entries[0]?.cards[0]?.services).toMatchObject([{ name: 'Shop' }]);
    for (const [name, { id }] of deployed) expect(output, name).toContain(`id: ${id}`);
  });

  it('deploys checks that run and pass', async () => {
    const output = await run('checks', 'run', '--tags', 'shop', '--output', 'json');
    const { sessions } = JSON.parse(output) as { sessions: { name: string; status: string }[] };
    expect(sessions.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
      ...['Browser PASSED', 'Name PASSED', 'Page PASSED', 'Port PASSED'],
    ]);
  });

  it('changes nothing the second time', async () => {
    const before = await everything();
    expect(await run('deploy', '--force', '--output')).toContain('Update and Unchanged:');
    expect(await everything()).toBe(before);
  });

  it('updates one check, and deletes another', async () => {
    const before = await checks();
    await write({ urlName: 'Front page', withoutTcp: true });
    const preview = await run('deploy', '--preview');
    expect(preview).toMatch(/Delete:\s+Check: tcp/);
    expect([...(await checks()).keys()]).toContain('Port');
    await run('deploy', '--force');
    const after = await checks();
    expect([...after.keys()].sort()).toEqual(['Browser', 'Front page', 'Name']);
    expect(after.get('Front page')?.id).toBe(before.get('Page')?.id);
  });

  it('asks before it deletes, and names what it deletes', async () => {
    await write({ urlName: 'Front page' });
    await run('deploy', '--force');
    await write({ urlName: 'Front page', withoutTcp: true });
    expect(await refused('deploy')).toContain('confirm');
    expect([...(await checks()).keys()]).toContain('Port');
    await run('deploy', '--force', '--preserve-resources');
    expect([...(await checks()).keys()]).toContain('Port');
  });

  it('says which resource and field the service refuses, and changes nothing', async () => {
    const before = await everything();
    await write({ urlName: 'Another name', urlFields: "locations: ['mars-1']," });
    expect(await refused('deploy', '--force')).toContain(
      'check "url": locations[0] must be one of us-east-1',
    );
    expect(await everything()).toBe(before);
    await write({ urlName: 'Front page', withoutTcp: true });
  });
});
