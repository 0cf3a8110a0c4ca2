/** Each resource by its commands: what is made is listed, shown, changed in a part, and goes by both names of its deletion. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../../src/cli/framework/types.ts';
import { maskCredential } from '../../../src/contract/mask-credential.ts';
import { runLine } from '../../support/command.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { envOf, type Journey, travel, type Verbs, well } from './journey.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function commandOf(name: string): Promise<Command> {
  const [noun, verb] = name.split(' ');
  const { command } = (await import(`../../../commands/${noun}/${verb}.ts`)) as { command: Command };
  return command;
}
async function verbsOf(word: string, kind: string): Promise<Verbs> {
  const remove = await commandOf(`${word} delete`);
  expect(remove.alias?.name).toBe(`delete ${kind}`);
  return {
    create: await commandOf(`${word} create`),
    list: await commandOf(`${word} list`),
    get: await commandOf(`${word} get`),
    update: await commandOf(`${word} update`),
    remove,
    removeToo: remove.alias ?? remove,
  };
}

type Way = Omit<Journey, keyof Verbs>;
const ways: readonly (readonly [word: string, kind: string, way: Way])[] = [
  [
    'snippets',
    'snippet',
    {
      made: ['--name', 'Sign in', '--script', 'one();\ntwo();\n'],
      change: ['--name', 'Sign out'],
      changed: { name: 'Sign out' },
    },
  ],
  [
    'services',
    'service',
    { made: ['--name', 'Checkout'], change: ['--name', 'Basket'], changed: { name: 'Basket' } },
  ],
  [
    'dashboards',
    'dashboard',
    {
      made: ['--header', 'Shop', '--custom-url', 'shop', '--tags', 'a,b'],
      change: ['--width', '960PX', '--tags', '[]'],
      changed: { width: '960PX', tags: [] },
      id: 'dashboardId',
    },
  ],
  [
    'private-locations',
    'private-location',
    {
      made: ['--name', 'Cellar', '--slug-name', 'cellar'],
      change: ['--name', 'Attic', '--proxy-url', 'http://proxy.test:3128'],
      changed: { name: 'Attic', proxyUrl: 'http://proxy.test:3128' },
    },
  ],
  [
    'alert-channels',
    'alert-channel',
    {
      made: ['--type', 'WEBHOOK', '--config', 'name=Deploys,url=https://hooks.test/a', '--no-send-recovery'],
      change: ['--config', 'name=Releases', '--send-degraded'],
      changed: {
        config: { name: 'Releases', url: maskCredential('https://hooks.test/a') },
        sendDegraded: true,
      },
    },
  ],
  [
    'maintenance',
    'maintenance',
    {
      made: [
        ...[
          '--name',
          'Upgrade',
          '--starts-at',
          '2026-11-22T22:00:00.000Z',
          '--ends-at',
          '2026-11-22T23:00:00.000Z',
        ],
        ...['--tags', 'shop', '--show-on-pages', '--notify-on-end'],
      ],
      change: ['--all-services', '--description', 'New disks'],
      changed: {
        description: 'New disks',
        statusPageVisibility: {
          ...{ enabled: true, notifyOnEnd: true, affectAllServices: true },
          ...{ autoStart: true, autoEnd: true },
        },
      },
    },
  ],
];

describe('a resource by its commands', () => {
  it.each(ways)('%s: lives from create to delete', async (word, kind, way) =>
    travel(service, { ...(await verbsOf(word, kind)), ...way }),
  );

  it.each(ways.filter(([word]) => word !== 'maintenance'))(
    '%s: says what to do where there are none',
    async (word) => {
      const other = await service.newAccount();
      const env = { ...envOf(service), SONDE_API_KEY: other.apiKey };
      const { stderr, stdout } = await well(await commandOf(`${word} list`), [], { env });
      expect(stdout).toBe('');
      expect(stderr).toContain(`Create one with "sonde ${word} create".`);
    },
  );

  it('says something of an incident, keeps what was said, and ends it', async () => {
    const env = envOf(service);
    const line = async (name: string, ...argv: string[]) =>
      (await well(await commandOf(name), argv, { env })).stdout;
    const serviceId = (await line('services create', '--name', 'Checkout', '--jq', '.id')).trim();
    const said = ['--status', 'INVESTIGATING', '--description', 'Looking into it'];
    const made = ['--name', 'Payments fail', '--severity', 'MAJOR', '--services', serviceId, ...said];
    const id = (await line('incidents create', ...made, '--jq', '.id')).trim();
    const found = [
      '--status',
      'IDENTIFIED',
      '--description',
      'A bad release',
      '--severity',
      'MINOR',
      '--yes',
    ];
    const { stderr } = await well(await commandOf('incidents update'), [id, ...found], { env });
    expect(stderr).toContain('-severity: MAJOR\n+severity: MINOR\n');
    expect(stderr).toContain('+  - description: A bad release\n');
    await line('incidents resolve', id);
    const incident = JSON.parse(await line('incidents get', id, '--json'));
    expect(incident).toMatchObject({
      severity: 'MINOR',
      lastUpdateStatus: 'RESOLVED',
      services: [{ id: serviceId }],
    });
    expect(incident.incidentUpdates.map(({ description }: { description: string }) => description)).toEqual([
      'This incident is resolved.',
      'A bad release',
      'Looking into it',
    ]);
    const half = await runLine(await commandOf('incidents update'), [id, '--status', 'MONITORING'], { env });
    expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('--description') });
    await line('incidents delete', id, '--yes');
  });

  it('shows the key of a private location once, and revokes it', async () => {
    const env = envOf(service);
    const made = await well(
      await commandOf('private-locations create'),
      ['--name', 'Barn', '--slug-name', 'barn', '--json'],
      { env },
    );
    expect(made.stderr).toContain('sonde prints this key only once');
    const { id, keys } = JSON.parse(made.stdout);
    expect(keys[0].rawKey).toMatch(/^pl_/);
    const later = await well(await commandOf('private-locations get'), [id, '--json'], { env });
    expect(later.stdout).not.toContain(keys[0].rawKey);
    const another = await well(await commandOf('private-locations create-key'), [id, '-o', 'plain'], { env });
    expect(another.stdout).toMatch(/^pl_\S+\n$/);
    await well(await commandOf('private-locations delete-key'), [id, keys[0].id, '--yes'], { env });
    const left = await well(await commandOf('private-locations get'), [id, '--jq', '.keys | length'], {
      env,
    });
    expect(left.stdout).toBe('1\n');
  });

  it('replaces the key of a private dashboard, and prints it once', async () => {
    const env = envOf(service);
    const line = async (name: string, ...argv: string[]) => well(await commandOf(name), argv, { env });
    const words = ['--custom-url', 'board', '--header', 'Board', '--is-private', '--jq', '.dashboardId'];
    const id = (await line('dashboards create', ...words)).stdout.trim();
    const first = await line('dashboards create-key', id, '-o', 'plain');
    expect(first.stderr).toBe('The key is printed once. Share it with the readers of the dashboard.\n');
    const second = JSON.parse((await line('dashboards create-key', id, '--json')).stdout);
    expect([first.stdout, second.rawKey]).toEqual([expect.stringMatching(/^\S{20,}\n$/), expect.any(String)]);
    expect(second.rawKey).not.toBe(first.stdout.trim());
    const { stdout } = await line('dashboards get', id, '--json');
    expect(JSON.parse(stdout).keys).toHaveLength(1);
    expect(stdout).not.toContain(second.rawKey);
  });

  it('makes groups, triggers and status pages, lists them and takes them away', async () => {
    const env = envOf(service);
    const line = async (name: string, ...argv: string[]) =>
      (await well(await commandOf(name), argv, { env })).stdout;
    const group = (
      await line('groups create', '--name', 'Shop', '--locations', 'eu-west-1', '--jq', '.id')
    ).trim();
    expect(await line('groups list')).toContain(`${group}\tShop\ttrue\t`);
    expect(await line('groups get', group, '--jq', '.locations[0]')).toBe('eu-west-1\n');
    const url = await line('triggers create', group, '-o', 'plain');
    expect(url).toMatch(new RegExp(`^${service.url}/check-groups/${group}/trigger/\\S+\\n$`));
    expect(await line('triggers get', group, '-o', 'plain')).toBe(url);
    expect(await line('triggers create', group, '--dry-run')).toContain(`/v1/triggers/check-groups/${group}`);
    await line('groups delete', group, '--yes');
    const page = (
      await line('status-pages create', '--name', 'Shop', '--url', 'shop-page', '--jq', '.id')
    ).trim();
    expect(await line('status-pages list', '--jq', '.[].url')).toContain('shop-page\n');
    await line('status-pages delete', page, '--yes');
  });

  it('shows what changes before it changes, and keeps what stood', async () => {
    const env = envOf(service);
    const made = await well(
      await commandOf('snippets create'),
      ['--name', 'A', '--script', '//', '--jq', '.id'],
      {
        env,
      },
    );
    const id = made.stdout.trim();
    const { stderr } = await well(await commandOf('snippets update'), [id, '--name', 'B', '--yes'], { env });
    expect(stderr).toContain(`Changes to the snippet ${id}:\n-name: A\n+name: B\n`);
    expect(stderr).toContain(`sonde snippets update ${id} -f `);
  });

  it('refuses a change that is none by the contract, at the flag that says it', async () => {
    const env = envOf(service);
    const outcome = await runLine(await commandOf('dashboards update'), ['x', '--width', 'WIDE'], { env });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain('--width must be one of FULL, 960PX');
  });
});
