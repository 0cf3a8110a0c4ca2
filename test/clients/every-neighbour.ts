/** Calls the endpoints that published clients use beside the specification; see every-endpoint.ts. */
import { expect } from 'vitest';
import type { Endpoint } from '../../src/contract/index.ts';
import * as contract from '../../src/contract/index.ts';
import { cert, key } from '../client/certificate.ts';
import { everyType } from '../service/http/projects/project.ts';
import { byHand } from '../support/by-hand.ts';
import { packProject } from '../support/pack-project.ts';
import { type At, CHECK_BODIES, createDrive, type Drive, type EndpointName } from './every-endpoint.ts';

const endpoints: readonly Endpoint[] = Object.values(contract);

/** Reads everything that needs no ID: lists, and what concerns the account of the key. */
export async function driveLists(drive: Drive): Promise<void> {
  for (const { name, method, path, query, caller } of endpoints)
    if (method === 'GET' && !path.includes('{') && !query.required?.length && caller === undefined)
      await drive(name as EndpointName);
  await drive('listMetrics', { query: { checkType: 'URL' } });
}

/** Reads the account of the key and one of its runtimes, and creates a sign-in link and a client certificate. `accountId`: of the key. */
export async function driveAccount(drive: Drive, accountId: string): Promise<void> {
  await drive('getAccount', { params: { accountId } });
  await drive('getAccountNext', { params: { accountId } });
  await drive('getEntitlements', { params: { accountId } });
  await drive('listMembers', { params: { accountId } });
  await drive('createSignInLink', { body: {} });
  const [runtime] = await drive<{ readonly name: string }[]>('listRuntimes');
  await drive('getRuntime', { params: { id: runtime?.name } });
  const { id } = await drive('createClientCertificate', { body: { host: 'a.example', cert, key } });
  await drive('getClientCertificate', { params: { id } });
  await drive('deleteClientCertificate', { params: { id } });
}

/** Reads statuses, results, error groups and statistics of a failed check in a group. */
export async function driveStatistics(drive: Drive): Promise<void> {
  const { id: groupId } = await drive('createCheckGroupV2', { body: { name: 'Statistics' } });
  const dns = { name: 'counted', ...CHECK_BODIES.DNS, ...byHand(), groupId, retryStrategy: null };
  const { id: checkId } = await drive('createDnsCheck', { body: dns });
  const target = { checkId: [checkId] };
  const { sessions } = await drive<{ readonly sessions: readonly { readonly checkSessionId: string }[] }>(
    'triggerCheckSessionsV1',
    { body: { target } },
  );
  const checkSessionId = sessions[0]?.checkSessionId;
  await drive('awaitCheckSessionV1', { params: { checkSessionId }, query: { maxWaitSeconds: 30 } });
  await drive('getCheckSessionV1', { params: { checkSessionId } });
  const [result] = await drive<{ readonly id: string }[]>('listCheckResultsDeprecated', {
    params: { checkId },
  });
  await drive('getCheckResult', { params: { checkId, checkResultId: result?.id } });
  await drive('listResultAssets', { params: { checkId, checkResultId: result?.id } });
  await drive('getCheckStatus', { params: { checkId } });
  await drive('getCheckV2', { params: { id: checkId } });
  await drive('getCheckV3', { params: { id: checkId } });
  await drive('listGroupChecks', { params: { id: groupId } });
  await drive('listGroupChecksV2', { params: { id: groupId } });
  await drive('getGroupCheck', { params: { groupId, checkId } });
  await drive('getGroupCheckV2', { params: { groupId, checkId } });
  const [errorGroup] = await drive<{ readonly id: string }[]>('listErrorGroups', { params: { checkId } });
  await drive('getErrorGroup', { params: { id: errorGroup?.id } });
  await drive('listAlertsOfCheck', { params: { checkId } });
  await drive('summarizeChecks', { body: { checkIds: [checkId] } });
  for (const { name, path } of endpoints.filter((endpoint) => endpoint.name.endsWith('CheckAnalytics'))) {
    const [, type = ''] = /^get(\w+)CheckAnalytics$/.exec(name) ?? [];
    const checks = await drive<{ readonly id: string; readonly checkType: string }[]>('listChecks', {
      query: { limit: 100 },
    });
    const id = checks.find((check) => check.checkType.replace('_', '') === type.toUpperCase())?.id;
    if (id === undefined) throw new Error(`no check for ${path}`);
    const metrics = ['availability'];
    await drive(name as EndpointName, { params: { id }, query: { metrics } });
    if (type === 'Playwright') await drive('listSuiteTests', { params: { id } });
  }
  const channel = { type: 'EMAIL', config: { address: 'ops@example.com' } };
  const { id: channelId } = await drive('createAlertChannel', { body: channel });
  await drive('updateAlertChannelSubscription', {
    params: { id: channelId },
    body: { checkId, activated: true },
  });
}

