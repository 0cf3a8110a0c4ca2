/** A project with a resource of every type, in the form in which clients publish it. */
import type { BodyOf, deployProject } from '../../../../src/contract/index.ts';

export type Project = BodyOf<typeof deployProject>;
type Resource = Project['resources'][number];

const resource = (type: Resource['type'], logicalId: string, payload: Record<string, unknown>): Resource => ({
  type,
  logicalId,
  member: true,
  payload,
});
const check = (logicalId: string, checkType: string, fields: Record<string, unknown>): Resource =>
  resource('check', logicalId, {
    name: logicalId,
    checkType,
    groupId: null,
    doubleCheck: false,
    useGlobalAlertSettings: true,
    runParallel: false,
    ...fields,
  });
const statusIs200 = {
  ...{ source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null },
};

export const everyType: Project = {
  project: { logicalId: 'shop', name: 'Shop', repoUrl: 'https://example.com/shop' },
  sharedFiles: [{ path: 'lib/title.js', content: "export const title = 'Shop'\n" }],
  repoInfo: { commitId: '5f3c' },
  resources: [
    resource('status-page-service', 'service', { name: 'Shop' }),
    resource('status-page', 'page', {
      ...{ name: 'Shop', url: 'shop', defaultTheme: 'AUTO' },
      cards: [{ name: 'Sites', services: [{ ref: 'service' }] }],
    }),
    resource('check-group', 'group', { name: 'Shop', tags: ['shop'], locations: ['eu-west-1'], v: 2 }),
    resource('check-group', 'older-group', { name: 'Old', environmentVariables: [] }),
    check('dns', 'DNS', {
      groupId: { ref: 'group' },
      request: { recordType: 'A', query: 'example.com' },
      triggerIncident: {
        ...{ serviceId: { ref: 'service' }, severity: 'MAJOR', name: 'Down' },
        ...{ description: 'We look into it', notifySubscribers: false },
      },
    }),
    check('url', 'URL', {
      retryStrategy: { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0, onlyOn: 'NETWORK_ERROR' },
      request: { url: 'https://example.com/', method: 'GET', assertions: [statusIs200] },
    }),
    check('tcp', 'TCP', { retryStrategy: null, request: { hostname: '127.0.0.1', port: 80 } }),
    check('icmp', 'ICMP', { request: { hostname: '127.0.0.1', pingCount: 3 } }),
    check('ssl', 'SSL', { request: { sslConfig: { hostname: 'example.com', port: 443 }, assertions: [] } }),
    check('heartbeat', 'HEARTBEAT', {
      heartbeat: { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' },
    }),
    check('api', 'API', {
      environmentVariables: [{ key: 'TOKEN', value: 'hidden', secret: true }],
      request: { url: 'https://example.com/', method: 'POST', body: '{}', bodyType: 'JSON' },
    }),
    check('browser', 'BROWSER', {
      ...{ script: "import { title } from '../lib/title.js'\n", scriptPath: 'src/shop.spec.js' },
      ...{ dependencies: [0], sslCheckDomain: null, environmentVariables: [] },
      playwrightConfig: {
        ...{ timeout: 30_000, expect: { timeout: 1000, toHaveScreenshot: {} } },
        use: {
          ...{ viewport: { width: 800, height: 600 }, launchOptions: {} },
          httpCredentials: { username: 'shop', password: 'open sesame' },
        },
      },
    }),
    check('multi-step', 'MULTI_STEP', { script: 'console.log(1)', environmentVariables: [] }),
    resource('alert-channel', 'mail', { type: 'EMAIL', config: { address: 'shop@example.com' } }),
    resource('alert-channel-subscription', 'group#mail', {
      ...{ alertChannelId: { ref: 'mail' }, groupId: { ref: 'group' }, activated: true },
    }),
    resource('alert-channel-subscription', 'url#mail', {
      ...{ alertChannelId: { ref: 'mail' }, checkId: { ref: 'url' }, activated: true },
    }),
    resource('maintenance-window', 'window', {
      ...{ name: 'Upgrade', tags: ['shop'] },
      ...{ startsAt: '2027-01-01T00:00:00.000Z', endsAt: '2027-01-02T00:00:00.000Z' },
    }),
    resource('private-location', 'office', { name: 'Office', slugName: 'office', icon: 'location' }),
    resource('private-location-check-assignment', 'url#office', {
      ...{ privateLocationId: { ref: 'office' }, checkId: { ref: 'url' } },
    }),
    resource('private-location-group-assignment', 'group#office', {
      ...{ privateLocationId: { ref: 'office' }, groupId: { ref: 'group' } },
    }),
    resource('snippet', 'snippet', { name: 'Sign in', script: 'console.log(1)' }),
    resource('dashboard', 'dashboard', { tags: ['shop'], customUrl: 'shop-board', showHeader: true }),
  ],
};

const component = (logicalId: string, displayOrder: number, fields: Record<string, unknown> = {}) =>
  resource('status-page-component', logicalId, {
    ...{ statusPageId: { ref: 'page' }, parentId: null, type: 'SERVICE', name: logicalId, displayOrder },
    ...fields,
  });

/** A page of version 3 with components and an automation rule. */
export const componentPage: Project = {
  project: { logicalId: 'shop', name: 'Shop' },
  resources: [
    resource('status-page', 'page', { name: 'Shop', url: 'shop', version: 3 }),
    component('mail', 2, { parentId: { ref: 'group' } }),
    component('group', 1, { type: 'GROUP', name: 'Sites' }),
    component('front', 1, { parentId: { ref: 'group' }, hidden: false }),
    component('first', 0),
    resource('status-page-automation-rule', 'rule', {
      ...{ statusPageId: { ref: 'page' }, name: 'Shop fails', tags: ['shop'] },
      ...{ firstUpdate: 'We look into it.', lastUpdate: 'It works again.' },
      components: [{ componentId: { ref: 'front' }, targetImpact: 'MAJOR_OUTAGE' }],
    }),
  ],
};

/** Returns the project with other fields in the payload of one resource. */
export const changed = (
  project: Project,
  logicalId: string,
  change: (payload: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): Project => ({
  ...project,
  resources: project.resources.map((one) =>
    one.logicalId === logicalId ? { ...one, payload: change(one.payload ?? {}) } : one,
  ),
});

/** Returns the project without some resources. */
export const without = (project: Project, ...logicalIds: readonly string[]): Project => ({
  ...project,
  resources: project.resources.filter(({ logicalId }) => !logicalIds.includes(logicalId)),
});
