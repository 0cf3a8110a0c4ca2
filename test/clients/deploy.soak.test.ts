/** A project is deployed with the npm client of a published deployment: each command runs as a process of its own. */
import { describe, expect, it } from 'vitest';
import { useWorld } from '../e2e/world.ts';
import { useClient } from './client-world.ts';
import { CLIENT_VERSIONS } from './published-client.ts';

interface Resource {
  readonly id: string;
  readonly name: string;
}

/** What a status page shows besides its components. */
const LOOK = {
  ...{ logo: 'https://shop.example/l.png', logoDark: 'https://shop.example/d.png' },
  privacyPolicyLink: 'https://shop.example/privacy',
  termsOfServiceLink: 'https://shop.example/terms',
  supportLink: 'https://shop.example/help',
  ...{ footerText: 'Shop Inc.', allowIndexing: false },
};
/** A status page as newer versions declare it. `parent`: the fields of its group, `till`: of a service in it. */
const page = (
  parent = '',
  till = '',
) => `import { StatusPageV3, StatusPageV3AutomationRule, StatusPageV3Component } from 'checkly/constructs'
const statusPage = new StatusPageV3('components', {
  name: 'Components', url: 'shop-components', googleAnalyticsTag: 'G-1', ...${JSON.stringify(LOOK)},
})
const parent = new StatusPageV3Component('shops', { statusPage, type: 'GROUP', name: 'Shops', displayOrder: 0${parent} })
new StatusPageV3Component('catalogue', {
  statusPage, parent, name: 'Catalogue', displayOrder: 2, description: 'What we sell', showHistoricalData: false,
})
const till = new StatusPageV3Component('till', { statusPage, parent, name: 'Till', displayOrder: 1${till} })
new StatusPageV3AutomationRule('till-fails', {
  statusPage, name: 'Till fails', tags: ['shop'], firstUpdate: 'We look into it.', lastUpdate: 'It works again.',
  components: [{ component: till, targetImpact: 'MAJOR_OUTAGE' }], coolDownMinutes: 10,
})
`;

/** A check whose rules have all forms that the client publishes. */
const CERTIFICATE = `import { SslMonitor } from 'checkly/constructs'
const securityBaseline = {
  enabled: true,
  minTLSVersion: { value: 'TLS1.3', severity: 'degrade' },
  recommendedKeySizeBits: { value: 4096, severity: 'degrade' },
  knownBadCA: { severity: 'ignore' },
  sctPresent: { severity: 'fail' },
}
new SslMonitor('certificate', {
  name: 'Certificate', activated: false, request: { hostname: 'good.test', sslConfig: { securityBaseline } },
})
`;

describe.each(CLIENT_VERSIONS)('version %s', (version) => {
  // Each version has a service: the tests leave resources behind.
  const world = useWorld();
  const { run, refused, read, write } = useClient(world, version);
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
      expect([...deployed.keys()].sort()).toEqual(['Browser', 'Name', 'Page', 'Port', 'Service binding']);
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
      expect(deployed.get('Service binding')).toMatchObject({
        request: { recordType: 'HTTPS', query: 'good.test' },
      });
      expect(deployed.get('Browser')).toMatchObject({
        scriptPath: 'src/shop.spec.js',
        playwrightConfig: { timeout: 60_000, use: { locale: 'de-DE' } },
        dependencies: [{ path: 'lib/title.js', content: "export const title = 'Shop'\n" }],
      });
      const { entries } = await read<{ entries: { cards: { services: Resource[] }[] }[] }>(
        '/v1/status-pages',
      );
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
      expect([...after.keys()].sort()).toEqual(['Browser', 'Front page', 'Name', 'Service binding']);
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
    });

    it('creates an SSL check with a security baseline, and changes nothing the second time', async () => {
      await write({ more: CERTIFICATE });
      await run('deploy', '--force');
      expect((await checks()).get('Certificate')).toMatchObject({
        request: {
          sslConfig: {
            hostname: 'good.test',
            securityBaseline: {
              enabled: true,
              minTLSVersion: { value: 'TLS1.3', severity: 'degrade' },
              minKeySizeBits: { value: 2048, severity: 'fail' },
              recommendedKeySizeBits: { value: 4096, severity: 'degrade' },
              knownBadCA: { severity: 'ignore' },
              sctPresent: { severity: 'fail' },
            },
          },
        },
      });
      const before = await everything();
      await run('deploy', '--force');
      expect(await everything()).toBe(before);
    });

    if (version !== '8.23.2')
      it('creates a status page with components, which shows what it says', async () => {
        const shown = async () => {
          const { entries } = await read<{ entries: { name: string; cards: object[] }[] }>(
            '/v1/status-pages',
          );
          return entries.find(({ name }) => name === 'Components');
        };
        const html = async () => (await fetch(`${world.service.url}/status/shop-components`)).text();
        await write({ more: page() });
        await run('deploy', '--force');
        const catalogue = { name: 'Catalogue', description: 'What we sell', showHistoricalData: false };
        expect(await shown()).toMatchObject({
          ...LOOK,
          cards: [{ name: 'Shops', expandedByDefault: false, services: [{ name: 'Till' }, catalogue] }],
        });
        const rules = async () =>
          (await read<{ entries: { components: object[] }[] }>('/v1/status-pages/automation-rules')).entries;
        const created = await rules();
        expect(created).toMatchObject([
          {
            name: 'Till fails',
            tags: ['shop'],
            coolDownWindowMinutes: 10,
            components: [{ targetImpact: 'MAJOR_OUTAGE' }],
          },
        ]);
        await run('deploy', '--force');
        expect(await rules()).toEqual(created);
        const collapsed = await html();
        expect(collapsed).toContain('<details class="card group"><summary>');
        for (const text of [
          'What we sell',
          'Shop Inc.',
          'Privacy policy',
          LOOK.logoDark,
          'content="noindex"',
        ])
          expect(collapsed).toContain(text);
        expect(collapsed).not.toContain('G-1');
        const more = ", expandedByDefault: true, showHistoricalData: false, description: 'All shops'";
        await write({ more: page(more, ', hidden: true') });
        await run('deploy', '--force');
        expect(await shown()).toMatchObject({
          cards: [
            {
              ...{
                name: 'Shops',
                description: 'All shops',
                expandedByDefault: true,
                showHistoricalData: false,
              },
              services: [{ name: 'Till', hidden: true }, catalogue],
            },
          ],
        });
        const expanded = await html();
        expect(expanded).toContain('<details class="card group" open><summary>');
        expect(expanded).toContain('All shops');
        expect(expanded).not.toMatch(/Till|class="bars"/);
      });

    if (version !== '8.23.2')
      it('names a group within a group, which a page cannot show', async () => {
        const before = await everything();
        const inner =
          "new StatusPageV3Component('inner', { statusPage, parent, type: 'GROUP', name: 'I', displayOrder: 3 })";
        await write({ more: page() + inner });
        expect(await refused('deploy', '--force')).toContain(
          '"inner": parentId is not supported for a group',
        );
        expect(await everything()).toBe(before);
      });
  });
});
