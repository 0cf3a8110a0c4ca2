/** Attacks that try to fill the disk of a service: each is refused, and the service stays healthy. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { bareEnv, startSonde } from '../support/binary.ts';
import { byHand } from '../support/by-hand.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { smallDisk } from '../support/endurance/faults.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/send.ts';

const MB = 1024 * 1024;

async function startService(...flags: readonly string[]): Promise<E2eService> {
  const service = await startE2eService('--rate-limit', '100000', ...flags);
  onTestFinished(async () => void (await service.close()));
  return service;
}

/** A small disk of this many megabytes, in a folder that the test removes. */
async function makeDisk(megabytes: number) {
  const home = await mkdtemp(join(tmpdir(), 'sonde-disk-'));
  const disk = smallDisk(home, megabytes);
  onTestFinished(async () => {
    disk.remove();
    await rm(home, { recursive: true, force: true });
  });
  return { home, disk };
}

async function expectHealthy(service: E2eService): Promise<void> {
  expect(await service.api('GET /health')).toMatchObject({ status: 200, body: { status: 'ok' } });
}

interface Place {
  readonly id: string;
  readonly slug: string;
  readonly key: string;
}

async function makePlace(service: E2eService, slug: string): Promise<Place> {
  const body = { name: slug, slugName: slug };
  const made = await service.make<{ id: string; keys: { rawKey: string }[] }>(
    'POST /v1/private-locations',
    body,
  );
  return { id: made.id, slug, key: made.keys[0]?.rawKey ?? '' };
}