/** Adds an update to an incident, and subscribers and a rule to its page. */
export async function drivePageDetails(drive: Drive): Promise<void> {
  const { id: serviceId } = await drive('createService', { body: { name: 'Search' } });
  const services = [{ id: serviceId }];
  const page = {
    ...{ name: 'Search', url: 'search', customDomain: 'status.search.test' },
    cards: [{ name: 'All', services }],
  };
  const { id: statusPageId } = await drive('createStatusPage', { body: page });
  await drive('verifyStatusPageDomain', { params: { statusPageId } });
  const { dashboardId } = await drive<{ readonly dashboardId: string }>('createDashboard', {
    body: { header: 'Search', customDomain: 'wall.search.test' },
  });
  await drive('verifyDashboardDomain', { params: { dashboardId } });
  const subscriptions = [{ type: 'EMAIL', config: 'ada@example.com' }];
  await drive('createPageSubscriptions', {
    params: { statusPageId },
    body: { subscriptions, autoVerify: true },
  });
  const [subscription] = await drive<{ readonly id: string }[]>('listPageSubscriptions', {
    params: { statusPageId },
  });
  await drive('deletePageSubscription', { params: { statusPageId, subscriptionId: subscription?.id } });
  const rule = {
    ...{ name: 'Search fails', statusPageId, tags: ['search'], enabled: true, notifySubscribers: false },
    ...{ firstUpdate: 'We look into it', lastUpdate: 'It works again', coolDownWindowMinutes: 10 },
    components: [{ componentId: serviceId, targetImpact: 'PARTIAL_OUTAGE' }],
  };
  const { id: ruleId } = await drive('createAutomationRule', { body: rule });
  await drive('getAutomationRule', { params: { id: ruleId } });
  await drive('listAutomationRules');
  await drive('updateAutomationRule', { params: { id: ruleId }, body: rule });
  await drive('deleteAutomationRule', { params: { id: ruleId } });
  const { id } = await drive('createIncident', {
    body: {
      ...{ name: 'Slow search', severity: 'MINOR', services },
      incidentUpdates: [{ description: 'We look into it', status: 'INVESTIGATING' }],
    },
  });
  const update = { description: 'We found it', status: 'IDENTIFIED', notifySubscribers: false };
  const { id: updateId } = await drive('createIncidentUpdate', { params: { id }, body: update });
  await drive('listIncidentUpdates', { params: { id } });
  await drive('getIncidentUpdate', { params: { id, updateId } });
  await drive('updateIncidentUpdate', { params: { id, updateId }, body: update });
  await drive('deleteIncidentUpdate', { params: { id, updateId } });
  await drive('patchIncident', { params: { id }, body: { severity: 'MAJOR' } });
}

