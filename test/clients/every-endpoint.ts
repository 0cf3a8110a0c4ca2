/** Calls every endpoint of the contract with success, in an order in which each finds what it needs. */
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../src/contract/index.ts';
import * as contract from '../../src/contract/index.ts';
import type { CheckBodies } from '../../src/service/store/checks.ts';
import { byHand } from '../support/by-hand.ts';
import { call } from '../support/call.ts';

export type EndpointName = keyof typeof contract;
const endpoints: Readonly<Record<EndpointName, Endpoint>> = { ...contract };
type Answered = Readonly<Record<string, unknown>>;
type Input = { readonly params?: object; readonly query?: object; readonly body?: unknown };

/** Who calls, and where. */
export interface At {
  readonly url: string;
  readonly apiKey: string;
}
export type Drive = <T = Answered>(name: EndpointName, input?: Input) => Promise<T>;

export const createDrive =
  (at: At): Drive =>
  async <T>(name: EndpointName, input: Input = {}) =>
    (await call(at, endpoints[name], input as never)) as T;

const ARCHIVE = Buffer.from('PK\x03\x04 a project', 'latin1').toString('base64');
const VARIABLES = [
  { key: 'MODE', value: 'test' },
  { key: 'TOKEN', value: 'secret word', secret: true },
];
const request = { url: 'http://127.0.0.1:9/' };
/** The least that creates a check of each type, but for a Playwright check, which needs an uploaded project. */
export const CHECK_BODIES: { readonly [T in Exclude<keyof CheckBodies, 'PLAYWRIGHT'>]: object } = {
  AGENTIC: { prompt: 'Open the shop' },
  API: {
    request: { ...request, method: 'GET', basicAuth: { username: 'ada', password: 'secret word' } },
    environmentVariables: VARIABLES,
  },
  BROWSER: { script: 'await page.goto("http://127.0.0.1:9/")', environmentVariables: VARIABLES },
  DNS: { request: { query: 'example.org' }, heartbeat: {}, script: '' },
  HEARTBEAT: { heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' } },
  ICMP: { request: { hostname: 'example.org' } },
  MULTI_STEP: { script: 'await request.get("http://127.0.0.1:9/")' },
  SSL: { request: { sslConfig: { hostname: 'example.org' } } },
  TCP: { request: { hostname: '127.0.0.1', port: 9 } },
  URL: { request },
};

const isUpdate = /^update(\w+)Check$/;

/** Creates a check of every type, and updates each over the endpoint of its type. */
export async function driveChecks(drive: Drive): Promise<void> {
  const { id: codeBundleId } = await drive('uploadCodeBundle', { body: { archive: ARCHIVE } });
  const bodies = Object.entries({ ...CHECK_BODIES, PLAYWRIGHT: { codeBundleId } });
  for (const [checkType, body] of bodies) {
    const own = { name: `a ${checkType} check`, ...body };
    const { id } = await drive('createCheck', { body: { checkType, ...own, activated: false } });
    await drive('getCheck', { params: { id } });
    await drive('getCheckBadges', { params: { id } });
    await drive('updateCheck', { params: { id }, body: { name: `the ${checkType} check` } });
    await drive('deleteCheck', { params: { id } });
  }
  for (const update of Object.keys(endpoints).filter(
    (name) => isUpdate.test(name) && name !== 'updateCheck',
  )) {
    const create = update.replace('update', 'create') as EndpointName;
    const { path } = endpoints[create];
    const [, body] =
      bodies.find(([type]) => path === `/v1/checks/${type.toLowerCase().replace('_', '')}`) ?? [];
    if (body === undefined) throw new Error(`no body for ${create}`);
    const { id } = await drive(create, { body: { name: 'typed', ...body, activated: false } });
    await drive(update as EndpointName, {
      params: { id },
      body: { name: 'typed again', ...body, activated: false },
    });
  }
  await drive('listChecks');
}

/** Creates, reads, lists, replaces and deletes resources that need no other. */
export async function driveResources(drive: Drive): Promise<void> {
  const snippet = { name: 'log in', script: 'return 1' };
  const { id: snippetId } = await drive('createSnippet', { body: snippet });
  await drive('getSnippet', { params: { id: snippetId } });
  await drive('listSnippets');
  await drive('updateSnippet', { params: { id: snippetId }, body: snippet });
  await drive('deleteSnippet', { params: { id: snippetId } });

  await drive('createVariable', { body: { key: 'SHOP', value: 'one' } });
  await drive('getVariable', { params: { key: 'SHOP' } });
  await drive('listVariables');
  await drive('updateVariable', { params: { key: 'SHOP' }, body: { key: 'SHOP', value: 'two' } });
  await drive('deleteVariable', { params: { key: 'SHOP' } });

  const dashboard = { header: 'Shop', customUrl: 'shop' };
  const { dashboardId, id: number } = await drive('createDashboard', { body: dashboard });
  await drive('getDashboard', { params: { dashboardId } });
  await drive('listDashboards');
  await drive('updateDashboard', { params: { dashboardId }, body: dashboard });
  await drive('createDashboardKey', { params: { dashboardId } });
  await driveDashboardIncidents(drive, number);
  await drive('deleteDashboard', { params: { dashboardId } });

  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const window = { name: 'upgrade', startsAt: inHours(1), endsAt: '2099-01-02', repeatUnit: null };
  const { id } = await drive('createMaintenanceWindow', { body: window });
  await drive('getMaintenanceWindow', { params: { id } });
  await drive('listMaintenanceWindows');
  await drive('updateMaintenanceWindow', { params: { id }, body: window });
  await drive('startMaintenanceWindow', { params: { id } });
  await drive('endMaintenanceWindow', { params: { id } });
  await drive('deleteMaintenanceWindow', { params: { id } });
  await driveMaintenances(drive, window);

  const settings = await drive('getAccountAlertSettings');
  await drive('updateAccountAlertSettings', { body: settings });
  await drive('updateSecretDetection', { body: await drive('getSecretDetection') });
  await drive('updatePublicBadges', { body: await drive('getPublicBadges') });
  await drive('listStaticIpsByRegion');
}

/** Moves and cancels the only repetition of a window, which then never opens. */
async function driveMaintenances(drive: Drive, window: object): Promise<void> {
  const { id } = await drive('createMaintenanceWindow', { body: window });
  const [only] = await drive<readonly Answered[]>('listMaintenances', { params: { id } });
  const params = { id, maintenanceId: only?.id };
  await drive('getMaintenance', { params });
  await drive('updateMaintenance', { params, body: { endsAt: '2099-01-03' } });
  await drive('deleteMaintenance', { params });
}

/** Opens an incident of a dashboard, adds an update, and deletes both. */
async function driveDashboardIncidents(drive: Drive, dashboardId: unknown): Promise<void> {
  const update = { description: 'We look into it', status: 'INVESTIGATING' };
  const { id } = await drive('createDashboardIncident', {
    body: { name: 'Slow', impact: 'MAJOR', dashboardId, incidentUpdates: [update] },
  });
  await drive('getDashboardIncident', { params: { id }, query: { includeAllIncidentUpdates: true } });
  await drive('updateDashboardIncident', { params: { id }, body: { name: 'Slow', impact: 'MINOR' } });
  const { id: updateId } = await drive('createDashboardIncidentUpdate', { params: { id }, body: update });
  await drive('updateDashboardIncidentUpdate', {
    params: { id, updateId },
    body: { description: 'We look into it again' },
  });
  await drive('deleteDashboardIncidentUpdate', { params: { id, updateId } });
  await drive('deleteDashboardIncident', { params: { id } });
}

/** Publishes a status page with an incident, and deletes all of it. */
export async function driveStatusPages(drive: Drive): Promise<void> {
  const { id: serviceId } = await drive('createService', { body: { name: 'Checkout' } });
  await drive('getService', { params: { id: serviceId } });
  await drive('listServices');
  await drive('updateService', { params: { id: serviceId }, body: { name: 'Basket' } });
  const page = { name: 'Shop', url: 'shop', cards: [{ name: 'All', services: [{ id: serviceId }] }] };
  const { id: statusPageId } = await drive('createStatusPage', { body: page });
  await drive('getStatusPage', { params: { statusPageId } });
  await drive('listStatusPages');
  await drive('updateStatusPage', { params: { statusPageId }, body: page });
  await drive('updateStatusPageAccess', {
    params: { statusPageId },
    body: { isPrivate: true, newKey: true },
  });

  const step = (status: string) => ({ description: 'We look into it', status });
  const incident = { name: 'Slow', severity: 'MAJOR', services: [{ id: serviceId }] };
  const { id } = await drive('createIncident', {
    body: { ...incident, incidentUpdates: [step('INVESTIGATING')] },
  });
  await drive('getIncident', { params: { id } });
  await drive('listIncidents');
  await drive('updateIncident', {
    params: { id },
    body: { ...incident, incidentUpdates: [step('INVESTIGATING'), step('RESOLVED')] },
  });
  await drive('deleteIncident', { params: { id } });
  await drive('deleteStatusPage', { params: { statusPageId } });
  await drive('deleteService', { params: { id: serviceId } });
}

interface Started {
  readonly sessions: readonly { readonly checkSessionId: string }[];
}

/** Sends an alert of a failed check, groups checks, and runs them by every means. `webhook`: a URL that answers. */
export async function driveRuns(drive: Drive, webhook: string): Promise<void> {
  const channel = { type: 'WEBHOOK', config: { name: 'hook', url: webhook, method: 'POST' } };
  const { id: channelId } = await drive('createAlertChannel', { body: channel });
  await drive('getAlertChannel', { params: { id: channelId } });
  await drive('listAlertChannels');
  await drive('updateAlertChannel', { params: { id: channelId }, body: channel });
  await drive('testAlertChannel', { params: { id: channelId } });

  const { id: groupId } = await drive('createCheckGroup', { body: { name: 'Shop' } });
  await drive('getCheckGroup', { params: { id: groupId } });
  await drive('getGroupBadges', { params: { id: groupId } });
  await drive('listCheckGroups');
  await drive('updateCheckGroup', { params: { id: groupId }, body: { name: 'Shop' } });
  await drive('updateCheckGroupV2', { params: { id: groupId }, body: { name: 'Shop' } });
  await drive('createGroupTrigger', { params: { groupId } });
  await drive('getGroupTrigger', { params: { groupId } });
  await drive('deleteGroupTrigger', { params: { groupId } });
  await drive('createGithubWebhook');
  await drive('getGithubWebhook');
  const repository = { repoId: 42, repoName: 'acme/storefront' };
  const { id: triggerId } = await drive('createDeploymentTrigger', { body: { ...repository, groupId } });
  await drive('listDeploymentTriggers');
  await drive('deleteDeploymentTrigger', { params: { id: triggerId } });

  const body = { name: 'fails', ...CHECK_BODIES.DNS, ...byHand(), groupId, retryStrategy: null };
  const subscriptions = { alertChannelSubscriptions: [{ alertChannelId: channelId, activated: true }] };
  const { id: checkId } = await drive('createDnsCheck', { body: { ...body, ...subscriptions } });
  await drive('createCheckTrigger', { params: { checkId } });
  await drive('getCheckTrigger', { params: { checkId } });
  await drive('deleteCheckTrigger', { params: { checkId } });

  const target = { checkId: [checkId] };
  const { sessions } = await drive<Started>('triggerCheckSessions', { body: { target } });
  const checkSessionId = sessions[0]?.checkSessionId;
  await drive('awaitCheckSession', { params: { checkSessionId }, query: { maxWaitSeconds: 30 } });
  await drive('getCheckSession', { params: { checkSessionId } });
  await drive('listCheckSessions');
  await driveCancellation(drive);
  await drive('runCheckGroup', { params: { id: groupId } });
  await drive('listAlertNotifications');

  await drive('listCheckResults', { params: { checkId } });
  await drive('listCheckResultsDeprecated', { params: { checkId } });
  await drive('listCheckRollUps', { params: { checkId } });
  const [errorGroup] = await drive<Answered[]>('listErrorGroups', { params: { checkId } });
  await drive('updateErrorGroup', { params: { id: errorGroup?.id }, body: { archivedUntilNextEvent: true } });

  const test = { name: 'before release', runLocation: 'eu-west-1', target };
  const { testSessionId } = await drive('triggerTestSessions', { body: test });
  await drive('awaitTestSession', { params: { testSessionId }, query: { maxWaitSeconds: 30 } });
  await drive('getTestSession', { params: { testSessionId } });
  await drive('listTestSessions');

  await drive('deleteCheckGroup', { params: { id: groupId }, query: { force: true } });
  await drive('deleteAlertChannel', { params: { id: channelId } });
}

/** Cancels a session that no agent claims. */
async function driveCancellation(drive: Drive): Promise<void> {
  const { id } = await drive('createPrivateLocation', { body: { name: 'empty', slugName: 'empty' } });
  const place = { locations: null, privateLocations: ['empty'], ...byHand() };
  const body = { name: 'waits', ...CHECK_BODIES.DNS, ...place };
  const { id: checkId } = await drive('createDnsCheck', { body });
  const { sessions } = await drive<Started>('triggerCheckSessions', {
    body: { target: { checkId: [checkId] } },
  });
  await drive('cancelCheckSession', { params: { id: sessions[0]?.checkSessionId } });
  const test = { name: 'waits', runLocation: 'empty', target: { checkId: [checkId] } };
  const { testSessionId } = await drive('triggerTestSessions', { body: test });
  await drive('cancelTestSession', { params: { testSessionId } });
  await drive('deletePrivateLocation', { params: { id }, query: { force: true } });
}

/** Plays an agent of a private location: claims a run, delivers a file, and reports. */
export async function driveAgents(at: At): Promise<void> {
  const drive = createDrive(at);
  interface Location {
    readonly id: string;
    readonly keys: readonly { readonly rawKey: string }[];
  }
  const location = { name: 'office', slugName: 'office' };
  const { id, keys } = await drive<Location>('createPrivateLocation', { body: location });
  await drive('getPrivateLocation', { params: { id } });
  await drive('listPrivateLocations');
  const to = Math.ceil(Date.now() / 1000);
  await drive('getPrivateLocationMetrics', { params: { id }, query: { from: to - 60, to } });
  await drive('updatePrivateLocation', { params: { id }, body: { name: 'office' } });
  const key = await drive('createPrivateLocationKey', { params: { id } });
  await drive('deletePrivateLocationKey', { params: { id, keyId: key.id } });

  const { id: bundle } = await drive('uploadCodeBundle', { body: { archive: ARCHIVE } });
  await drive('listCodeBundles');
  await drive('getCodeBundle', { params: { id: bundle } });

  const asAgent = { url: at.url, apiKey: keys[0]?.rawKey ?? '' };
  const agent = createDrive(asAgent);
  const agentId = randomUUID();
  await agent('announceAgent', { body: { agentId, version: '1.0.0' } });
  const place = { locations: null, privateLocations: ['office'], retryStrategy: null, ...byHand() };
  const { id: checkId } = await drive('createDnsCheck', {
    body: { name: 'from the office', ...CHECK_BODIES.DNS, ...place },
  });
  await drive('triggerCheckSessions', { body: { target: { checkId: [checkId] } } });
  const { id: suiteId } = await drive('createPlaywrightCheck', {
    body: { name: 'suite', codeBundleId: bundle, privateLocations: ['office'], frequency: 1440 },
  });
  await drive('triggerCheckSessions', { body: { target: { checkId: [suiteId] } } });
  const ofSuite = { agentId, claimId: randomUUID(), capacity: 1, waitSeconds: 0, checkTypes: ['PLAYWRIGHT'] };
  await agent('claimRuns', { body: { ...ofSuite, runtimes: [] } });
  await agent('getRunCodeBundle', { params: { id: bundle } });
  const claimId = randomUUID();
  const wanted = { agentId, claimId, capacity: 1, waitSeconds: 0, checkTypes: ['DNS'], runtimes: [] };
  const { runs } = await agent<{ readonly runs: readonly { readonly id: number }[] }>('claimRuns', {
    body: wanted,
  });
  const runId = runs[0]?.id ?? 0;
  await agent('renewRuns', { body: { agentId, runs: [runId], waitSeconds: 0 } });

  const file = randomUUID();
  const bytes = Buffer.from('a picture');
  const query = new URLSearchParams({ offset: '0', agentId, claimId, runId: String(runId) });
  const response = await fetch(`${at.url}/v1/agents/artifacts/${file}?${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${asAgent.apiKey}`, 'content-type': 'application/octet-stream' },
    body: bytes,
  });
  if (!response.ok) throw new Error(`putRunArtifact answered ${response.status}: ${await response.text()}`);
  const now = Date.now();
  const report = {
    ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
    ...{ isNetworkError: false, isCancelled: false, responseTime: 12.5, errors: [], details: {} },
    ...{ startedAt: now - 20, stoppedAt: now - 5 },
  };
  const about = { id: file, kind: 'screenshot', name: 'cart.png', contentType: 'image/png' };
  const artifacts = [{ ...about, bytes: bytes.length }];
  const ids = { agentId, claimId, runId, resultId: randomUUID() };
  await agent('reportRun', { body: { ...ids, sentAt: now, artifacts, report } });
  // The service gives the file an ID of its own.
  const { assets } = await drive<{ readonly assets: readonly { readonly url: string }[] }>(
    'listResultAssets',
    {
      params: { checkId, checkResultId: ids.resultId },
    },
  );
  await drive('getArtifact', { params: { id: assets[0]?.url.split('/').at(-1) } });
  await agent('releaseRuns', { body: { agentId, keep: [] } });
  await drive('deletePrivateLocation', { params: { id }, query: { force: true } });
}
