/** Attacks with thousands of requests in one packet: on the time that the service has for others, and on its memory. */
import { once } from 'node:events';
import { IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import {
  CONNECTION_LIMITS,
  createConnectionLimiter,
  MAX_PIPELINED,
} from '../../src/service/http/server/connection-limiter.ts';
import { BODY_LIMITS } from '../../src/service/http/server/request-bodies.ts';

const KB = 1024;

/** Starts a server with these limits, which counts the requests that it parses. */
async function serve(handle: RequestListener, bodies = BODY_LIMITS) {
  const warned: string[] = [];
  const limiter = createConnectionLimiter({
    limits: { ...CONNECTION_LIMITS, bodies },
    clock: systemClock,
    isProxy: () => false,
    warn: (_, message) => void warned.push(message),
  });
  let parsed = 0;
  class CountedRequest extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      parsed += 1;
    }
  }
  const server = limiter.createServer(handle, { IncomingMessage: CountedRequest });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    warned,
    parsed: () => parsed,
    async open(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
  };
}

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const REQUESTS: Readonly<Record<string, string>> = {
  plain: GET,
  'without a host': 'GET / HTTP/1.1\r\n\r\n',
  'with a short body': 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n ',
  'with a chunk': 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\n \r\n0\r\n\r\n',
  'that wait for 100': 'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n ',
  'with an unknown expectation': 'GET / HTTP/1.1\r\nhost: a\r\nexpect: x\r\n\r\n',
};

describe('of a packet, only the requests that may wait are parsed', () => {
  it.each(Object.entries(REQUESTS))('%s', async (_, request) => {
    let started = 0;
    const server = await serve(() => {
      started += 1;
    });
    const socket = await server.open();
    socket.write(GET + request.repeat(3000));
    await text(socket).catch(() => '');
    expect(server.warned).toEqual([expect.stringContaining(`more than ${MAX_PIPELINED} pipelined requests`)]);
    expect(started).toBe(1);
    // The first, those that wait, the one too many, and the one at which the parser stops.
    expect(server.parsed()).toBe(MAX_PIPELINED + 3);
    // Other connections reuse the parser.
    const other = await server.open();
    other.write(GET);
    await expect.poll(() => started).toBe(2);
  });

  it('after a body in too many chunks', async () => {
    const server = await serve(() => {});
    const socket = await server.open();
    const chunks = '1\r\n \r\n'.repeat(BODY_LIMITS.chunks + 100);
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    socket.write(GET.repeat(1000));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    expect(server.parsed()).toBeLessThanOrEqual(2);
  });
});

it('refuses each request without a host, or with an unknown expectation, after the responses before it', async () => {
  const server = await serve((_, response) => void setImmediate(() => response.end('first')));
  const socket = await server.open();
  const last = GET.replace('host', 'connection: close\r\nhost');
  socket.write(GET + REQUESTS['without a host'] + REQUESTS['with an unknown expectation'] + last);
  const statuses = (await text(socket)).match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400', 'HTTP/1.1 417', 'HTTP/1.1 200']);
});

it('forgets the bodies of requests whose connection closes before their turn', async () => {
  let closed: Promise<unknown> | undefined;
  const server = await serve(
    (request, response) => {
      if (request.method === 'POST') request.resume().once('end', () => response.end('done'));
      else closed = once(response, 'close');
    },
    { ...BODY_LIMITS, heldBytes: 100 * KB },
  );
  const post = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${30 * KB}\r\n\r\n${'x'.repeat(30 * KB)}`;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const socket = await server.open();
    socket.write(GET + post);
    await expect.poll(() => server.parsed()).toBe(2 * (attempt + 1));
    socket.destroy();
    await closed;
  }
  const other = await server.open();
  other.write(post.replace('host', 'connection: close\r\nhost'));
  expect(await text(other)).toMatch(/done$/);
  expect(server.warned).toEqual([]);
});
