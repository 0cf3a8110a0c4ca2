/** Checks of every type over the API: what the least body makes, what is refused, what stays hidden and what a change keeps. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { violations } from './support.ts';

let service: TestService;
let codeBundleId: string;
/** A folder with nothing but what every ZIP archive begins with. */
const ARCHIVE = Buffer.from('PK\x03\x04 a project').toString('base64');
beforeAll(async () => {
  service = await startTestService();
  ({ id: codeBundleId } = await call(service, contract.uploadCodeBundle, { body: { archive: ARCHIVE } }));
});
afterAll(() => service.close());

interface Sample {
  readonly type: string;
  readonly create: contract.Endpoint;
  readonly update: contract.Endpoint;
  readonly body: () => Readonly<Record<string, unknown>>;
  /** What the service adds of its own. */
  readonly filled: Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
  /** A body that is not taken, and the places that are named. */
  readonly wrong: readonly [Readonly<Record<string, unknown>>, readonly string[]];
}
const named = (body: Readonly<Record<string, unknown>>) => () => ({ name: 'c', ...body });
const heartbeat = { period: 5, periodUnit: 'minutes', grace: 30, graceUnit: 'seconds' };
const { createUrlCheck, updateUrlCheck, createTcpCheck, updateTcpCheck, createIcmpCheck } = contract;
const { updateIcmpCheck, createApiCheck, updateApiCheck } = contract;

