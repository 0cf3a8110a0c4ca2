/** Accounts are kept apart: by whatever id of another account, any endpoint answers as if there were no such thing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers as answerShapes } from '../../../../src/contract/generated/answers.js';
import * as contract from '../../../../src/contract/index.ts';
import type { Runner, RunOutcome } from '../../../../src/runners/core/runner.ts';
import { cert, key } from '../../../client/certificate.ts';
import { ask, call } from '../../../support/call.ts';
import { type Leaves, leave } from '../../../support/left-files.ts';
import type { Answer } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { queryOf } from './any-request.ts';

const FAILED: RunOutcome = {
  hasFailures: true,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: 1,
  errors: ['not as it should be'],
  details: {},
};
const PICTURE: Leaves = {
  ...{ kind: 'screenshot', name: 'page.png', contentType: 'image/png' },
  contents: Buffer.from('picture'),
};
const DNS: Runner<unknown> = async (_, context) => ({
  ...FAILED,
  artifacts: await leave(context, [PICTURE]),
});
const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const namesOf = (endpoint: contract.Endpoint) => Object.keys(endpoint.params.properties ?? {});
/** Resources of the service, which every account sees, and an endpoint that answers as if the project was deleted already. */
const OF_ALL = ['getRuntime', 'deleteProject'];
/** No account's key opens what agents ask. */
const byId = endpoints.filter(
  ({ caller, ...endpoint }) => !caller && namesOf(endpoint).length > 0 && !OF_ALL.includes(endpoint.name),
);
/** The lists of the contract, and those without pages. */
const lists = endpoints.filter(
  ({ name, method, paging, caller }) =>
    method === 'GET' && !caller && (paging !== undefined || answerShapes[name]?.type === 'array'),
);
/** What an endpoint needs to get as far as looking for the thing. */
const BODIES: Readonly<Record<string, unknown>> = {
  updateStatusPage: { name: 'p', url: 'u', cards: [] },
  updateVariable: { value: 'v' },
  updateService: { name: 's' },
  createIncidentUpdate: { description: 'd' },
  createPageSubscriptions: { subscriptions: [{ type: 'EMAIL', config: 'a@example.com' }] },
  updateAlertChannelSubscription: { checkId: null, groupId: 1, activated: true },
  updateIncidentUpdate: { description: 'd' },
  updateMaintenance: { endsAt: '2099-01-01' },
  createDashboardIncidentUpdate: { description: 'd', status: 'MONITORING' },
  updateDashboardIncidentUpdate: { description: 'd' },
  updateCheckGroupV2: { name: 'g' },
};

let service: TestService;
let stranger: typeof service;
/** Everything by which a thing of the owner's can be named. */
const known = new Set<string | number>();
/** Checks of the other types. Few endpoints tell them apart, so they are not combined with everything. */
const ofOtherTypes: string[] = [];

function gather(value: unknown, name = ''): void {
  if (Array.isArray(value)) for (const item of value) gather(item, name);
  else if (typeof value === 'object' && value !== null)
    for (const [inner, item] of Object.entries(value)) gather(item, inner);
  else if (/(id|ids|key)$/i.test(name) && (typeof value === 'string' || typeof value === 'number'))
    known.add(value);
}

