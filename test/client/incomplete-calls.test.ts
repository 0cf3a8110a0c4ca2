/** Calls that end before their answer is whole: it takes too long, has no end, or nobody wants it any more. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { NetworkError } from '../../src/base/errors.ts';
import { getStatusPage } from '../../src/contract/index.ts';
import { answer, serve, serveSockets, serveWith } from '../support/http.ts';
import { bench, gate, rejection } from './fixtures.ts';

const page = { params: { statusPageId: 'p' } };
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

describe('an answer that takes too long', () => {
  it.each([
    ['nothing comes', ''],
    ['only a head comes', `${HEAD}content-length: 10\r\n\r\n`],
  ])('ends at the answer time-out: %s', async (_name, start) => {
    const server = await serveSockets((socket) => socket.once('data', () => socket.write(start)));
    const { client } = bench(server.url, { requestTimeoutMs: 80, retryBudgetMs: 0 });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toBe(`${server.url} did not respond completely within 80 ms`);
    expect(error.hint).toMatch(/--request-timeout/);
  });

  it('ends although it drips: the time is for the whole answer', async () => {
    const server = await serveWith((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    });
    const { client } = bench(server.url, { retryBudgetMs: 0 });
    const call = client.call(getStatusPage, page, { answerTimeoutMs: 120 });
    expect((await rejection(call, NetworkError)).message).toMatch(/within 120 ms/);
  });

  it('is waited for where a long poll says so', async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => answer(response, { body: { id: 'p' } }), 150);
    });
    const { client } = bench(server.url, { requestTimeoutMs: 50 });
    const { body } = await client.call(getStatusPage, page, { answerTimeoutMs: 20_000 });
    expect(body.id).toBe('p');
  });
});

describe('an answer without end', () => {
  it('is dropped at 64 MiB, once', async () => {
    const block = Buffer.alloc(1024 * 1024, 'x');
    const server = await serveWith((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(block));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { client } = bench(server.url);
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(/more than 64 MiB/);
    expect(server.requests.length).toBe(1);
  });
});

describe('a cancelled call', () => {
  it('rejects with its reason while it waits for an answer, and frees the connection', async () => {
    const stop = new AbortController();
    const closed = gate();
    const server = await serveWith((_request, response) => {
      response.on('close', closed.open);
      stop.abort(new Error('stopped by a person'));
    });
    const call = bench(server.url).client.call(getStatusPage, page, { signal: stop.signal });
    await expect(call).rejects.toThrow('stopped by a person');
    await closed.opened;
  });

  it('rejects with its reason during a back-off', async () => {
    const stop = new AbortController();
    const server = await serve({ status: 503 });
    const { client } = bench(server.url, {
      clock: {
        ...systemClock,
        now: () => 0,
        monotonic: () => 0,
        sleep: (_ms, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason));
            stop.abort(new Error('stopped'));
          }),
      },
    });
    await expect(client.call(getStatusPage, page, { signal: stop.signal })).rejects.toThrow('stopped');
  });

  it('sends nothing where it was cancelled before', async () => {
    const server = await serve();
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(bench(server.url).client.call(getStatusPage, page, { signal })).rejects.toThrow(
      'never mind',
    );
  });

  it('rejects at once while the connection is not made, and asks for nothing once it is', async () => {
    const stop = new AbortController();
    const server = await serveSockets((socket) => {
      stop.abort(new Error('stopped early'));
      socket.once('data', (data) => socket.end(data));
    });
    const { client } = bench(`https://localhost:${server.port}`);
    await expect(client.call(getStatusPage, page, { signal: stop.signal })).rejects.toThrow('stopped early');
  });
});

it('holds fifty polls at once, each with a connection, all of which one signal ends', async () => {
  const all = gate();
  const server = await serveWith(() => {
    if (server.requests.length === 50) all.open();
  });
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const { client } = bench(server.url);
  const stop = new AbortController();
  const polls = Array.from({ length: 50 }, () => client.call(getStatusPage, page, { signal: stop.signal }));
  const ends = Promise.allSettled(polls);
  await all.opened;
  stop.abort(new Error('enough'));
  expect(new Set((await ends).map((end) => end.status))).toEqual(new Set(['rejected']));
  expect(warnings).toEqual([]);
});

describe('a closed client', () => {
  it('fails what is under way and leaves no connection', async () => {
    const arrived = gate();
    const server = await serveWith(() => arrived.open());
    const { client } = bench(server.url, { retryBudgetMs: 0 });
    const call = rejection(client.call(getStatusPage, page), NetworkError);
    await arrived.opened;
    await client.close();
    expect((await call).message).toMatch(/closed before/);
  });
});
