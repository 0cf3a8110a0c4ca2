/** Test sessions as published clients start them: of stored checks, and of checks and suites that the request contains. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { packProject, tarOf } from '../../../support/pack-project.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, createTarget } from '../../engine/harness.ts';
import { dns } from './support.ts';

const target = createTarget();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { DNS: target.runner } } });
});
afterAll(() => service.close());

const shared = { name: 'release', runLocation: { type: 'PUBLIC', region: 'eu-west-1' } } as const;
const ended = (testSessionId: string) =>
  call(service, contract.awaitTestSession, { params: { testSessionId }, query: { maxWaitSeconds: 30 } });
const trigger = (fields: object) =>
  ask(service, contract.triggerPublishedTests, { body: { ...shared, ...fields } as never });
const run = (...checkRunJobs: readonly object[]) =>
  ask(service, contract.runProjectChecks, { body: { ...shared, checkRunJobs } as never });
const job = (logicalId: string, fields: object = {}) => ({
  ...{ logicalId, checkType: 'DNS', ...dns, name: logicalId, groupId: { ref: 'g' } },
  ...{ sourceInfo: { checkRunId: 'x' }, filePath: 'a.check.ts', alertSettings: {}, doubleCheck: false },
  testRetryStrategy: null,
  ...fields,
});

describe('a trigger', () => {
  it('runs the checks with the tags, and names the sequence of each', async () => {
    const newCheck = (name: string, tags: string[]) =>
      call(service, contract.createDnsCheck, { body: { ...dns, name, tags, retryStrategy: null } });
    const [one, two] = [await newCheck('one', ['shop']), await newCheck('two', ['shop'])];
    await newCheck('three', ['other']);
    target.finds({}, {});
    const { status, body } = await trigger({
      targetTags: [['shop']],
      repoInfo: { branchName: 'main', commitId: 'abc', github: { reporting: true } },
      environment: 'staging',
      environmentVariables: [{ key: 'PLACE', value: 'here' }],
      testRetryStrategy: { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0 },
    });
    expect(status).toBe(201);
    const { testSessionId, checks, sequenceIds } = body as never as {
      testSessionId: string;
      checks: { id: string; name: string }[];
      sequenceIds: Record<string, string>;
    };
    expect(checks.map(({ name }) => name).toSorted()).toEqual(['one', 'two']);
    expect(Object.keys(sequenceIds).toSorted()).toEqual([one.id, two.id].toSorted());
    const session = await ended(testSessionId);
    expect(session).toMatchObject({
      ...{ status: 'PASSED', runSource: 'TEST_RECORD' },
      metadata: { branchName: 'main', commitId: 'abc', environment: 'staging' },
    });
    const details = await Promise.all(
      (session.results ?? []).map(({ testSessionResultId = '' }) =>
        call(service, contract.getTestSessionResult, { params: { testSessionId, testSessionResultId } }),
      ),
    );
    expect(details.map(({ sequenceId }) => sequenceId).toSorted()).toEqual(
      Object.values(sequenceIds).toSorted(),
    );
    const { link } = await call(service, contract.getTestSessionLink, { params: { testSessionId } });
    expect(link).toBe(session.testSessionLink);
  });

  it('that matches no check is refused with the code that clients look for', async () => {
    const { status, body } = await trigger({ targetTags: [['nowhere']] });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      errorCode: 'ERR_NO_MATCHING_CHECKS',
      message: 'No active check matches the target',
    });
  });

  it('with a check that does not exist is refused: without it, the session would seem complete', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, retryStrategy: null } });
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await trigger({ checkId: [id, unknown] })).status).toBe(404);
    const body = { name: 'release', runLocation: 'eu-west-1', target: { checkId: [id, unknown] } };
    expect((await ask(service, contract.triggerTestSessions, { body })).status).toBe(404);
  });

  it('with variables that are large in all runs together is refused', async () => {
    const environmentVariables = Array.from({ length: 14 }, (_, index) => ({
      key: `V${index}`,
      value: 'x'.repeat(65_000),
    }));
    for (let index = 0; index < 20; index += 1)
      await call(service, contract.createDnsCheck, {
        body: { ...dns, name: `many ${index}`, tags: ['many'], retryStrategy: null },
      });
    const { status, body } = await trigger({ targetTags: [['many']], environmentVariables });
    expect([status, body]).toMatchObject([400, { message: expect.stringContaining('16 MB together') }]);
  });

  it.each([
    ['an unknown location', { runLocation: { type: 'PUBLIC', region: 'mars' } }, /location/],
    ['no location', { runLocation: { type: 'PRIVATE' } }, /ocation/],
    ['a strategy that does not exist', { testRetryStrategy: { type: 'SOMETIMES' } }, /retryStrategy/],
  ])('with %s is refused', async (_, fields, message) => {
    const { status, body } = await trigger(fields);
    expect(status).toBe(400);
    expect((body as { message: string }).message).toMatch(message);
  });
});

describe('a run of checks that are not stored', () => {
  it('has a result for each, and stores no check', async () => {
    const before = await call(service, contract.listChecks, { query: { limit: 100 } });
    target.finds(BAD, {});
    const { status, body } = await run(
      job('bad'),
      job('good', { activated: false, group: { name: 'G', v: 2, tags: ['x'] } }),
    );
    expect([status, body]).toMatchObject([
      201,
      { sequenceIds: { bad: expect.any(String), good: expect.any(String) } },
    ]);
    const { testSessionId, schedulingId } = body as { testSessionId: string; schedulingId: string };
    expect(await call(service, contract.awaitRunScheduling, { params: { schedulingId } })).toMatchObject({
      status: 'SUCCEEDED',
    });
    const session = await ended(testSessionId);
    expect(session.status).toBe('FAILED');
    expect(session.results?.map(({ name, status: each }) => [name, each]).toSorted()).toEqual([
      ['bad', 'FAILED'],
      ['good', 'PASSED'],
    ]);
    expect(await call(service, contract.listChecks, { query: { limit: 100 } })).toEqual(before);
  });

  it('is refused if the files that its checks share are large in all runs together', async () => {
    const shares = (index: number) => ({
      ...{ logicalId: `c${index}`, name: 'c', checkType: 'MULTI_STEP', script: '1', scriptPath: 'a.js' },
      dependencies: [0],
    });
    const sharedFiles = [{ path: 'd.js', content: ' '.repeat(1_000_000) }];
    const checkRunJobs = Array.from({ length: 20 }, (_, index) => shares(index));
    const { status, body } = await ask(service, contract.runProjectChecks, {
      body: { ...shared, sharedFiles, checkRunJobs } as never,
    });
    expect([status, body]).toMatchObject([413, { message: expect.stringContaining('larger than 16 MB') }]);
  });

  it.each([
    ['a field that no check has', job('a', { colour: 'red' }), /check "a": colour/],
    ['a type that waits for pings', job('b', { checkType: 'HEARTBEAT' }), /check "b": .*HEARTBEAT/],
    ['an unknown type', job('c', { checkType: 'GRPC' }), /check "c": .*type of check/],
    [
      'a suite without its archive',
      { logicalId: 'd', checkType: 'PLAYWRIGHT', name: 'd', codeBundlePath: 'a'.repeat(64) },
      /check "d": .*code bundle/,
    ],
  ])('is refused with %s, by its logical ID', async (_, each, message) => {
    const { status, body } = await run(job('good'), each);
    expect(status).toBe(400);
    expect((body as { message: string }).message).toMatch(message);
  });
});

describe('an archive of a project', () => {
  async function upload(
    body: Uint8Array,
    path = '/next/checkly-storage/upload-code-bundle',
    more: Readonly<Record<string, string>> = {},
  ) {
    const headers = {
      ...more,
      ...{ authorization: `Bearer ${service.apiKey}`, 'x-checkly-account': service.accountId },
      'content-type': 'application/octet-stream',
    };
    const response = await fetch(service.url + path, { method: 'POST', headers, body: new Uint8Array(body) });
    return { status: response.status, body: (await response.json()) as unknown };
  }

  it('is stored as a ZIP archive of its files', async () => {
    const { status, body } = await upload(
      await packProject({ './a.spec.ts': 'test();', 'dir/ü.txt': 'x'.repeat(100_000) }),
    );
    expect(status).toBe(200);
    const { key } = body as { key: string };
    const { archive } = await call(service, contract.getCodeBundle, { params: { id: key } });
    const files = unzipSync(Buffer.from(archive, 'base64'));
    expect(Object.entries(files).map(([name, content]) => [name, strFromU8(content).length])).toEqual([
      ['a.spec.ts', 7],
      ['dir/ü.txt', 100_000],
    ]);
  });

  it.each<readonly [string, () => Promise<Buffer>, RegExp]>([
    ['text', async () => Buffer.from('no archive'), /complete tar file/],
    ['a tar file without compression', () => tarOf([{ name: 'a' }, 'a']), /complete tar file/],
    [
      'a tar file that is cut',
      async () => gzipSync((await tarOf([{ name: 'a' }, 'a'.repeat(5000)])).subarray(0, 2000)),
      /complete tar file/,
    ],
    [
      'a compressed file that is cut',
      async () => gzipSync(await tarOf([{ name: 'a' }, 'abc'.repeat(5000)])).subarray(0, 100),
      /complete tar file/,
    ],
    [
      'a link',
      async () => gzipSync(await tarOf([{ name: 'a', type: 'symlink', linkname: '/etc/passwd' }])),
      /symlink "a"/,
    ],
    ...['../evil', '/etc/evil', 'a/../../evil', 'C:\\evil', 'a\\b', 'a\u001b'].map(
      (name) =>
        [
          `with a file ${JSON.stringify(name)}`,
          async () => gzipSync(await tarOf([{ name }, 'a'])),
          /leads out of it/,
        ] as const,
    ),
    [
      'with a file twice',
      async () => gzipSync(await tarOf([{ name: 'a' }, 'a'], [{ name: './a' }, 'b'])),
      /"\.\/a" twice/,
    ],
    [
      'a gigabyte of zeros',
      async () => gzipSync(await tarOf([{ name: 'a' }, '\0'.repeat(190 * 1024 * 1024)])),
      /larger than 184 MB/,
    ],
  ])('that is %s is refused', async (_, make, message) => {
    const { status, body } = await upload(await make());
    expect(status).toBe(400);
    expect((body as { message: string }).message).toMatch(message);
  });

  it('is compared with the checksum that its sender declares, and found again by its key', async () => {
    const project = await packProject({ 'b.spec.ts': 'test();' });
    const declare = (sum: string) => upload(project, undefined, { 'x-bundle-checksum-sha256': sum });
    const sum = createHash('sha256').update(project);
    const [hex, base64] = [sum.copy().digest('hex'), sum.digest('base64')];
    const { status, body } = await declare('0'.repeat(64));
    expect(status).toBe(400);
    expect((body as { message: string }).message).toContain(hex);
    const stored = (await declare(base64)).body as { key: string };
    expect(await declare(hex.toUpperCase())).toMatchObject({
      status: 200,
      body: { key: stored.key, checksumSha256: hex },
    });
    const peeked = await call(service, contract.peekProjectArchive, { body: { key: stored.key } });
    expect(stored).toMatchObject({ key: peeked.key, contentLength: peeked.contentLength });
    expect(await ask(service, contract.peekProjectArchive, { body: { key: '0'.repeat(64) } })).toMatchObject({
      status: 404,
    });
  });

  it('is named by a check in either spelling', async () => {
    const keyOf = async (name: string) =>
      ((await upload(await packProject({ [name]: 'test();' }))).body as { key: string }).key;
    const [first, second] = [await keyOf('first.spec.ts'), await keyOf('second.spec.ts')];
    const made = await send(service, 'POST /v1/checks/playwright', {
      name: 'Suite',
      activated: false,
      codeBundlePath: first,
    });
    expect(made).toMatchObject({ status: 201, body: { codeBundleId: first, codeBundlePath: first } });
    const { id } = made.body as { id: string };
    const put = (body: object) => send(service, `PUT /v1/checks/playwright/${id}`, body);
    expect(await put({ codeBundlePath: second })).toMatchObject({
      status: 200,
      body: { codeBundleId: second },
    });
    // Its own answer, with one of the two names changed.
    expect(await put({ codeBundleId: first, codeBundlePath: second })).toMatchObject({
      body: { codeBundleId: first, codeBundlePath: first },
    });
    expect((await put({ codeBundlePath: '0'.repeat(64) })).status).toBe(400);
  });

  it('is refused at once where many others of its account wait', async () => {
    const project = await packProject({ 'c.spec.ts': 'x'.repeat(5_000_000) });
    const answers = await Promise.all(Array.from({ length: 12 }, () => upload(project)));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(await upload(project)).toMatchObject({ status: 200 });
  });

  it('may be empty: clients also upload one for a project without suites', async () => {
    expect((await upload(await packProject({}))).status).toBe(200);
  });

  it('is refused by endpoints that expect JSON', async () => {
    expect((await upload(Buffer.from('{}'), '/v1/checks/dns')).status).toBe(415);
  });
});