const SAMPLES: readonly Sample[] = [
  {
    ...{ type: 'URL', create: createUrlCheck, update: updateUrlCheck },
    body: named({ request: { url: 'https://example.com/' } }),
    filled: {
      request: { method: 'GET', followRedirects: true, skipSSL: false, ipFamily: 'IPv4' },
      ...{ degradedResponseTime: 3000, maxResponseTime: 5000, frequency: 10 },
    },
    change: { frequency: 0, frequencyOffset: 10 },
    wrong: [
      {
        request: {
          url: 'ftp://example.com',
          assertions: [{ source: 'JSON_BODY', comparison: 'EQUALS', target: '' }],
        },
      },
      ['request.assertions[0].source', 'request.url'],
    ],
  },
  {
    ...{ type: 'TCP', create: createTcpCheck, update: updateTcpCheck },
    body: named({ request: { hostname: 'example.com', port: 22 } }),
    filled: { request: { ipFamily: 'IPv4' }, degradedResponseTime: 4000, maxResponseTime: 5000 },
    change: { request: { hostname: 'example.com', port: 25, data: 'QUIT\r\n' } },
    wrong: [
      { request: { hostname: 'https://example.com', port: 0 }, maxResponseTime: 5001 },
      ['maxResponseTime', 'request.hostname', 'request.port'],
    ],
  },
  {
    ...{ type: 'SSL', create: contract.createSslCheck, update: contract.updateSslCheck },
    body: named({ request: { sslConfig: { hostname: 'example.com' } } }),
    filled: {
      request: { sslConfig: { port: 443, ipFamily: 'IPv4', alertDaysBeforeExpiry: 20 } },
      ...{ degradedResponseTime: 3000, maxResponseTime: 10_000 },
    },
    change: { request: { sslConfig: { hostname: 'example.com', port: 465, skipChainValidation: true } } },
    wrong: [
      {
        request: {
          sslConfig: { hostname: 'https://example.com', port: 0 },
          assertions: [{ source: 'CERTIFICATE', comparison: 'GREATER_THAN', target: 'soon' }],
        },
        maxResponseTime: 30_001,
      },
      [
        'maxResponseTime',
        'request.assertions[0].target',
        'request.sslConfig.hostname',
        'request.sslConfig.port',
      ],
    ],
  },
  {
    ...{ type: 'ICMP', create: createIcmpCheck, update: updateIcmpCheck },
    body: named({ request: { hostname: '192.0.2.1' } }),
    filled: {
      request: { pingCount: 10, ipFamily: 'IPv4' },
      ...{ degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
    },
    change: { maxPacketLossThreshold: 50 },
    wrong: [
      {
        request: {
          ...{ hostname: 'example.com', pingCount: 51 },
          assertions: [{ source: 'PACKET_LOSS', comparison: 'EQUALS', target: 'none' }],
        },
      },
      ['request.assertions[0].target', 'request.pingCount'],
    ],
  },
  {
    ...{ type: 'API', create: createApiCheck, update: updateApiCheck },
    body: named({ request: { url: 'https://example.com/api' } }),
    filled: {
      request: { method: 'GET', bodyType: 'NONE', followRedirects: true },
      ...{ degradedResponseTime: 10_000, maxResponseTime: 20_000, setupSnippetId: null },
    },
    change: { request: { url: 'https://example.com/api', method: 'POST', body: '{}', bodyType: 'JSON' } },
    wrong: [{ request: { url: '/', method: 'TRACE' }, setupSnippetId: 77 }, ['request.method']],
  },
  {
    ...{ type: 'HEARTBEAT', create: contract.createHeartbeatCheck, update: contract.updateHeartbeatCheck },
    body: named({ heartbeat }),
    filled: {
      heartbeat: { ...heartbeat, pingUrl: expect.stringMatching(/\/ping\/[\da-f-]{36}$/), lastPingAt: null },
      nextRunAt: null,
    },
    change: { heartbeat: { ...heartbeat, period: 1, periodUnit: 'days' } },
    wrong: [
      {
        heartbeat: { period: 29, periodUnit: 'seconds', grace: 366, graceUnit: 'days' },
        locations: ['eu-west-1'],
      },
      ['heartbeat.grace', 'heartbeat.period', 'locations'],
    ],
  },
  {
    ...{ type: 'MULTI_STEP', create: contract.createMultiStepCheck, update: contract.updateMultiStepCheck },
    body: named({ script: 'await request.get(url)' }),
    filled: { frequency: 10, scriptPath: null, dependencies: null, environmentVariables: null },
    change: { script: 'await request.post(url)' },
    wrong: [{ script: '', frequency: 0 }, ['frequency', 'script']],
  },
  {
    ...{ type: 'PLAYWRIGHT', create: contract.createPlaywrightCheck, update: contract.updatePlaywrightCheck },
    body: () => ({ name: 'c', codeBundleId }),
    filled: { frequency: 10, pwProjects: [], installCommand: null, engine: null },
    change: { pwTags: ['@smoke'], engine: 'bun', engineVersion: '1.3' },
    wrong: [
      { codeBundleId: 'x', engine: 'deno', retryStrategy: null },
      ['codeBundleId', 'engine', 'retryStrategy'],
    ],
  },
  {
    ...{ type: 'AGENTIC', create: contract.createAgenticCheck, update: contract.updateAgenticCheck },
    body: named({ prompt: 'Buy a book and see that it is in the basket' }),
    filled: { frequency: 30 },
    change: { agentRuntime: { skills: ['shopping'] } },
    wrong: [{ prompt: '' }, ['prompt']],
  },
];

const create = (sample: Sample, more: object = {}) =>
  call(service, contract.createCheck, {
    body: { checkType: sample.type, ...sample.body(), ...more } as { checkType: 'URL' },
  });

describe.each(SAMPLES.map((sample) => [sample.type, sample] as const))(
  'a check of the type %s',
  (type, sample) => {
    it('is made of the least body with the defaults of its type, and read again', async () => {
      const { status, body } = await ask(service, sample.create, { body: sample.body() });
      expect(status).toBe(201);
      const { nextRunAt: _, ...filled } = sample.filled;
      expect(body).toMatchObject({ checkType: type, activated: true, tags: [], ...sample.body(), ...filled });
      const { id } = body as { id: string };
      const read = await call(service, contract.getCheck, { params: { id } });
      expect(read).toMatchObject(body as object);
      expect(read).toMatchObject(sample.filled);
      const listed = await call(service, contract.listChecks, {
        query: { checkType: type as 'URL', limit: 100 },
      });
      expect(listed.map((check) => check.id)).toContain(id);
    });

    it('is made by the endpoint of all types, too', async () => {
      expect(await create(sample)).toMatchObject({ checkType: type, ...sample.filled });
    });

    it('keeps what a change leaves out', async () => {
      const made = await create(sample, { tags: ['kept'] });
      const params = { id: made.id };
      const { status, body } = await ask(service, sample.update, { params, body: sample.change });
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...sample.change, tags: ['kept'], name: 'c' });
      const other = SAMPLES.find((each) => each.type !== type);
      const refused = await ask(service, other?.update ?? sample.update, { params, body: { muted: true } });
      expect(refused.status).toBe(404);
      expect((await ask(service, sample.update, { params, body: {} })).status).toBe(400);
    });

    it('is refused with every place that is wrong', async () => {
      const [wrong, places] = sample.wrong;
      const line = `POST ${sample.create.path}?strict=true`;
      const { status, body } = await send(service, line, { name: 'c', ...wrong });
      expect(status).toBe(400);
      expect(violations(body).map(({ path }) => path)).toEqual(expect.arrayContaining([...places]));
    });

    it('is gone when it was deleted', async () => {
      const { id } = await create(sample);
      await call(service, contract.deleteCheck, { params: { id } });
      expect((await ask(service, contract.getCheck, { params: { id } })).status).toBe(404);
    });
  },
);