/** Reads a result of a test session. */
export async function driveTestResult(drive: Drive): Promise<void> {
  const body = { name: 'tested', ...CHECK_BODIES.DNS, ...byHand(), retryStrategy: null };
  const { id: checkId } = await drive('createDnsCheck', { body });
  const { testSessionId } = await drive('triggerTestSessions', {
    body: { name: 'before release', runLocation: 'eu-west-1', target: { checkId: [checkId] } },
  });
  const { results } = await drive<{ readonly results: readonly { readonly testSessionResultId: string }[] }>(
    'awaitTestSession',
    { params: { testSessionId }, query: { maxWaitSeconds: 30 } },
  );
  const testSessionResultId = results[0]?.testSessionResultId;
  await drive('getTestSessionResult', { params: { testSessionId, testSessionResultId } });
  const [group] = await drive<{ readonly id: string }[]>('listTestErrorGroups');
  const params = { id: group?.id };
  await drive('getTestErrorGroup', { params });
  await drive('updateTestErrorGroup', { params, body: { archivedUntilNextEvent: true } });
  await drive('listTestResultAssets', { params: { testSessionId, testSessionResultId } });
}

/** Pings a heartbeat, and reads its events. `url`: the address of the service. */
export async function driveHeartbeat(drive: Drive, url: string): Promise<void> {
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' };
  const { id: checkId, heartbeat: created } = await drive<{
    readonly id: string;
    readonly heartbeat: { readonly pingUrl: string };
  }>('createHeartbeatCheck', { body: { name: 'nightly backup', heartbeat } });
  const { ok } = await fetch(url + new URL(created.pingUrl).pathname, { method: 'POST' });
  if (!ok) throw new Error('the ping was refused');
  const params = { checkId };
  const [listed] = await drive<{ readonly events: readonly { readonly id: string }[] }[]>(
    'listHeartbeatEvents',
    { params },
  );
  await drive('getHeartbeatEvent', { params: { checkId, id: listed?.events[0]?.id } });
  await drive('getHeartbeatAvailability', { params });
}

/** Deploys a project with a resource of every type, reads its deployment, and deletes it. */
export async function driveProjects(drive: Drive): Promise<void> {
  const { project } = everyType;
  const { logicalId } = project;
  const { id: deploymentId } = await drive('deployProject', { body: everyType });
  const params = { logicalId, deploymentId };
  await drive('getDeployment', { params });
  await drive('awaitDeployment', { params });
  await drive('cancelDeployment', { params });
  await drive('streamDeploymentEvents', { params });
  const { id: projectId } = await drive('createProject', { body: { name: 'Empty', logicalId: 'empty' } });
  await drive('listProjectTestErrorGroups', { params: { projectId } });
  await drive('getProject', { params: { logicalId } });
  await drive('deleteProject', { params: { logicalId } });
}

/**
 * Starts test sessions as published clients do: of a stored check, and of one that the request contains. Uploads a project to
 * `serviceUrl`, because Prism reads every body as text.
 */
export async function driveDetachedRuns(at: At, serviceUrl: string): Promise<void> {
  const drive = createDrive(at);
  const uploaded = await fetch(`${serviceUrl}/next/checkly-storage/upload-code-bundle`, {
    method: 'POST',
    headers: { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(await packProject({ 'a.spec.ts': 'test();' })),
  });
  expect(uploaded.status).toBe(200);
  const { key } = (await uploaded.json()) as { key: string };
  await drive('peekProjectArchive', { body: { key } });
  const shared = { name: 'detached', runLocation: { type: 'PUBLIC', region: 'eu-west-1' } };
  const dns = { name: 'detached', ...CHECK_BODIES.DNS, ...byHand() };
  const { id } = await drive('createDnsCheck', { body: dns });
  const { testSessionId } = await drive('triggerPublishedTests', { body: { ...shared, checkId: [id] } });
  await drive('getTestSessionLink', { params: { testSessionId } });
  const job = { ...dns, logicalId: 'detached', checkType: 'DNS' };
  const { schedulingId } = await drive('runProjectChecks', { body: { ...shared, checkRunJobs: [job] } });
  await drive('awaitRunScheduling', { params: { schedulingId } });
}

/** Creates two resources in one request. */
export async function driveBatch(drive: Drive): Promise<void> {
  const createSnippet = (name: string) => ({ operation: 'createSnippet', body: { name, script: '' } });
  await drive('runBatch', { body: { requests: [createSnippet('First'), createSnippet('Second')] } });
}
