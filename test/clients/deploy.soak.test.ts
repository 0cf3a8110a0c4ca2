/** A project is deployed with the npm client of a published deployment: each command runs as a process of its own. */
import { describe, expect, it } from 'vitest';
import { useClient } from './client-world.ts';

const { run, refused, read, write } = useClient();

interface Resource {
  readonly id: string;
  readonly name: string;
}
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