describe('an API check', () => {
  const request = {
    url: 'https://example.com/',
    headers: [
      { key: 'accept', value: 'text/plain' },
      { key: 'x-key', value: 'locked away', locked: true },
      { key: 'x-key', value: 'locked too', locked: true },
    ],
    queryParameters: [{ key: 'token', value: 'shut in', locked: true }],
    basicAuth: { username: 'shop', password: 'open sesame' },
  };
  const HIDDEN = ['locked away', 'locked too', 'shut in', 'open sesame'];
  const stored = async (id: string) => {
    const check = await service.store.checks.get(service.accountId, id);
    return JSON.stringify(check?.body);
  };

  it('never answers its password and what is locked, and keeps them where they are sent back so', async () => {
    const made = await call(service, createApiCheck, { body: { name: 'a', request } });
    for (const secret of HIDDEN) expect(JSON.stringify(made)).not.toContain(secret);
    expect(made.request?.basicAuth).toEqual({ username: 'shop' });
    expect(made.request?.headers?.[0]?.value).toBe('text/plain');
    const params = { id: String(made.id) };
    const sent = { request: { ...made.request, url: 'https://example.com/v2' } } as contract.BodyOf<
      typeof updateApiCheck
    >;
    const changed = await call(service, updateApiCheck, { params, body: sent });
    for (const secret of HIDDEN) {
      expect(JSON.stringify(changed)).not.toContain(secret);
      expect(await stored(params.id)).toContain(secret);
    }
    expect(await stored(params.id)).toContain('v2');
    const other = { ...sent.request, url: 'https://example.com/', basicAuth: { username: 'somebody' } };
    await call(service, updateApiCheck, { params, body: { request: other } });
    expect(await stored(params.id)).not.toContain('open sesame');
  });
});

it('never answers the password of the options of Playwright, and keeps it', async () => {
  const configOf = (username: string, password: string) => ({
    use: { httpCredentials: { username, password } },
  });
  const playwrightConfig = configOf('shop', 'open sesame');
  const body = { name: 'b', script: 'console.log(1)', playwrightConfig };
  const made = await call(service, contract.createBrowserCheck, { body });
  expect(made.playwrightConfig).toEqual(configOf('shop', ''));
  const params = { id: String(made.id) };
  const change = { playwrightConfig: configOf('shop', '') };
  await call(service, contract.updateBrowserCheck, { params, body: change });
  const check = await service.store.checks.get(service.accountId, params.id);
  expect(check?.body).toMatchObject({ playwrightConfig });
});

