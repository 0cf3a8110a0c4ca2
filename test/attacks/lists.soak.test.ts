/** Attacks with a key on a service that runs: many lists of large rows at once, read and unread. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sonde } from '../support/binary.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';

const MB = 1024 * 1024;
const LIST = '/v1/checks?limit=100';

let service: E2eService;
let sockets: Socket[];
beforeEach(async () => {
  service = await startE2eService();
  sockets = [];
  for (let made = 0; made < 100; made++)
    await service.make('POST /v1/checks/browser', {
      ...{ name: `large ${made}`, activated: false },
      script: `//${'a'.repeat(1_000_000)}`,
    });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  expect(await service.close()).toBe(0);
});

/** Asks for the list over some connections, and reads nothing of the answers. */
async function ask(count: number): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const said = `GET ${LIST} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${service.key}\r\n\r\n`;
  const opened = Array.from({ length: count }, () => connect(Number(port), hostname).pause());
  sockets.push(...opened);
  for (const socket of opened) socket.on('error', () => {});
  await Promise.all(opened.map((socket) => once(socket, 'connect')));
  for (const socket of opened) socket.write(said);
}

/** The largest memory of the service's process so far, in bytes. */
function mostMemory(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid()}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Asks for the health until something has ended: the longest wait, as a share of the whole time. */
async function longestUntil(ended: Promise<unknown>): Promise<number> {
  let isOver = false;
  const started = performance.now();
  const end = () => {
    isOver = true;
  };
  ended.then(end, end);
  let longest = 0;
  while (!isOver) {
    const begun = performance.now();
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    longest = Math.max(longest, performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return longest / (performance.now() - started);
}

/** Reads a whole list, and says how large it was. */
async function readList(): Promise<number> {
  const answer = await fetch(`${service.url}${LIST}`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  // The account has too many lists that wait.
  if (answer.status === 503) {
    await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get('retry-after'))));
    return readList();
  }
  expect(answer.status).toBe(200);
  let bytes = 0;
  for await (const part of answer.body ?? []) bytes += part.length;
  return bytes;
}

it('answers others while ten clients read a list of 100 MB', async () => {
  const before = mostMemory();
  const reading = Promise.all(Array.from({ length: 10 }, readList));
  const longest = await longestUntil(reading);
  for (const bytes of await reading) expect(bytes).toBeGreaterThan(100_000_000);
  // If each list is made in one piece, nothing else is answered while one is made.
  expect(longest).toBeLessThan(1 / 8);
  expect(mostMemory() - before).toBeLessThan(600 * MB);
});

it('needs little memory and time for lists that nobody reads, and still delivers one', async () => {
  const before = mostMemory();
  await ask(60);
  const reading = readList();
  const longest = await longestUntil(reading);
  expect(await reading).toBeGreaterThan(100_000_000);
  expect(longest).toBeLessThan(1 / 8);
  // All answers together: 6 GB.
  expect(mostMemory() - before).toBeLessThan(600 * MB);
});

it('delivers a list of 100 MB to the command', async () => {
  const { env } = service;
  const { code, stdout, stderr } = await sonde(['checks', 'list', '--all', '--fields', 'name'], { env });
  expect([code, stderr, stdout.match(/large \d+/g)?.length]).toEqual([0, '', 100]);
});