beforeAll(async () => {
  service = await startTestService({ engine: { runners: { DNS } } });
  stranger = { ...service, ...(await service.newAccount()) };
  const make = async <E extends contract.Endpoint>(endpoint: E, input: contract.Input<E>) => {
    const made = await call(service, endpoint, input);
    gather(made);
    return made;
  };
  const dns = {
    name: 'd',
    request: { query: 'example.com' },
    heartbeat: {},
    script: '',
    retryStrategy: null,
  };
  const { id: check } = await make(contract.createDnsCheck, { body: dns });
  const group = await make(contract.createCheckGroup, { body: { name: 'g' } });
  const { id: browser } = await make(contract.createBrowserCheck, {
    body: { name: 'b', script: 'x', activated: false, groupId: group.id ?? 0 },
  });
  const off = { name: 'o', activated: false };
  const hostname = 'example.com';
  const url = { ...off, request: { url: `https://${hostname}` } };
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'seconds' } as const;
  const other = async <E extends contract.Endpoint>(endpoint: E, input: contract.Input<E>) => {
    const { id } = (await call(service, endpoint, input)) as { readonly id?: string };
    ofOtherTypes.push(String(id));
  };
  await other(contract.createApiCheck, { body: url });
  await other(contract.createUrlCheck, { body: url });
  await other(contract.createTcpCheck, { body: { ...off, request: { hostname, port: 1 } } });
  await other(contract.createIcmpCheck, { body: { ...off, request: { hostname } } });
  await other(contract.createSslCheck, { body: { ...off, request: { sslConfig: { hostname } } } });
  await other(contract.createMultiStepCheck, { body: { ...off, script: 'x' } });
  await other(contract.createAgenticCheck, { body: { ...off, prompt: 'p' } });
  const beats = await make(contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
  await fetch(`${service.url}${new URL(beats.heartbeat?.pingUrl ?? '').pathname}`);
  gather(await call(service, contract.listHeartbeatEvents, { params: { checkId: beats.id ?? '' } }));
  await make(contract.createSnippet, { body: { name: 's', script: '' } });
  const bundle = await make(contract.uploadCodeBundle, {
    body: { archive: Buffer.from('PK\x03\x04 mine').toString('base64') },
  });
  await other(contract.createPlaywrightCheck, { body: { ...off, codeBundleId: bundle.id } });
  const location = await make(contract.createPrivateLocation, { body: { name: 'l', slugName: 'l' } });
  await make(contract.createPrivateLocationKey, { params: { id: location.id } });
  await make(contract.createAlertChannel, {
    body: { type: 'SLACK', config: { url: 'https://hooks.example.com/u' } },
  });
  await make(contract.createClientCertificate, { body: { host: 'a.test', cert, key } });
  const { id: componentId = '' } = await make(contract.createService, { body: { name: 's' } });
  const { id: statusPageId } = await make(contract.createStatusPage, {
    body: { name: 'p', url: 'mine', cards: [{ services: [{ id: componentId }] }] },
  });
  await make(contract.createAutomationRule, {
    body: {
      ...{ name: 'r', statusPageId, tags: ['t'], firstUpdate: 'f', lastUpdate: 'l' },
      components: [{ componentId, targetImpact: 'MAJOR_OUTAGE' }],
    },
  });
  const board = await make(contract.createDashboard, { body: {} });
  await make(contract.createDashboardIncident, {
    body: {
      ...{ name: 'i', dashboardId: board.id ?? 0 },
      incidentUpdates: [{ description: 'd', status: 'MONITORING' }],
    },
  });
  await make(contract.createVariable, { body: { key: 'MINE', value: 'v' } });
  await make(contract.createCheckTrigger, { params: { checkId: check ?? '' } });
  await make(contract.createGroupTrigger, { params: { groupId: group.id ?? 0 } });
  await make(contract.createDeploymentTrigger, {
    body: { checkId: check ?? '', repoId: 1, repoName: 'acme/storefront' },
  });
  const window = await make(contract.createMaintenanceWindow, {
    body: { name: 'w', startsAt: '2026-11-21', endsAt: '2026-11-22', repeatUnit: null },
  });
  gather(await call(service, contract.listMaintenances, { params: { id: window.id } }));
  await make(contract.createIncident, {
    body: {
      name: 'i',
      severity: 'MINOR',
      services: [],
      incidentUpdates: [{ description: 'd', status: 'MONITORING' }],
    },
  });
  await make(contract.deployProject, {
    body: { project: { logicalId: 'shop', name: 'Shop' }, resources: [] },
  });
  await make(contract.getProject, { params: { logicalId: 'shop' } });
  const started = await make(contract.triggerCheckSessions, { body: { target: { checkId: [check ?? ''] } } });
  for (const { checkSessionId } of started.sessions)
    await make(contract.awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds: 30 } });
  gather(
    await call(service, contract.listCheckResults, {
      params: { checkId: check ?? '' },
      query: { resultType: 'ALL' },
    }),
  );
  const { testSessionId } = await make(contract.triggerTestSessions, {
    body: { name: 't', runLocation: 'eu-west-1' },
  });
  await make(contract.awaitTestSession, { params: { testSessionId }, query: { maxWaitSeconds: 30 } });
  expect(known).toContain(browser);
});
afterAll(() => service.close());

