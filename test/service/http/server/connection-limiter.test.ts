/** What clients may hold open: connections, requests that wait on one, and answers that nobody reads. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { rateLimitKey } from '../../../../src/service/http/server/client-address.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  createConnectionLimiter,
  MAX_PIPELINED,
} from '../../../../src/service/http/server/connection-limiter.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestService } from '../../../support/service.ts';

/** More than the buffers of the system take from a server whose client does not read. */
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');
const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

/** A server with these limits, with what it warned of. */
async function serve(handle: RequestListener, limits: Partial<ConnectionLimits> = {}) {
  const warned: string[] = [];
  const connections = createConnectionLimiter({
    limits: { ...CONNECTION_LIMITS, ...limits },
    clock: systemClock,
    isProxy: () => false,
    warn: (_, message) => void warned.push(message),
  });
  const server = connections.createServer(handle, {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    warned,
    async connect(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
  };
}

it('begins a request once the answer before it is sent, and answers all in their order', async () => {
  let atWork = 0;
  let most = 0;
  let count = 0;
  const { connect: open } = await serve((_, response) => {
    atWork += 1;
    most = Math.max(most, atWork);
    count += 1;
    const body = `answer ${count};`;
    setImmediate(() => {
      atWork -= 1;
      response.end(body);
    });
  });
  const socket = await open();
  socket.write(GET.repeat(MAX_PIPELINED) + GET.replace('host', 'connection: close\r\nhost'));
  const answers = (await text(socket)).match(/answer \d+/g);
  expect(answers).toEqual(Array.from({ length: MAX_PIPELINED + 1 }, (_, index) => `answer ${index + 1}`));
  expect(most).toBe(1);
});

it('reads the bodies of requests that waited', async () => {
  const { connect: open } = await serve(async (request, response) => void response.end(await text(request)));
  const socket = await open();
  const post = (body: string, more = '') =>
    `POST / HTTP/1.1\r\nhost: a\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;
  const large = 'b'.repeat(300_000);
  socket.write(post('first') + post(large));
  socket.write(post('last', 'connection: close\r\n'));
  const said = await text(socket);
  expect(said).toContain('\r\n\r\nfirst');
  expect(said).toContain(large);
  expect(said).toMatch(/last$/);
});

it('begins nothing more for a client that does not read, and closes it where it asks for too much', async () => {
  let begun = 0;
  const { connect: open, warned } = await serve((_, response) => {
    begun += 1;
    response.end(LARGE);
  });
  const socket = (await open()).pause();
  socket.write(GET.repeat(MAX_PIPELINED));
  await eventually(() => expect(begun).toBe(1));
  const other = await open();
  other.write(GET);
  await once(other, 'data');
  expect(begun).toBe(2);

  const greedy = await open();
  greedy.write(GET.repeat(MAX_PIPELINED + 2));
  await text(greedy).catch(() => '');
  expect(warned).toEqual([expect.stringContaining(`more than ${MAX_PIPELINED} pipelined requests`)]);
  expect(begun).toBe(3);
});

it('closes a client that reads nothing for a while, and no request that the service works on', async () => {
  let finish: (() => void) | undefined;
  const { connect: open, warned } = await serve(
    ({ url }, response) => {
      if (url === '/slow') finish = () => void response.end('done');
      else response.end(LARGE);
    },
    { idleMs: 100 },
  );
  const waiting = await open();
  waiting.write('GET /slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  const deaf = (await open()).pause();
  deaf.write(GET);
  await eventually(() => expect(warned).toEqual([expect.stringContaining('do not read')]));
  finish?.();
  expect(await text(waiting)).toMatch(/done$/);
});

it('closes those with the most to read where all together have too much', async () => {
  const app = await startTestService({
    documents: { '/openapi.json': async () => ({ large: LARGE.toString() }) },
    limits: { connections: { ...CONNECTION_LIMITS, unreadBytes: 2 * LARGE.length } },
  });
  onTestFinished(() => app.close());
  const sockets = Array.from({ length: 4 }, () => connect(app.port, '127.0.0.1').pause());
  for (const socket of sockets) {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
  }
  const openNow = () =>
    new Promise<number>((resolve) => app.service.app.server.getConnections((_, count) => resolve(count)));
  await eventually(async () => expect(await openNow()).toBe(4));
  for (const socket of sockets) socket.write('GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n');
  await eventually(async () => expect(await openNow()).toBeLessThan(4));
  expect(await openNow()).toBeGreaterThan(0);
});

it('refuses connections beyond the most, and closes idle ones to make room', async () => {
  const { connect: open, warned } = await serve((_, response) => void response.end('ok'), { connections: 2 });
  const idle = await open();
  idle.write(GET);
  await once(idle, 'data');
  const silent = await open();
  const refused = await open();
  expect(await text(refused).catch(() => '')).toBe('');
  await once(idle.resume(), 'close');
  expect(warned).toEqual([
    'connections refused: the limit of 2 open connections is reached (--max-connections)',
  ]);
  const served = await open();
  served.write(GET);
  await once(served, 'data');
  expect(silent.destroyed).toBe(false);
});

it('closes a connection whose headers are late, although the client keeps its side open', async () => {
  const app = await startTestService({ limits: { headersTimeoutMs: 100 } });
  onTestFinished(() => app.close());
  const late = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void late.destroy());
  const reset = once(late, 'close').catch(() => {});
  late.write('GET /health HTTP/1.1\r\nx: ');
  expect(await text(late)).toMatch(/^HTTP\/1\.1 408 /);
  const openNow = () =>
    new Promise<number>((resolve) => app.service.app.server.getConnections((_, count) => resolve(count)));
  // Before its idle time is over, which is far longer than this may take.
  await vi.waitFor(async () => expect(await openNow()).toBe(0), { timeout: 45_000 });
  late.destroy();
  await reset;
});

it('serves this machine when all other connections are taken, and closes the oldest of its reserve', async () => {
  const { connect: open } = await serve((_, response) => void response.end('ok'), { connections: 40 });
  const idle = await open();
  idle.write(GET);
  await once(idle, 'data');
  const silent: Socket[] = [];
  for (let count = 0; count < 60; count += 1) silent.push((await open()).resume());
  const operator = await open();
  operator.write(GET.replace('host', 'connection: close\r\nhost'));
  expect(await text(operator)).toMatch(/ok$/);
  if (!idle.closed) await once(idle.resume(), 'close');
  await eventually(() => expect(silent.filter(({ closed }) => closed)).toHaveLength(23));
  expect(silent.slice(0, 37).some(({ closed }) => closed)).toBe(false);
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['', ''],
])('counts %s as %s', (address, source) => {
  expect(rateLimitKey(address)).toBe(source);
});
