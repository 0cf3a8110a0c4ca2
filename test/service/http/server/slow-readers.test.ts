/** Checks which connections are closed when too much is unread: real sockets, with the clock of the test. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createSlowReaderDetector } from '../../../../src/service/http/server/slow-readers.ts';
import { eventually } from '../../../support/eventually.ts';

/** More than the buffers of the system take. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A server that answers in one write, and its side of each connection in the order they came. */
async function serve() {
  const sockets: Socket[] = [];
  const server = createServer((_, response) => void response.end(LARGE));
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    sockets,
    /** Asks, and gives a function that reads a quarter of the answer. */
    async ask() {
      const client = connect(port, '127.0.0.1').pause();
      onTestFinished(() => void client.destroy());
      client.on('error', () => {});
      await once(client, 'connect');
      client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      const own = sockets.length - 1;
      await eventually(() => expect(sockets[own]?.writableLength).toBeGreaterThanOrEqual(LARGE.length));
      return async () => {
        const until = client.bytesRead + LARGE.length / 4;
        client.resume();
        while (client.bytesRead < until) await once(client, 'data');
        client.pause();
      };
    },
  };
}

it('closes those that read nothing for five seconds, and not those that read', async () => {
  const { sockets, ask } = await serve();
  let now = 0;
  const choose = createSlowReaderDetector({ monotonic: () => now }, 2.5 * LARGE.length);
  const readSome = await ask();
  await ask();
  expect(choose(sockets)).toEqual([]);
  now = 5000;
  await readSome();
  await ask();
  expect(choose(sockets)).toEqual([sockets[1]]);
});

it('closes the youngest of others, those first that have read nothing yet', async () => {
  const { sockets, ask } = await serve();
  let now = 0;
  const choose = createSlowReaderDetector({ monotonic: () => now }, 1.5 * LARGE.length);
  await ask();
  const readSome = await ask();
  await ask();
  expect(createSlowReaderDetector({ monotonic: () => now }, 4 * LARGE.length)(sockets)).toEqual([]);
  expect(choose(sockets)).toEqual([sockets[2], sockets[1]]);
  now = 1000;
  await readSome();
  expect(choose(sockets)).toEqual([sockets[2], sockets[0]]);
});

it('delivers an answer beyond the bound for as long as its client reads', async () => {
  const { sockets, ask } = await serve();
  let now = 0;
  const choose = createSlowReaderDetector({ monotonic: () => now }, 1000);
  const readSome = await ask();
  for (let looks = 0; looks < 3; looks += 1) {
    expect(choose(sockets)).toEqual([]);
    now += 5000;
    await readSome();
  }
  expect(choose(sockets)).toEqual([]);
  now += 5000;
  expect(choose(sockets)).toEqual(sockets);
});