/** Every way to fill in an endpoint's path with what is known. */
function waysTo(endpoint: contract.Endpoint): Record<string, string | number>[] {
  const names = namesOf(endpoint);
  const all = names.length === 1 ? [...known, ...ofOtherTypes] : [...known];
  return names.reduce<Record<string, string | number>[]>(
    (ways, name) => {
      const type = endpoint.params.properties?.[name]?.type === 'integer' ? 'number' : 'string';
      const fitting = all.filter((id) => typeof id === type);
      return ways.flatMap((way) => fitting.map((id) => ({ ...way, [name]: id })));
    },
    [{}],
  );
}

/** More at once would be more connections than the service accepts from one address. */
const BATCH = 100;
/** Sends a request for every way, and returns the answers in the order of the ways. */
async function askAll<W>(ways: readonly W[], send: (way: W) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < ways.length; from += BATCH)
    answers.push(...(await Promise.all(ways.slice(from, from + BATCH).map(send))));
  return answers;
}

/** `array`, or the names of the fields. */
const shapeOf = (body: unknown): string =>
  Array.isArray(body)
    ? 'array'
    : Object.keys(body as object)
        .toSorted()
        .join();

describe('what an account has', () => {
  it.each(
    byId.filter(({ method }) => method === 'GET').map((endpoint) => [endpoint.name, endpoint] as const),
  )('is found by its owner: %s', async (_, endpoint) => {
    const answers = await askAll(waysTo(endpoint), (params) =>
      ask(service, endpoint, { params, query: queryOf(endpoint) }),
    );
    expect(answers.map(({ status }) => status)).toContain(200);
  });

  it.each(lists.map((endpoint) => [endpoint.name, endpoint] as const))(
    'is listed in one shape, with or without the parameters of a page: %s',
    async (_, endpoint) => {
      const names = Object.keys(endpoint.query.properties ?? {});
      const pages = [{}, { limit: 1 }, { page: 1 }, { page: 1, limit: 1 }].filter((page) =>
        Object.keys(page).every((name) => names.includes(name)),
      );
      // Lists with a cursor are pages, all others are arrays.
      const expected = names.includes('nextId') ? 'entries,length,nextId' : 'array';
      const ways = waysTo(endpoint).flatMap((params) => pages.map((page) => ({ params, page })));
      const answers = await askAll(ways, ({ params, page }) =>
        ask(service, endpoint, { params, query: { ...queryOf(endpoint), ...page } }),
      );
      const shapes = answers.flatMap(({ status, body }) => (status === 200 ? [shapeOf(body)] : []));
      expect(new Set(shapes)).toEqual(new Set([expected]));
      expect(shapes.length).toBeGreaterThanOrEqual(pages.length);
    },
  );

  it.each(byId.map((endpoint) => [endpoint.name, endpoint] as const))(
    'is not there for another: %s',
    async (_, endpoint) => {
      const body = BODIES[endpoint.name] ?? (endpoint.body ? {} : undefined);
      const ways = waysTo(endpoint);
      const answers = await askAll(ways, (params) =>
        ask(stranger, endpoint, { params, body, query: queryOf(endpoint) }),
      );
      // An id of another kind may not even look like one of this kind.
      const found = answers.flatMap(({ status }, n) => ([400, 404].includes(status) ? [] : [ways[n]]));
      expect(found).toEqual([]);
    },
  );

  it.each(endpoints.filter(({ paging }) => paging).map((endpoint) => [endpoint.name, endpoint] as const))(
    'is in no list of another: %s',
    async (_, endpoint) => {
      for (const params of namesOf(endpoint).length > 0 ? waysTo(endpoint) : [{}]) {
        const text = JSON.stringify((await ask(stranger, endpoint, { params })).body);
        for (const id of known)
          if (typeof id === 'string' && !Object.values(params).includes(id))
            expect(text).not.toContain(`"${id}"`);
      }
    },
  );

  it.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    'is shown to nobody without a key: %s',
    async (_, endpoint) => {
      const params = waysTo(endpoint)[0] ?? {};
      for (const apiKey of [`${service.apiKey}x`, service.apiKey.slice(0, -1), service.apiKey.toUpperCase()])
        expect((await ask({ ...service, apiKey }, endpoint, { params })).status).toBe(401);
    },
  );
});
