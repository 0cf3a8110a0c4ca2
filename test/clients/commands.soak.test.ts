/** The commands of the npm client of a published deployment show and change what the service stores. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useWorld } from '../e2e/world.ts';
import { useClient } from './client-world.ts';
import { type CompatibilityRow, formatRows } from './compatibility.ts';
import { CLIENT_VERSIONS } from './published-client.ts';

interface Resource {
  readonly id: string;
  readonly name: string;
}

const DEPLOY_TIMEOUT_MS = 5 * 60_000;
const world = useWorld();

describe.each(CLIENT_VERSIONS)('version %s', (version) => {
  const { folder, run, refused, succeeded, read } = useClient(world, version);
  let page: Resource;
  let service: Resource;
  let check: Resource;
  let channelId: string;

  beforeAll(async () => {
    await run('deploy', '--force');
    const checks = await read<Resource[]>('/v1/checks?limit=100');
    check = checks.find(({ name }) => name === 'Name') as Resource;
    [page] = (await read<{ entries: [Resource] }>('/v1/status-pages')).entries;
    [service] = (await read<{ entries: [Resource] }>('/v1/status-pages/services')).entries;
    [{ id: channelId }] = await read<[Resource]>('/v1/alert-channels');
  }, DEPLOY_TIMEOUT_MS);

  describe('the account', () => {
    it('is shown with its plan and its runtimes', async () => {
      expect(await run('whoami')).toContain(`account "local" (${world.service.accountId})`);
      expect(await run('account', 'plan')).toContain('Self-hosted');
      expect(await run('runtimes')).toContain('"2026.04"');
    });
    it('is shown with its owner, who is its only member', async () => {
      expect(await run('members', '--output', 'json')).toContain('owner@sonde.invalid');
      const deletion = ['delete', world.service.accountId, '--id', '--force'];
      expect(await refused('members', ...deletion)).toContain('the only member');
    });
  });

  describe('checks', () => {
    it('are listed and shown', async () => {
      const list = await run('checks', 'list');
      for (const name of ['Browser', 'Name', 'Page', 'Port']) expect(list).toContain(name);
      expect(await run('checks', 'list', '--tag', 'none')).not.toContain('Browser');
      const card = await run('checks', 'get', check.id);
      expect(card).toContain(check.id);
      expect(card).toMatch(/Type:\s+DNS/);
    });
    it('are run, and their results shown', async () => {
      expect(await run('checks', 'run', '--check-id', check.id)).toContain('1 passed');
      const [result] = (await read<{ entries: [Resource] }>(`/v2/check-results/${check.id}`)).entries;
      expect(await run('checks', 'get', check.id)).toContain(result.id);
      expect(await run('checks', 'get', check.id, '--result', result.id)).toContain(result.id);
      expect(await run('checks', 'stats')).toContain('Name');
    });
    it('show the results of a browser and its files', async () => {
      const checks = await read<Resource[]>('/v1/checks?limit=100');
      const { id } = checks.find(({ name }) => name === 'Browser') as Resource;
      await run('checks', 'run', '--check-id', id);
      const [result] = (await read<{ entries: [Resource] }>(`/v2/check-results/${id}`)).entries;
      const card = await run('checks', 'get', id, '--result', result.id);
      expect(card).toContain('BROWSER RESULT');
      expect(card).toMatch(/Runtime:\s+2026\.04/);
      const source = ['--check-id', id, '--result-id', result.id];
      expect(await run('assets', 'list', ...source, '--output', 'json')).toContain('"data"');
    });
    it('are deleted', async () => {
      const body = {
        name: 'Extra',
        heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' },
      };
      const { id } = await world.service.make<Resource>('POST /v1/checks/heartbeat', body);
      await run('checks', 'delete', id, '--force');
      expect((await world.service.api(`GET /v1/checks/${id}`)).status).toBe(404);
      expect(await refused('checks', 'delete', id, '--force')).toContain('not found');
    });
  });

  describe('environment variables', () => {
    it('are added, listed, changed, written to a file and deleted', async () => {
      await run('env', 'add', 'SHOP_URL', 'https://example.com');
      await run('env', 'add', 'SHOP_TOKEN', 'hidden-value', '--secret');
      const list = await run('env', 'ls');
      expect(list).toContain('SHOP_URL=https://example.com');
      expect(list).not.toContain('hidden-value');
      await run('env', 'update', 'SHOP_URL', 'https://example.org');
      expect(await read('/v1/variables/SHOP_URL')).toMatchObject({ value: 'https://example.org' });
      await run('env', 'pull', 'shop.env', '--force');
      expect(await readFile(join(folder(), 'shop.env'), 'utf8')).toContain('https://example.org');
      for (const key of ['SHOP_URL', 'SHOP_TOKEN']) await run('env', 'rm', key, '--force');
      expect(await read('/v1/variables')).toEqual([]);
    });
  });

  describe('alert channels', () => {
    it('are listed and shown with their notifications', async () => {
      expect(await run('alert-channels', 'list')).toContain('shop@example.com');
      expect(await run('alert-channels', 'get', channelId)).toMatch(/Subscriptions:\s+2/);
      expect(await run('alert-channels', 'logs', channelId)).toContain('No');
    });
  });

  describe('status pages and incidents', () => {
    it('are listed and shown', async () => {
      expect(await run('status-pages', 'list')).toContain(page.id);
      expect(await run('status-pages', 'get', page.id)).toContain(service.id);
    });
    it('are created, updated and resolved', async () => {
      const flags = ['--status-page-id', page.id, '--services', service.id, '--force'];
      await run(
        'incidents',
        'create',
        '--title',
        'Slow',
        '--severity',
        'minor',
        '--message',
        'Looking',
        ...flags,
      );
      const incidents = await read<{ entries: [Resource] }>('/v1/status-pages/incidents');
      const [{ id }] = incidents.entries;
      const incident = () => read<Record<string, unknown>>(`/v1/status-pages/incidents/${id}`);
      expect(await incident()).toMatchObject({
        name: 'Slow',
        severity: 'MINOR',
        services: [{ id: service.id }],
      });
      expect(await run('incidents', 'list')).toContain(id);
      await run('incidents', 'update', id, '--message', 'Found', '--status', 'identified', '--force');
      expect(await incident()).toMatchObject({ lastUpdateStatus: 'IDENTIFIED' });
      await run('incidents', 'update', id, '--message', 'Worse', '--severity', 'major', '--force');
      expect(await incident()).toMatchObject({ severity: 'MAJOR' });
      await run('incidents', 'resolve', id, '--message', 'Done', '--force');
      expect(await incident()).toMatchObject({ lastUpdateStatus: 'RESOLVED' });
    });
  });

  describe('test sessions', () => {
    it('are listed and shown', async () => {
      const target = { checkId: [check.id] };
      const body = { name: 'Before the release', runLocation: 'us-east-1', target };
      const { testSessionId } = await world.service.make<{ testSessionId: string }>(
        'POST /v1/test-sessions/trigger',
        body,
      );
      await world.service.make(`GET /v1/test-sessions/${testSessionId}/completion?maxWaitSeconds=30`);
      expect(await run('test-sessions', 'list')).toContain(testSessionId);
      const card = await run('test-sessions', 'get', testSessionId);
      expect(card).toContain('Before the release');
      expect(card.toLowerCase()).toContain('passed');
    });
  });

  describe('runs of checks that the client does not wait for', () => {
    const detached = async (...args: readonly string[]) => {
      const [, testSessionId = ''] = /Test session ID:\s+(\S+)/.exec(await run(...args, '--detach')) ?? [];
      return world.service.api(`GET /v1/test-sessions/${testSessionId}/completion?maxWaitSeconds=30`);
    };
    it('are started for the checks of the account', async () => {
      const { status, body } = await detached('trigger', '--check-id', check.id);
      expect([status, body]).toMatchObject([200, { status: 'PASSED' }]);
      expect(await refused('trigger', '--detach', '--tags', 'none')).toContain('No matching checks');
    });
    it('are started for the checks of the project, which are not stored', async () => {
      const { status, body } = await detached('test', '--grep', 'Port');
      expect([status, body]).toMatchObject([200, { status: 'PASSED', results: [{ name: 'Port' }] }]);
    });
  });

  describe('any request', () => {
    it('is sent with the key and the account', async () => {
      const list = JSON.parse(await run('api', '/v1/checks', '-X', 'GET', '-F', 'limit=100')) as Resource[];
      expect(list.map(({ name }) => name).sort()).toEqual([
        'Browser',
        'Name',
        'Page',
        'Port',
        'Service binding',
      ]);
      const made = await run('api', '/v1/snippets', '-X', 'POST', '-F', 'name=Hello', '-F', 'script=1');
      expect(await read('/v1/snippets')).toMatchObject([{ id: (JSON.parse(made) as Resource).id }]);
      expect(await refused('api', '/v1/none')).toContain('Route not found');
    });
  });

  describe('features that the service lacks', () => {
    it('is named by the commands that need it', async () => {
      expect(await refused('rca', 'get', 'a')).toContain('does not analyze root causes');
      expect(await refused('import', 'plan')).toContain('does not generate code from existing resources');
    });
    it('stops the commands that need its message broker', async () => {
      expect(await refused('trigger')).not.toContain('passed');
    });
  });

  describe('the project', () => {
    it('is validated without the service', async () => {
      expect(await run('validate')).toContain('Validating project resources');
    });
    it('is destroyed with its resources, and only with them', async () => {
      await run('destroy', '--force');
      for (const list of ['checks', 'check-groups', 'alert-channels'])
        expect(await read(`/v1/${list}`)).toEqual([]);
      expect(await read('/v1/status-pages')).toMatchObject({ entries: [] });
      const [snippet] = await read<[Resource]>('/v1/snippets');
      expect(snippet).toMatchObject({ name: 'Hello' });
      expect((await world.service.api(`DELETE /v1/snippets/${snippet.id}`)).status).toBe(204);
      // Repeatable.
      await run('destroy', '--force');
    });
  });

  it('is a row of docs/compatibility.md', async () => {
    const commands = [...succeeded].filter((name) => !['deploy', 'test', 'trigger'].includes(name)).sort();
    const works = (area: string, note: string): CompatibilityRow => ({
      area,
      works: true,
      since: 'next',
      note,
    });
    const fails = (area: string, note: string): CompatibilityRow => ({ area, works: false, since: '', note });
    const rows = [
      works(commands.map((name) => `\`${name}\``).join(', '), ''),
      works('`deploy`', 'no snapshots, or types of checks and channels that sonde lacks'),
      works('`test --detach`, `trigger --detach`', ''),
      fails('`rca`, `import`', 'the service answers 501: it does neither'),
      fails(
        '`test`, `trigger`, `pw-test`, without `--detach`',
        'they wait for results from a message broker, which sonde does not have',
      ),
      fails('`members update`, `members delete`', 'an account has its owner as the only member'),
    ];
    const file = {
      ...{ client: 'Checkly CLI (`checkly` of npm)', version },
      direction: 'client' as const,
    };
    await expect(formatRows({ ...file, rows })).toMatchFileSnapshot(`./rows/checkly-cli-${version}.json`);
  });
});