/** An agent of a location with a run that it holds, as an attacker with its key sees it. */
async function attacker(service: E2eService, place: Place) {
  const check = await service.make<{ id: string }>('POST /v1/checks/dns', {
    ...{ name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '', ...byHand() },
    ...{ locations: null, privateLocations: [place.slug], retryStrategy: null },
  });
  await service.make('POST /v2/check-sessions/trigger', { target: { checkId: [check.id] } });
  const [agentId, claimId] = [randomUUID(), randomUUID()];
  const ask = (line: string, body: unknown) => send({ url: service.url, apiKey: place.key }, line, body);
  const { body } = await ask('POST /v1/agents/claim', {
    ...{ agentId, claimId, capacity: 1, waitSeconds: 10, checkTypes: ['DNS'], runtimes: [] },
  });
  const [{ id: runId } = { id: 0 }] = (body as { runs: { id: number }[] }).runs;
  return {
    ...{ runId, claimId, checkId: check.id },
    async put(id: string, offset: number, part: Uint8Array, key = place.key) {
      const query = `offset=${offset}&agentId=${agentId}&claimId=${claimId}&runId=${runId}`;
      const answer = await fetch(`${service.url}/v1/agents/artifacts/${id}?${query}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(part),
      });
      return answer.status;
    },
    async report(artifacts: readonly object[] = [], details: object = {}) {
      const now = Date.now();
      return ask('POST /v1/agents/report', {
        ...{ agentId, claimId, runId, resultId: randomUUID(), sentAt: now, artifacts },
        report: {
          ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
          ...{ isNetworkError: false, isCancelled: false, responseTime: 1, errors: [], details },
          ...{ startedAt: now - 5, stoppedAt: now },
        },
      });
    },
  };
}

const uploads = async (service: E2eService, { id }: Place): Promise<string[]> =>
  (await readdir(join(service.data, 'artifacts', 'uploads', id), { recursive: true })).filter((path) =>
    path.includes('/'),
  );

it('an agent key stores no file for a run that its location does not hold', async () => {
  const service = await startService();
  const [mine, theirs] = [await makePlace(service, 'mine'), await makePlace(service, 'theirs')];
  const own = await attacker(service, mine);
  const foreign = await attacker(service, theirs);
  expect(await foreign.put(randomUUID(), 0, Buffer.alloc(MB), mine.key)).toBe(409);
  const wasted = randomUUID();
  expect(await own.put(wasted, 0, Buffer.alloc(MB))).toBe(200);
  expect(await own.report()).toMatchObject({ status: 200, body: { outcome: 'RECORDED' } });
  expect(await own.put(wasted, MB, Buffer.alloc(MB))).toBe(409);
  expect(await uploads(service, mine)).toEqual([]);
  await expectHealthy(service);
});

it('a run takes 300 MB, however many parts and files come at the same time', async () => {
  const service = await startService();
  const place = await makePlace(service, 'greedy');
  const { put, report } = await attacker(service, place);
  const part = Buffer.alloc(4 * MB);
  const most = 300 / 4;
  const sent: number[] = [];
  for (let from = 0; from < most + 21; from += 16)
    sent.push(...(await Promise.all(Array.from({ length: 16 }, () => put(randomUUID(), 0, part)))));
  expect(sent.filter((status) => status === 200)).toHaveLength(most);
  expect(sent.filter((status) => status === 413)).toHaveLength(sent.length - most);
  expect(await uploads(service, place)).toHaveLength(most);
  await report();
  expect(await uploads(service, place)).toEqual([]);
  await expectHealthy(service);
});

const snippet = (script: string) => ({ name: randomUUID(), script });
const storage = async (service: E2eService) =>
  ((await service.api('GET /health')).body as { storage: { state: string } }).storage;

it('an account key fills the database up to its limit, and checks go on', async () => {
  const service = await startService('--database-limit', '8MB');
  const place = await makePlace(service, 'steady');
  const agent = await attacker(service, place);
  const script = 'x'.repeat(900_000);
  const statuses: number[] = [];
  for (let tried = 0; tried < 60 && statuses.at(-1) !== 507; tried += 1) {
    if (tried > 12) await setTimeout(500);
    statuses.push((await service.api('POST /v1/snippets', snippet(script))).status);
  }
  expect(statuses.at(-1)).toBe(507);
  const refused = await service.api('POST /v1/snippets', snippet('x'));
  expect(refused.body).toMatchObject({
    message:
      'The database has reached the limit of 8 MB: start the service with a higher --database-limit, or wait until old data is deleted',
  });
  expect(await storage(service)).toMatchObject({ state: 'LIMIT_REACHED' });
  expect(service.log()).toContain('The database has reached the limit of 8 MB');
  await expectHealthy(service);
  // Results are recorded, without what takes the room.
  const report = await agent.report([], { noise: 'x'.repeat(5 * MB) });
  expect(report).toMatchObject({ status: 200, body: { outcome: 'RECORDED' } });
  const { body } = await service.api('GET /v2/check-sessions?limit=1');
  expect(JSON.stringify(body)).toContain('PASSED');
  // What is deleted is room again.
  const snippets = await service.make<{ id: number }[]>('GET /v1/snippets?limit=100');
  for (const { id } of snippets) await service.make(`DELETE /v1/snippets/${id}`);
  await eventually(async () => expect(await storage(service)).toMatchObject({ state: 'OK' }));
  expect((await service.api('POST /v1/snippets', snippet('x'))).status).toBe(201);
});

it('files above the limit take the place of the oldest, and results are recorded', async () => {
  const service = await startService('--artifact-limit', '8MB');
  const place = await makePlace(service, 'pictures');
  const kept: string[] = [];
  /** Returns the address of the file of a check's result. */
  const fileOf = async (checkId: string): Promise<string> => {
    const results = await service.make<{ entries: { id: string }[] }>(`GET /v2/check-results/${checkId}`);
    const path = `GET /v1/check-results/${checkId}/${results.entries[0]?.id}/assets`;
    return (await service.make<{ assets: { url: string }[] }>(path)).assets[0]?.url ?? '';
  };
  for (let run = 0; run < 4; run += 1) {
    const agent = await attacker(service, place);
    const id = randomUUID();
    expect(await agent.put(id, 0, Buffer.alloc(3 * MB))).toBe(200);
    const file = { id, kind: 'trace', name: 't.zip', contentType: 'application/zip', bytes: 3 * MB };
    expect(await agent.report([file])).toMatchObject({ body: { outcome: 'RECORDED' } });
    kept.push(await fileOf(agent.checkId));
  }
  const found = await Promise.all(kept.map(async (url) => (await service.api(`GET ${url}`)).status));
  expect(found).toEqual([404, 404, 200, 200]);
  // The state itself may be over: the next look finds room.
  expect(service.log()).toContain('Screenshots and traces have reached the limit of 8 MB');
  const agent = await attacker(service, place);
  expect(await agent.put(randomUUID(), 0, Buffer.alloc(4 * MB))).toBe(200);
  await expectHealthy(service);
});

it('a full disk refuses files and new resources, and costs neither the service nor a verdict', async () => {
  const { disk } = await makeDisk(64);
  if (!disk.isSmall) return;
  // The last --data counts.
  const service = await startService('--data', disk.folder);
  const place = await makePlace(service, 'full');
  const agent = await attacker(service, place);
  disk.fill();
  await eventually(async () => expect(await storage(service)).toMatchObject({ state: 'DISK_FULL' }));
  expect(await agent.put(randomUUID(), 0, Buffer.alloc(MB))).toBe(507);
  expect((await service.api('POST /v1/snippets', snippet('x'))).status).toBe(507);
  const status = async () => JSON.stringify((await service.api('GET /v2/check-sessions?limit=1')).body);
  expect(await status()).not.toContain('PASSED');
  await expectHealthy(service);
  disk.free();
  await eventually(async () => expect(await storage(service)).toMatchObject({ state: 'OK' }));
  expect(await agent.report()).toMatchObject({ status: 200, body: { outcome: 'RECORDED' } });
  expect(await status()).toContain('PASSED');
});

it('a start on a full disk names the folder, wherever the room ends', async () => {
  const { home, disk } = await makeDisk(4);
  if (!disk.isSmall) return;
  const service = await startService('--data', disk.folder);
  await service.kill();
  const args = ['service', 'start', '--listen', '127.0.0.1:0', '--data', disk.folder];
  for (const left of [0, 4096, 8192, 12_288, 16_384]) {
    disk.fill(left);
    const started = startSonde(args, { env: bareEnv(home) });
    // With a little room it may start after all.
    const stopping = setInterval(() => started.child.kill('SIGTERM'), 5000);
    const { code, stderr } = await started.ended;
    clearInterval(stopping);
    expect([left, stderr]).toEqual([left, expect.not.stringContaining('bug in sonde')]);
    if (code !== 0) {
      expect(code).toBe(2);
      expect(stderr).toContain(disk.folder);
      expect(stderr).toContain('no space is left on the device');
    }
    disk.free();
  }
  await service.start();
});
