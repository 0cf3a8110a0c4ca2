/** Deployments that GitHub reports: who may report them, and which checks they run, where. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import { byHand } from '../../../support/by-hand.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { violations } from './support.ts';

interface RunCheck {
  readonly name: string;
  readonly location: string;
  readonly request?: { readonly url: string };
  readonly baseUrl?: string | null;
}

/** What ran since the test began. */
let runs: RunCheck[] = [];
const recording: Runner<unknown> = async (check, { location }) => {
  runs.push({ ...(check as RunCheck), location });
  return {
    ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
    ...{ isNetworkError: false, responseTime: 1, errors: [], details: {} },
  };
};

let service: TestService;
let secret = '';
let path = '';
beforeAll(async () => {
  service = await startTestService({
    engine: { runners: { API: recording, URL: recording, BROWSER: recording } },
  });
  const webhook = await call(service, contract.createGithubWebhook, {});
  secret = webhook.secret;
  path = new URL(webhook.url, service.url).pathname;
});
afterAll(() => service.close());
beforeEach(() => {
  runs = [];
});

type TriggerBody = contract.BodyOf<typeof contract.createDeploymentTrigger>;
const REPOSITORY = { repoName: 'acme/storefront' };
let repositories = 1_000_000;
/** Creates a trigger of a repository of its own, and returns both. */
async function makeTrigger(body: Omit<TriggerBody, 'repoId' | 'repoName'>) {
  repositories += 1;
  const trigger = await call(service, contract.createDeploymentTrigger, {
    body: { ...REPOSITORY, repoId: repositories, ...body },
  });
  return { trigger, repoId: repositories };
}

/** Checks that only deployments run. */
const byDeployment = { retryStrategy: null, ...byHand() };
const makeUrlCheck = async (name: string, url: string) =>
  String(
    (await call(service, contract.createUrlCheck, { body: { ...byDeployment, name, request: { url } } })).id,
  );

const delivery = (repoId: number, status: object = {}) => ({
  deployment_status: {
    ...{ state: 'success', environment: 'Preview', environment_url: 'https://preview-7.example.com/x' },
    ...status,
  },
  repository: { id: repoId, full_name: 'acme/storefront' },
});
const sign = (body: string, key = secret) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

interface Outcome {
  readonly sessions: readonly { readonly checkSessionId: string }[];
  readonly skipped: readonly { readonly reason: string }[];
  readonly message?: string;
}

async function post(text: string, headers: Readonly<Record<string, string>> = {}, to = path) {
  const response = await fetch(service.url + to, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-github-event': 'deployment_status' },
      ...{ 'x-github-delivery': randomUUID(), 'x-hub-signature-256': sign(text) },
      ...headers,
    },
    body: text,
  });
  return { status: response.status, body: (await response.json()) as Outcome };
}

/** Reports a deployment and waits until its checks have run. */
async function report(body: object, headers: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const answer = await post(JSON.stringify(body), headers);
  expect(answer.status).toBe(200);
  for (const { checkSessionId } of answer.body.sessions)
    await call(service, contract.awaitCheckSession, {
      params: { checkSessionId },
      query: { maxWaitSeconds: 30 },
    });
  return answer.body;
}
const reasons = ({ skipped }: Outcome) => skipped.map(({ reason }) => reason);

describe('a deployment trigger', () => {
  it('is answered as published, once for each target, and listed until it is deleted', async () => {
    const checkId = await makeUrlCheck('Published', 'https://shop.example.com/');
    const body = { ...REPOSITORY, checkId, repoId: 42 };
    const created = await ask(service, contract.createDeploymentTrigger, { body });
    expect(created).toMatchObject({
      status: 201,
      body: {
        ...{ id: expect.any(Number), checkId, groupId: null, provider: 'GITHUB', repoId: '42' },
        ...{ repoName: 'acme/storefront', repoLink: '', useEnvironmentUrl: true, includeScreenshots: false },
        ...{ environmentRegexFilter: null, environmentUrlRegexFilter: null, runLocation: 'us-east-1' },
        ...{ created_at: expect.stringMatching(/Z$/), updated_at: null },
      },
    });
    const again = await call(service, contract.createDeploymentTrigger, { body: { ...body, repoId: 43 } });
    expect(again).toEqual(created.body);
    expect(await call(service, contract.listDeploymentTriggers, {})).toEqual([again]);
    const other = { ...service, ...(await service.newAccount()) };
    expect(await call(other, contract.listDeploymentTriggers, {})).toEqual([]);
    const params = { id: again.id };
    expect((await ask(other, contract.deleteDeploymentTrigger, { params })).status).toBe(404);
    expect((await ask(other, contract.createDeploymentTrigger, { body })).status).toBe(404);
    await call(service, contract.deleteDeploymentTrigger, { params });
    expect(await call(service, contract.listDeploymentTriggers, {})).toEqual([]);
  });

  it('needs one target that can be run, valid expressions and a known location', async () => {
    const checkId = await makeUrlCheck('Refused', 'https://shop.example.com/');
    const heartbeat = await call(service, contract.createHeartbeatCheck, {
      body: { name: 'h', heartbeat: { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'seconds' } },
    });
    const refused = async (body: object) => {
      const answer = await send(service, 'POST /v1/deployment-triggers', {
        ...REPOSITORY,
        repoId: 1,
        ...body,
      });
      return [answer.status, violations(answer.body).map(({ path: at }) => at)];
    };
    expect(await refused({})).toEqual([400, ['checkId']]);
    expect(await refused({ checkId, groupId: 1 })).toEqual([400, ['checkId']]);
    expect(await refused({ checkId: heartbeat.id })).toEqual([400, ['checkId']]);
    expect(await refused({ checkId, provider: 'GITLAB' })).toEqual([400, ['provider']]);
    expect(await refused({ checkId, environmentRegexFilter: '(', environmentUrlRegexFilter: '[' })).toEqual([
      400,
      ['environmentRegexFilter', 'environmentUrlRegexFilter'],
    ]);
    expect(await refused({ checkId, runLocation: 'moon' })).toEqual([400, ['runLocation']]);
    const unknown = { ...REPOSITORY, repoId: 1, groupId: 4711 };
    expect((await ask(service, contract.createDeploymentTrigger, { body: unknown })).status).toBe(404);
  });
});

