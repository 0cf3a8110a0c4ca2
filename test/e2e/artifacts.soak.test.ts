/**
 * A file of 150 MB from a script's cell to who downloads it, by way of the service alone and of an agent: through processes that
 * never have it in memory. Their memory is read off the system.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ended, makeLocation, spoolOf, startAgent } from '../support/agents.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIMIT = 150 * 1024 * 1024;
/** What a process may grow by while it passes such a file on, in MB. */
const MOST_GROWTH = 60;

/** Leaves a file of exactly the limit, one of a byte more, and one that is small. */
const SCRIPT = `
const { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } = require('node:fs');
const file = openSync('exact.png', 'w');
for (let part = 0; part < 150; part += 1) writeSync(file, Buffer.alloc(1048576, 'part ' + part));
closeSync(file);
const more = openSync('more.png', 'w');
ftruncateSync(more, ${LIMIT + 1});
closeSync(more);
writeFileSync('small.png', 'small');`;
const EXACT = createHash('sha256');
for (let part = 0; part < 150; part += 1) EXACT.update(Buffer.alloc(1048576, `part ${part}`));
const EXACT_SHA256 = EXACT.digest('hex');

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService('--trust-scripts');
});
afterAll(() => service.close());

/** Watches the most memory that a process has from now on; gives by how much that is more than it has now, in MB. */
async function watched(pid: number): Promise<() => Promise<number>> {
  const field = async (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await field('VmRSS');
  return async () => (await field('VmHWM')) - before;
}

const filesBelow = async (folder: string): Promise<string[]> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

/** What files of artifacts a process has open. */
async function openFiles(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return links.filter((path) => path.includes('/artifacts/'));
}

/** Asks for a file and reads nothing of it; it has begun to come. */
async function slowReader(id: string | undefined): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(`GET /v1/artifacts/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
}

interface Left {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
}

/** Runs the script at a place; gives what its result says of its files. */
async function run(where: object) {
  const { id } = await service.make<{ id: string }>('POST /v1/checks/multistep', {
    ...{ name: 'large', script: SCRIPT, frequency: 1440, retryStrategy: null, ...where },
  });
  const { sessions } = await service.make<{ sessions: readonly { checkSessionId: string }[] }>(
    'POST /v2/check-sessions/trigger',
    { target: { checkId: [id] } },
  );
  expect(await ended(service, sessions[0]?.checkSessionId ?? '')).toBe('PASSED');
  const { entries } = await service.make<{
    entries: readonly { multiStepCheckResult: { artifacts: readonly Left[]; artifactsLost: string } }[];
  }>(`GET /v2/check-results/${id}`);
  const found = entries[0]?.multiStepCheckResult;
  return {
    session: sessions[0]?.checkSessionId ?? '',
    artifacts: found?.artifacts ?? [],
    lost: found?.artifactsLost,
  };
}

/** Downloads it as it comes. */
async function download(id: string | undefined) {
  const answer = await fetch(`${service.url}/v1/artifacts/${id}`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    hash.update(part);
    bytes += part.length;
  }
  return {
    status: answer.status,
    length: Number(answer.headers.get('content-length')),
    bytes,
    sha256: hash.digest('hex'),
  };
}

async function judge({ artifacts, lost }: Awaited<ReturnType<typeof run>>): Promise<void> {
  expect(artifacts.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['exact.png', LIMIT],
    ['small.png', 5],
  ]);
  expect(lost).toMatch(
    /^more\.png is 150\.0 MB \(157,286,401 bytes\): the limit is 150\.0 MB \(157,286,400 bytes\)\. Make it smaller/,
  );
  expect(await download(artifacts[0]?.id)).toEqual({
    status: 200,
    length: LIMIT,
    bytes: LIMIT,
    sha256: EXACT_SHA256,
  });
}

it('comes from an agent by way of the service, which waits for slow readers and lets go when they go away', async () => {
  const place = await makeLocation(service, 'cellar', 'http://127.0.0.1:9/');
  const home = await temporaryFolder();
  const agent = await startAgent({ key: place.key, url: service.url, home }, ['--trust-scripts']);
  onTestFinished(() => void agent.child.kill('SIGKILL'));
  const growths = await Promise.all([agent.pid, service.pid()].map(watched));
  const left = await run({ locations: null, privateLocations: [place.slug] });
  await judge(left);
  const sockets = await Promise.all(Array.from({ length: 5 }, () => slowReader(left.artifacts[0]?.id)));
  await eventually(async () => expect(await openFiles(service.pid())).toHaveLength(5));
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect(await openFiles(service.pid())).toEqual([]));
  const [ofAgent = Number.NaN, ofService = Number.NaN] = await Promise.all(growths.map((growth) => growth()));
  expect(ofAgent).toBeLessThan(MOST_GROWTH);
  expect(ofService).toBeLessThan(MOST_GROWTH);
  await eventually(async () => expect(await filesBelow(spoolOf(home))).toEqual([]));
});

it('leaves nothing of what an agent was taking out of a cell as it was killed', async () => {
  const place = await makeLocation(service, 'attic', 'http://127.0.0.1:9/');
  const at = { key: place.key, url: service.url, home: await temporaryFolder() };
  const agent = await startAgent(at, ['--trust-scripts']);
  onTestFinished(() => void agent.child.kill('SIGKILL'));
  const { id } = await service.make<{ id: string }>('POST /v1/checks/multistep', {
    ...{ name: 'killed', script: SCRIPT, frequency: 1440, retryStrategy: null },
    ...{ locations: null, privateLocations: [place.slug] },
  });
  await service.make('POST /v2/check-sessions/trigger', { target: { checkId: [id] } });
  const files = () => filesBelow(spoolOf(at.home)).catch(() => []);
  await eventually(async () => expect(await files()).toHaveLength(1));
  agent.child.kill('SIGKILL');
  await agent.ended;
  expect(await files()).toEqual([expect.stringContaining('/runs/')]);
  const next = await startAgent(at);
  onTestFinished(() => void next.child.kill('SIGKILL'));
  expect(await files()).toEqual([]);
});

it('comes from a run of the service itself', async () => {
  const growth = await watched(service.pid());
  await judge(await run({ locations: ['eu-central-1'] }));
  expect(await growth()).toBeLessThan(MOST_GROWTH);
  // Nothing lies anywhere but in its place.
  const files = await filesBelow(join(service.data, 'artifacts'));
  expect(files.filter((path) => path.includes('/runs/'))).toEqual([]);
});
