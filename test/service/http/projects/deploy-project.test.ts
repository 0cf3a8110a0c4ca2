/** Projects that clients deploy as code: all of their resources change together, or none. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { changed, componentPage, everyType, type Project, without } from './project.ts';

/** A part of an automation rule. */
const rulePart = (ref: string, targetImpact: string) => ({ componentId: { ref }, targetImpact });

describe.each(['SQLite', 'Postgres'])('over %s', (database) => {
  let service: TestService;
  /** The account of a test. */
  let account: { readonly url: string; readonly apiKey: string };
  beforeAll(async () => {
    service = await startTestService(
      database === 'Postgres' ? { store: { url: await (await openPostgres()).createDatabase() } } : {},
    );
  });
  beforeEach(async () => {
    account = { url: service.url, ...(await service.newAccount()) };
  });
  afterAll(() => service.close());

  const deploy = (body: Project, query = {}) => ask(account, contract.deployProject, { body, query });
  /** Deploys a project and returns the IDs and actions by logical ID. */
  async function deployed(body: Project, query = {}) {
    const { diff = [], result } = await call(account, contract.deployProject, { body, query });
    return new Map((result?.diff ?? diff).map((change) => [change.logicalId, change]));
  }
  const destroyed = (query = {}) =>
    call(account, contract.deleteProject, { params: { logicalId: 'shop' }, query });

  const LISTS = [
    contract.listAlertChannels,
    contract.listAutomationRules,
    contract.listCheckGroups,
    contract.listChecks,
    contract.listDashboards,
    contract.listMaintenanceWindows,
    contract.listPrivateLocations,
    contract.listServices,
    contract.listSnippets,
    contract.listStatusPages,
    contract.listProjects,
  ];
  /** Everything that the account contains, as the API shows it. */
  async function everything(): Promise<string> {
    const query = { limit: 100 };
    const answers = await Promise.all(
      LISTS.map((list) => ask(account, list, list === contract.listProjects ? {} : { query })),
    );
    const text = JSON.stringify(answers.map(({ body }) => body));
    // Slugs are unique in the service, so that each test deletes its project.
    return text.replaceAll(/"nextRunAt":"[^"]*",?/g, '').replaceAll(/"status":"[a-z]+"/g, `"status":null`);
  }
  /** The requests that succeed have this action for every resource. */
  const actions = (changes: ReadonlyMap<string, { readonly action: string }>) => [
    ...new Set([...changes.values()].map(({ action }) => action)),
  ];

  describe('a project', () => {
    it('creates resources of every type, and the second time changes nothing', async () => {
      const first = await deployed(everyType);
      expect([...first.keys()].sort()).toEqual(everyType.resources.map(({ logicalId }) => logicalId).sort());
      expect(actions(first)).toEqual(['CREATE']);
      const state = await everything();
      const second = await deployed(everyType);
      expect(actions(second)).toEqual(['UPDATE']);
      expect(await everything()).toBe(state);
      await destroyed();
      expect(await everything()).toBe(JSON.stringify(LISTS.map((list) => emptyList(list))));
    });

    it('refers to its own resources', async () => {
      const changes = await deployed(everyType);
      const id = (logicalId: string) => changes.get(logicalId)?.physicalId;
      const read = (logicalId: string) =>
        call(account, contract.getCheck, { params: { id: String(id(logicalId)) } });
      expect(await read('dns')).toMatchObject({
        groupId: id('group'),
        triggerIncident: { serviceId: id('service') },
      });
      expect(await read('url')).toMatchObject({
        alertChannelSubscriptions: [{ alertChannelId: id('mail'), activated: true }],
        privateLocations: ['office'],
        retryStrategy: { onlyOn: ['NETWORK_ERROR'] },
      });
      expect(await read('browser')).toMatchObject({
        scriptPath: 'src/shop.spec.js',
        dependencies: everyType.sharedFiles,
      });
      // A project declares its subscriptions: other checks have none.
      expect(await read('tcp')).toMatchObject({ alertChannelSubscriptions: [] });
      const group = await call(account, contract.getCheckGroup, { params: { id: Number(id('group')) } });
      expect(group).toMatchObject({
        ...{ privateLocations: ['office'], doubleCheck: false, retryStrategy: 'FALLBACK' },
        alertChannelSubscriptions: [{ alertChannelId: id('mail') }],
      });
      const page = await call(account, contract.getStatusPage, {
        params: { statusPageId: String(id('page')) },
      });
      expect(page.cards).toMatchObject([{ name: 'Sites', services: [{ id: id('service') }] }]);
      await destroyed();
    });

    it('updates in place, and deletes what it no longer declares', async () => {
      const first = await deployed(everyType);
      const project = changed(without(everyType, 'tcp', 'url#mail'), 'dns', (dns) => ({
        ...dns,
        request: { recordType: 'AAAA', query: 'example.com' },
        groupId: null,
      }));
      const second = await deployed(project);
      expect(second.get('dns')).toEqual({ ...first.get('dns'), action: 'UPDATE' });
      expect(second.get('tcp')).toEqual({ ...first.get('tcp'), action: 'DELETE' });
      const params = { id: String(first.get('dns')?.physicalId) };
      const dns = await call(account, contract.getCheck, { params });
      expect(dns).toMatchObject({ request: { recordType: 'AAAA' }, groupId: null });
      const tcp = { id: String(first.get('tcp')?.physicalId) };
      expect((await ask(account, contract.getCheck, { params: tcp })).status).toBe(404);
      const url = { id: String(first.get('url')?.physicalId) };
      expect(await call(account, contract.getCheck, { params: url })).toMatchObject({
        alertChannelSubscriptions: [],
      });
      await destroyed();
    });

    it('removes a field that it no longer declares, and restores what was changed elsewhere', async () => {
      const described = changed(everyType, 'url', (url) => ({
        ...url,
        description: 'The shop',
        tags: ['a'],
      }));
      const params = { id: String((await deployed(described)).get('url')?.physicalId) };
      await deployed(everyType);
      expect(await call(account, contract.getCheck, { params })).toMatchObject({
        description: null,
        tags: [],
      });
      await call(account, contract.updateCheck, { params, body: { name: 'another' } });
      await deployed(everyType);
      expect(await call(account, contract.getCheck, { params })).toMatchObject({ name: 'url' });
      await call(account, contract.deleteCheck, { params });
      expect((await deployed(everyType)).get('url')).toMatchObject({ action: 'CREATE' });
      await destroyed();
    });

    it('keeps removed resources if asked to', async () => {
      const first = await deployed(everyType);
      const second = await deployed(without(everyType, 'tcp'), { preserveResources: true });
      expect(second.get('tcp')).toEqual({ ...first.get('tcp'), action: 'DETACHED' });
      const params = { id: String(first.get('tcp')?.physicalId) };
      await destroyed();
      expect((await ask(account, contract.getCheck, { params })).status).toBe(200);
    });

    it('is deployed once at a time', async () => {
      await deployed(without(everyType, 'tcp'));
      const both = await Promise.all([deployed(everyType), deployed(everyType)]);
      expect(both.map((changes) => changes.get('tcp')?.action).sort()).toEqual(['CREATE', 'UPDATE']);
      const checks = await call(account, contract.listChecks, { query: { search: 'tcp' } });
      expect(checks).toHaveLength(1);
      await destroyed();
    });

    it('may give the address of a removed page to a new one', async () => {
      await deployed(everyType);
      const renamed = {
        ...everyType,
        resources: everyType.resources.map((one) =>
          one.logicalId === 'page' ? { ...one, logicalId: 'new-page' } : one,
        ),
      };
      expect((await deployed(renamed)).get('new-page')).toMatchObject({ action: 'CREATE' });
      await destroyed();
    });
  });

  it('shows groups of components as cards, and components as services, in their order', async () => {
    await deployed(componentPage);
    const cards = async () => {
      const { entries } = await call(account, contract.listStatusPages, { query: { limit: 10 } });
      return entries[0]?.cards?.map(({ name, services }) => [name, services?.map((each) => each.name)]);
    };
    expect(await cards()).toEqual([
      [undefined, ['first']],
      ['Sites', ['front', 'mail']],
    ]);
    const again = await deployed(
      changed(without(componentPage, 'first'), 'mail', (mail) => ({ ...mail, displayOrder: 0 })),
    );
    expect([again.get('group')?.action, again.get('first')?.action]).toEqual(['UPDATE', 'DELETE']);
    expect(await cards()).toEqual([['Sites', ['mail', 'front']]]);
    await destroyed();
    expect(await call(account, contract.listServices, { query: { limit: 10 } })).toMatchObject({
      entries: [],
    });
  });

  describe('the fields of a page of version 3', () => {
    const links = {
      ...{ logo: 'https://shop.example/l.png', logoDark: 'https://shop.example/d.png' },
      privacyPolicyLink: 'https://shop.example/privacy',
      termsOfServiceLink: 'https://shop.example/terms',
      supportLink: 'https://shop.example/help',
      ...{ footerText: 'Shop Inc.', allowIndexing: false },
    };
    const full = changed(
      changed(
        changed(componentPage, 'page', (page) => ({ ...page, ...links, googleAnalyticsTag: 'G-1' })),
        'group',
        (group) => ({ ...group, description: 'All sites', configuration: { showHistoricalData: false } }),
      ),
      'front',
      (front) => ({
        ...front,
        ...{ description: 'The front', hidden: true, configuration: { showHistoricalData: false } },
      }),
    );
    const page = async () => {
      const { entries } = await call(account, contract.listStatusPages, { query: { limit: 10 } });
      return entries[0];
    };

    it('are stored, and removed if the project declares them no longer', async () => {
      await deployed(full);
      const stored = await page();
      expect(stored).toMatchObject(links);
      expect(stored).not.toHaveProperty('googleAnalyticsTag');
      expect(stored?.cards?.[1]).toMatchObject({
        ...{ name: 'Sites', description: 'All sites', expandedByDefault: false, showHistoricalData: false },
        services: [{ name: 'front', description: 'The front', hidden: true, showHistoricalData: false }, {}],
      });
      expect(stored?.cards?.[0]).not.toHaveProperty('expandedByDefault');
      expect(stored?.cards?.[0]).toMatchObject({ hidden: false, showHistoricalData: true });
      const before = await everything();
      await deployed(full);
      expect(await everything()).toBe(before);
      await deployed(componentPage);
      const after = await page();
      for (const field of Object.keys(links).filter((name) => name !== 'allowIndexing'))
        expect(after).not.toHaveProperty(field);
      expect(after?.allowIndexing).toBe(true);
      expect(Object.keys(after?.cards?.[1] ?? {}).sort()).toEqual([
        ...['created_at', 'expandedByDefault', 'hidden', 'id', 'name', 'services', 'showHistoricalData'],
        'updated_at',
      ]);
      expect(after?.cards?.[1]?.services?.[0]).toMatchObject({ name: 'front', hidden: false });
      expect(after?.cards?.[1]?.services?.[0]).not.toHaveProperty('description');
      await destroyed();
    });

    it('do not leave a service behind that became a group, and the other way around', async () => {
      const names = async () => {
        const { entries } = await call(account, contract.listServices, { query: { limit: 10 } });
        return entries.map(({ name }) => name).sort();
      };
      await deployed(componentPage);
      const retyped = changed(componentPage, 'first', (first) => ({ ...first, type: 'GROUP' }));
      const grouped = await deployed(retyped);
      expect(grouped.get('first')).toEqual({
        ...{ type: 'status-page-component', logicalId: 'first', action: 'UPDATE' },
      });
      expect(await names()).toEqual(['front', 'mail']);
      expect((await page())?.cards?.map(({ name }) => name)).toEqual(['first', 'Sites']);
      await deployed(retyped);
      const single = await deployed(componentPage);
      expect(single.get('first')).toMatchObject({ action: 'CREATE', physicalId: expect.any(String) });
      expect(await names()).toEqual(['first', 'front', 'mail']);
      await destroyed();
      expect(await names()).toEqual([]);
    });
  });

  it('creates, changes and deletes the automation rules of a page', async () => {
    const rules = async () =>
      (await call(account, contract.listAutomationRules, { query: { limit: 10 } })).entries;
    const changes = await deployed(componentPage);
    const components = [{ componentId: changes.get('front')?.physicalId, targetImpact: 'MAJOR_OUTAGE' }];
    const [created] = await rules();
    expect(created).toMatchObject({
      ...{ id: changes.get('rule')?.physicalId, statusPageId: changes.get('page')?.physicalId, components },
      ...{ name: 'Shop fails', enabled: true, notifySubscribers: true, coolDownWindowMinutes: 5 },
    });
    expect((await deployed(componentPage)).get('rule')?.action).toBe('UPDATE');
    expect(await rules()).toEqual([created]);
    const fields = { enabled: false, notifySubscribers: false, coolDownWindowMinutes: 0 };
    await deployed(
      changed(componentPage, 'rule', (rule) => ({
        ...{ ...rule, ...fields },
        components: [{ componentId: { ref: 'mail' }, targetImpact: 'PARTIAL_OUTAGE' }],
      })),
    );
    expect(await rules()).toMatchObject([
      {
        ...{ ...fields, id: created?.id },
        components: [{ componentId: changes.get('mail')?.physicalId, targetImpact: 'PARTIAL_OUTAGE' }],
      },
    ]);
    // The component goes together with its rule.
    const again = await deployed(without(componentPage, 'rule', 'mail'));
    expect([again.get('rule')?.action, again.get('mail')?.action]).toEqual(['DELETE', 'DELETE']);
    expect(await rules()).toEqual([]);
    await destroyed();
  });

  /** The answer of a list without resources. */
  function emptyList(list: (typeof LISTS)[number]): unknown {
    return list.paging === 'cursor' ? { length: 0, entries: [], nextId: null } : [];
  }

  describe('a dry run', () => {
    it('changes nothing, and answers the changes', async () => {
      const empty = await everything();
      const planned = await deployed(everyType, { dryRun: true });
      expect(planned.get('dns')).toEqual({ type: 'check', logicalId: 'dns', action: 'CREATE' });
      expect(await everything()).toBe(empty);
      await deployed(everyType);
      const state = await everything();
      const removal = await deployed(without(everyType, 'tcp'), { dryRun: true });
      expect(removal.get('tcp')).toMatchObject({ action: 'DELETE' });
      expect(await everything()).toBe(state);
      await destroyed({ dryRun: true });
      expect(await everything()).toBe(state);
      await destroyed();
    });
  });

  describe('a refused deployment', () => {
    const bad: [string, (project: Project) => Project, number, string][] = [
      [
        'an invalid field',
        (project) => changed(project, 'dns', (dns) => ({ ...dns, request: { query: '', recordType: 'A' } })),
        400,
        'check "dns": request.query must not be empty',
      ],
      [
        'a reference to nothing',
        (project) => changed(project, 'dns', (dns) => ({ ...dns, groupId: { ref: 'none' } })),
        400,
        'check "dns": groupId does not match any check-group of the project: "none"',
      ],
      [
        'an unknown type of check',
        (project) => changed(project, 'tcp', (tcp) => ({ ...tcp, checkType: 'GRPC' })),
        400,
        'check "tcp": checkType must be one of',
      ],
      [
        'a field with an effect that is missing here',
        (project) =>
          changed(project, 'browser', (fields) => ({
            ...fields,
            playwrightConfig: { use: { launchOptions: { args: ['--lang=de'] } } },
          })),
        400,
        'check "browser": playwrightConfig.use.launchOptions are not supported: set them in the test, with test.use()',
      ],
      [
        'an unknown option of Playwright',
        (project) =>
          changed(project, 'multi-step', (fields) => ({
            ...fields,
            playwrightConfig: { use: { storage: 'x' } },
          })),
        400,
        'check "multi-step": playwrightConfig.use.storage is not a known field',
      ],
      [
        'an unknown value of a security baseline',
        (project) =>
          changed(project, 'ssl', (ssl) => ({
            ...ssl,
            request: {
              sslConfig: {
                hostname: 'example.com',
                securityBaseline: { minTLSVersion: { value: 'TLS1.1' } },
              },
            },
          })),
        400,
        'check "ssl": request.sslConfig.securityBaseline.minTLSVersion.value must be one of TLS1.2, TLS1.3',
      ],
      [
        'a component with a wrong value',
        () => changed(componentPage, 'front', (fields) => ({ ...fields, hidden: 'yes' })),
        400,
        'status-page-component "front": hidden must be',
      ],
      [
        'a group with a wrong value',
        () =>
          changed(componentPage, 'group', (fields) => ({
            ...fields,
            configuration: { expandedByDefault: 1 },
          })),
        400,
        'status-page "page": cards[1].expandedByDefault must be',
      ],
      [
        'a component in a group of another page',
        () => ({
          ...componentPage,
          resources: [
            ...changed(componentPage, 'group', (group) => ({ ...group, statusPageId: { ref: 'other' } }))
              .resources,
            { type: 'status-page', logicalId: 'other', payload: { name: 'Other', url: 'other', version: 3 } },
          ],
        }),
        400,
        'parentId must refer to a group of the same status page',
      ],
      [
        'a group within a group',
        () => changed(componentPage, 'front', (fields) => ({ ...fields, type: 'GROUP' })),
        400,
        'status-page-component "front": parentId is not supported for a group',
      ],
      ...(
        [
          ['without tags', { tags: [] }, 'tags must have at least 1 item'],
          ['with an operational impact', { components: [rulePart('front', 'OPERATIONAL')] }, 'targetImpact'],
          [
            'with a group',
            { components: [rulePart('front', 'MAJOR_OUTAGE'), rulePart('group', 'MAJOR_OUTAGE')] },
            'components[1].componentId must not be a group: list the components of the group',
          ],
          [
            'with a component of another page',
            { statusPageId: { ref: 'other' } },
            'components[0].componentId does not match any service on a card of the status page',
          ],
        ] as const
      ).map(([what, fields, message]): (typeof bad)[number] => [
        `an automation rule ${what}`,
        () => {
          const other = { name: 'Other', url: 'other', version: 3 };
          const page = { type: 'status-page', logicalId: 'other', payload: other } as const;
          const project = changed(componentPage, 'rule', (rule) => ({ ...rule, ...fields }));
          return { ...project, resources: [...project.resources, page] };
        },
        400,
        message,
      ]),
      ...[
        [
          { type: 'CALL', config: { number: '+491' } },
          'type CALL is not supported: the service makes no phone',
        ],
        [
          { type: 'SLACK_APP', config: { slackChannels: ['C1'] } },
          'config.token is required: give the bot token of a Slack app, or set SONDE_SLACK_TOKEN',
        ],
      ].map(([payload, message]): (typeof bad)[number] => [
        `an alert channel: ${message}`,
        (project) => ({
          ...project,
          resources: [
            ...project.resources,
            { type: 'alert-channel', logicalId: 'new', payload: payload as Record<string, unknown> },
          ],
        }),
        400,
        `alert-channel "new": ${message}`,
      ]),
      [
        'an unknown field',
        (project) => changed(project, 'url', (url) => ({ ...url, naem: 'URL' })),
        400,
        'check "url": naem is not a known field',
      ],
      [
        'a resource that is declared twice',
        (project) => ({ ...project, resources: [...project.resources, ...project.resources.slice(0, 1)] }),
        400,
        'status-page-service "service": the project must not declare it twice',
      ],
      [
        'a missing file',
        (project) => ({ ...project, sharedFiles: [] }),
        400,
        'check "browser": dependencies[0] does not match any file in sharedFiles',
      ],
    ];
    it.each(bad)('changes nothing: %s', async (_, change, status, message) => {
      const empty = await everything();
      const answer = await deploy(change(everyType));
      expect(answer.status).toBe(status);
      expect((answer.body as { message: string }).message).toContain(message);
      expect(await everything()).toBe(empty);
    });

    it('names the resource of every invalid field, wherever it is in the list', async () => {
      const { resources } = everyType;
      for (const [index, { type, logicalId }] of resources.entries()) {
        const broken = resources.map((each, at) =>
          at === index ? { ...each, member: 'yes', payload: 1 } : each,
        );
        const answer = await send(account, 'POST /v1/projects/deploy', { ...everyType, resources: broken });
        const { message } = answer.body as { readonly message: string };
        expect(message).toContain(`${type} "${logicalId}": member must be`);
        expect(message).toContain(`${type} "${logicalId}": payload must be`);
        expect(message).not.toContain('resources[');
      }
      const component = { type: 'status-page-banner', logicalId: 'new' };
      const body = { ...everyType, resources: [...resources, component] };
      expect(await send(account, 'POST /v1/projects/deploy', body)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('status-page-banner "new": type must be one of') },
      });
    });

    it('names a resource outside of the project that uses a removed one', async () => {
      const serviceId = String((await deployed(everyType)).get('service')?.physicalId);
      const page = { name: 'Other', url: 'other', cards: [{ name: 'c', services: [{ id: serviceId }] }] };
      const { id } = await call(account, contract.createStatusPage, { body: page });
      const state = await everything();
      const answer = await ask(account, contract.deleteProject, { params: { logicalId: 'shop' } });
      expect(answer).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('in use by status page "Other"') },
      });
      expect(await everything()).toBe(state);
      await call(account, contract.deleteStatusPage, { params: { statusPageId: String(id) } });
      await destroyed();
    });

    it('refuses to change the type of a check', async () => {
      await deployed(everyType);
      const retyped = changed(everyType, 'tcp', (tcp) => ({
        ...tcp,
        checkType: 'ICMP',
        request: { hostname: 'example.com' },
      }));
      expect((await deploy(retyped)).body).toMatchObject({
        message:
          'check "tcp": checkType must be TCP, because it cannot change: give the new resource another logical ID',
      });
      await destroyed();
    });
  });

  describe('the deployments of a project', () => {
    it('can be read as a resource and as events, also after its deletion', async () => {
      const created = await call(account, contract.deployProject, { body: everyType });
      const params = { logicalId: 'shop', deploymentId: String(created.id) };
      for (const endpoint of [contract.getDeployment, contract.awaitDeployment, contract.cancelDeployment])
        expect((await ask(account, endpoint, { params })).body).toEqual(created);
      const headers = { authorization: `Bearer ${account.apiKey}` };
      const events = (id: string) =>
        fetch(`${account.url}/v1/projects/shop/deployments/${id}/events`, { headers });
      const stream = await events(params.deploymentId);
      expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(await stream.text()).toBe(`event: complete\ndata: ${JSON.stringify(created)}\n\n`);
      const deletion = await destroyed();
      expect(await (await events(String(deletion.id))).text()).toContain('"action":"DELETE"');
      expect((await ask(account, contract.getProject, { params: { logicalId: 'shop' } })).status).toBe(404);
      expect(await destroyed()).toEqual({});
    });

    it('are not shown to other accounts', async () => {
      const { id } = await call(account, contract.deployProject, { body: everyType });
      const other = { url: service.url, ...(await service.newAccount()) };
      const params = { logicalId: 'shop', deploymentId: String(id) };
      expect((await ask(other, contract.getDeployment, { params })).status).toBe(404);
      expect((await ask(other, contract.deleteProject, { params })).body).toEqual({});
      expect(await destroyed()).toMatchObject({ status: 'SUCCEEDED' });
    });
  });

  describe('a compressed body', () => {
    const send = (body: Buffer, encoding: string) =>
      fetch(`${account.url}/v1/projects/deploy?dryRun=true`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
          'content-encoding': encoding,
        },
        body: new Uint8Array(body),
      });
    it('is decompressed', async () => {
      expect((await send(gzipSync(JSON.stringify(everyType)), 'gzip')).status).toBe(200);
    });
    it('is refused if it is damaged, too large or compressed otherwise', async () => {
      expect((await send(Buffer.from('{}'), 'gzip')).status).toBe(400);
      expect((await send(Buffer.from('{}'), 'br')).status).toBe(415);
      const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, ' '));
      expect((await send(bomb, 'gzip')).status).toBe(413);
    });
  });
});