describe('a webhook', () => {
  it('accepts only what its secret signed', async () => {
    const checkId = await makeUrlCheck('Signed', 'https://shop.example.com/');
    const { repoId } = await makeTrigger({ checkId });
    const text = JSON.stringify(delivery(repoId));
    const other = await service.newAccount();
    for (const signature of [
      '',
      sign(text, 'guess'),
      sign(`${text} `),
      sign(text).slice(7),
      `${sign(text)}0`,
    ])
      expect((await post(text, { 'x-hub-signature-256': signature })).status).toBe(401);
    for (const account of [other.accountId, 'none', '%00'])
      expect((await post(text, {}, `/integrations/github/${account}`)).status).toBe(401);
    // An account without a secret has no empty one.
    const unsigned = { 'x-hub-signature-256': sign(text, '') };
    expect((await post(text, unsigned, `/integrations/github/${other.accountId}`)).status).toBe(401);
    expect(runs).toEqual([]);
    expect((await report(delivery(repoId))).sessions).toHaveLength(1);
    expect(runs).toHaveLength(1);
  });

  it('accepts no signature of a secret that was replaced', async () => {
    const other = { ...service, ...(await service.newAccount()) };
    const read = () => call(other, contract.getGithubWebhook, {});
    expect((await read()).created_at).toBeNull();
    const first = await call(other, contract.createGithubWebhook, {});
    const second = await call(other, contract.createGithubWebhook, {});
    expect(await read()).toEqual({ url: first.url, created_at: expect.stringMatching(/Z$/) });
    const to = new URL(first.url, service.url).pathname;
    const status = async (key: string) =>
      (await post('{}', { 'x-hub-signature-256': sign('{}', key) }, to)).status;
    expect([await status(first.secret), await status(second.secret)]).toEqual([401, 200]);
  });

  it('runs the checks of a delivery once', async () => {
    const checkId = await makeUrlCheck('Once', 'https://shop.example.com/');
    const { repoId } = await makeTrigger({ checkId });
    const same = { 'x-github-delivery': randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => report(delivery(repoId), same)));
    expect(answers.map(({ sessions }) => sessions.length).sort()).toEqual([0, 0, 1]);
    expect((await report(delivery(repoId), same)).message).toBe('The delivery was received before');
    expect(runs).toHaveLength(1);
    expect((await report(delivery(repoId))).sessions).toHaveLength(1);
  });

  it('has no effect for other events and states, and refuses what is too large or no JSON', async () => {
    const checkId = await makeUrlCheck('Other', 'https://shop.example.com/');
    const { repoId } = await makeTrigger({ checkId });
    for (const event of ['ping', 'push', 'deployment'])
      expect(await report(delivery(repoId), { 'x-github-event': event })).toMatchObject({
        ...{ sessions: [], message: 'Only the event deployment_status has an effect' },
      });
    for (const state of ['failure', 'pending', 'in_progress', undefined])
      expect((await report(delivery(repoId, { state }))).message).toBe(
        'Only successful deployments have an effect',
      );
    for (const wrong of [[], 'x', null, { deployment_status: {} }, { ...delivery(repoId), repository: 7 }])
      expect((await post(JSON.stringify(wrong))).body.sessions).toEqual([]);
    expect((await post('payload=%7B%7D')).status).toBe(400);
    expect((await post(JSON.stringify(delivery(repoId)), { 'x-github-delivery': '' })).status).toBe(400);
    expect((await post(JSON.stringify({ pad: 'x'.repeat(1024 * 1024) }))).status).toBe(413);
    expect(runs).toEqual([]);
  });
});