describe('a code bundle', () => {
  it('is kept once by what is in it, and read again as it is', async () => {
    const again = await call(service, contract.uploadCodeBundle, { body: { archive: ARCHIVE } });
    expect(again.id).toBe(codeBundleId);
    const whole = await call(service, contract.getCodeBundle, { params: { id: codeBundleId } });
    expect(whole).toMatchObject({ ...again, archive: ARCHIVE });
    expect(await call(service, contract.listCodeBundles, {})).toContainEqual(again);
  });

  it('goes once no check names it', async () => {
    const sent = async (text: string) => {
      const archive = Buffer.from(`PK\x03\x04 ${text}`).toString('base64');
      return (await call(service, contract.uploadCodeBundle, { body: { archive } })).id;
    };
    const [used, unused] = [await sent('used'), await sent('unused')];
    await call(service, contract.createPlaywrightCheck, { body: { name: 'c', codeBundleId: used } });
    const { codeBundles } = service.store;
    await codeBundles.deleteUnused(Date.now() - 60_000);
    expect(await codeBundles.has(service.accountId, unused)).toBe(true);
    await codeBundles.deleteUnused(Date.now() + 60_000);
    expect(await codeBundles.has(service.accountId, unused)).toBe(false);
    expect(await codeBundles.has(service.accountId, used)).toBe(true);
  });

  it('must be an archive, and may be larger than other bodies', async () => {
    const refused = await ask(service, contract.uploadCodeBundle, { body: { archive: 'bm90IG9uZQ==' } });
    expect(violations(refused.body)).toMatchObject([{ path: 'archive' }]);
    const large = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(3_000_000)]).toString('base64');
    expect((await ask(service, contract.uploadCodeBundle, { body: { archive: large } })).status).toBe(201);
  });

  it('must be there for a check to name it', async () => {
    const { body } = await ask(service, contract.createPlaywrightCheck, {
      body: { name: 'c', codeBundleId: '0'.repeat(64) },
    });
    expect(violations(body)).toMatchObject([{ path: 'codeBundleId' }]);
  });
});

describe('an agentic check', () => {
  it('is refused where the service is to run it and has no model, and taken where agents run it', async () => {
    const why = 'set SONDE_MODEL_URL and SONDE_MODEL';
    const bare = await startTestService({ whyNoAgenticChecks: why });
    try {
      const create = (body: object) =>
        ask(bare, contract.createAgenticCheck, { body: { name: 'a', prompt: 'Buy a book', ...body } });
      for (const body of [{}, { locations: ['eu-west-1'] }]) {
        const { status, body: refusal } = await create(body);
        expect(status).toBe(400);
        expect(JSON.stringify(refusal)).toContain(why);
      }
      await call(bare, contract.createPrivateLocation, { body: { name: 'inside', slugName: 'inside' } });
      expect((await create({ privateLocations: ['inside'] })).status).toBe(201);
      expect((await create({ privateLocations: ['inside'], locations: ['eu-west-1'] })).status).toBe(400);
      const group = await call(bare, contract.createCheckGroup, {
        body: { name: 'g', privateLocations: ['inside'] },
      });
      expect((await create({ groupId: group.id })).status).toBe(201);
    } finally {
      await bare.close();
    }
  });

  it('is refused at run time by an error of ours that says why', async () => {
    const { id } = await call(service, contract.createAgenticCheck, {
      body: { name: 'a', prompt: 'Buy a book', retryStrategy: null },
    });
    const { sessions } = await call(service, contract.triggerCheckSessions, {
      body: { target: { checkId: [id ?? ''] } },
    });
    const checkSessionId = sessions[0]?.checkSessionId ?? '';
    await call(service, contract.awaitCheckSession, { params: { checkSessionId } });
    const { entries } = await call(service, contract.listCheckResults, { params: { checkId: id ?? '' } });
    expect(entries).toMatchObject([
      {
        hasErrors: true,
        hasFailures: false,
        errors: [expect.stringContaining('agentic checks need a model')],
      },
    ]);
  });
});