describe('a successful deployment', () => {
  it('runs the checks of its repository whose filters match', async () => {
    const checkId = await makeUrlCheck('Filtered', 'https://shop.example.com/');
    const { repoId } = await makeTrigger({
      ...{ checkId, useEnvironmentUrl: false },
      ...{ environmentRegexFilter: '^(?:Preview|staging)$', environmentUrlRegexFilter: 'preview-\\d+\\.' },
    });
    expect((await report(delivery(repoId + 1000))).sessions).toEqual([]);
    expect(reasons(await report(delivery(repoId, { environment: 'Production' })))).toEqual([
      'The environment does not match',
    ]);
    expect(reasons(await report(delivery(repoId, { environment_url: 'https://www.example.com' })))).toEqual([
      'The environment URL does not match',
    ]);
    expect(reasons(await report(delivery(repoId, { environment_url: null })))).toEqual([
      'The environment URL does not match',
    ]);
    expect(runs).toEqual([]);
    const { sessions } = await report(delivery(repoId));
    const checkSessionId = sessions[0]?.checkSessionId ?? '';
    expect(await call(service, contract.getCheckSession, { params: { checkSessionId } })).toMatchObject({
      ...{ runSource: 'DEPLOYMENT', status: 'PASSED' },
    });
    expect(runs).toMatchObject([{ location: 'us-east-1', request: { url: 'https://shop.example.com/' } }]);
  });

  it('does not wait for an expression that takes too long', async () => {
    const checkId = await makeUrlCheck('Slow', 'https://shop.example.com/');
    // RE2 has no backreferences, so that the engine with backtracking runs this.
    const { repoId } = await makeTrigger({ checkId, environmentRegexFilter: '^(?=(a+)+$)(a)\\2*$' });
    const slow = delivery(repoId, { environment: `${'a'.repeat(5000)}!` });
    expect(reasons(await report(slow))).toEqual(['The filter of the environment could not be evaluated']);
    expect(runs).toEqual([]);
  });

  it('replaces the host of API and URL checks, and the base URL of scripts', async () => {
    const group = await call(service, contract.createCheckGroup, {
      body: {
        ...{ name: 'Shop', concurrency: 4, browserCheckDefaults: 'https://shop.example.com' },
        apiCheckDefaults: { url: 'https://api.example.com/v1' },
      },
    });
    const groupId = group.id ?? 0;
    const create = <E extends contract.Endpoint>(endpoint: E, body: object) =>
      call(service, endpoint, { body: { ...byDeployment, groupId, ...body } } as never);
    const request = (url: string) => ({ request: { url, method: 'GET' } });
    await create(contract.createUrlCheck, {
      name: 'url',
      request: { url: 'http://a.example.com:81/path?q=1' },
    });
    await create(contract.createApiCheck, { name: 'api', ...request('https://{{HOST}}/orders?a={{B}}') });
    await create(contract.createApiCheck, { name: 'base', ...request('{{GROUP_BASE_URL}}/items') });
    await create(contract.createApiCheck, { name: 'relative', ...request('/carts') });
    await create(contract.createBrowserCheck, { name: 'browser', script: 'x' });
    const { repoId } = await makeTrigger({ groupId, runLocation: 'eu-west-1' });
    expect((await report(delivery(repoId))).sessions).toHaveLength(5);
    const targets = runs.map(({ name, request: sent, baseUrl }) => [name, sent?.url ?? baseUrl]);
    expect(Object.fromEntries(targets)).toEqual({
      url: 'https://preview-7.example.com/path?q=1',
      api: 'https://preview-7.example.com/orders?a={{B}}',
      base: 'https://preview-7.example.com/items',
      relative: 'https://preview-7.example.com/v1/carts',
      browser: 'https://preview-7.example.com/x',
    });
    expect(new Set(runs.map(({ location }) => location))).toEqual(new Set(['eu-west-1']));
  });

  it.each([
    null,
    'ftp://example.com',
    'https://a:b@example.com',
    'no URL',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('runs nothing against the environment URL %j', async (environmentUrl) => {
    const checkId = await makeUrlCheck('No URL', 'https://shop.example.com/');
    const { repoId } = await makeTrigger({ checkId });
    const outcome = await report(delivery(repoId, { environment_url: environmentUrl }));
    expect(reasons(outcome)).toEqual(['The deployment has no environment URL']);
    expect(runs).toEqual([]);
  });

  it('runs no deactivated check, and the triggers of a deleted one are gone', async () => {
    const checkId = await makeUrlCheck('Off', 'https://shop.example.com/');
    const { repoId } = await makeTrigger({ checkId });
    await call(service, contract.updateUrlCheck, {
      params: { id: checkId },
      body: { activated: false },
    } as never);
    expect(reasons(await report(delivery(repoId)))).toEqual(['No check is active']);
    await call(service, contract.deleteCheck, { params: { id: checkId } });
    expect(await report(delivery(repoId))).toEqual({ sessions: [], skipped: [] });
  });
});
