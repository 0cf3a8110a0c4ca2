/** What is tried again, when, and for how long. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { type Client, RefusedError } from '../../src/client/index.ts';
import {
  createDnsCheck,
  deleteSnippet,
  getStatusPage,
  listCheckResultsDeprecated,
  updateErrorGroup,
  updateStatusPage,
} from '../../src/contract/index.ts';
import { serve, serveWith } from '../support/http.ts';
import { bench, rejection } from './fixtures.ts';

const read = (client: Client) => client.call(getStatusPage, { params: { statusPageId: 'p' } });
const post = (client: Client) => client.call(createDnsCheck, { body: {} as never });
const good = { body: { id: 'p' } };

describe('a transient answer', () => {
  const TRANSIENT = [408, 429, 500, 502, 503, 504];
  it.each(TRANSIENT)('%i to a read is tried again', async (status) => {
    const server = await serve({ status }, good);
    const { client, waits } = bench(server.url);
    expect((await read(client)).body.id).toBe('p');
    expect(waits).toEqual([
      {
        kind: 'retry',
        endpoint: 'GET /v1/status-pages/{statusPageId}',
        attempt: 2,
        reason: expect.stringContaining(`the service responded with ${status}`),
        waitMs: 250,
      },
    ]);
  });

  it('to PUT, PATCH and DELETE is tried again', async () => {
    const server = await serve(
      { status: 500 },
      good,
      { status: 502 },
      good,
      { status: 504 },
      { status: 204 },
    );
    const { client } = bench(server.url);
    await client.call(updateStatusPage, { params: { statusPageId: 'p' }, body: {} as never });
    await client.call(updateErrorGroup, { params: { id: 'e' }, body: {} });
    await client.call(deleteSnippet, { params: { id: 1 } });
    expect(server.requests.map(({ method }) => method).join()).toBe('PUT,PUT,PATCH,PATCH,DELETE,DELETE');
  });

  it.each([408, 500, 502, 503, 504])('%i to a POST is not: the server may have acted', async (status) => {
    const server = await serve({ status });
    expect((await rejection(post(bench(server.url).client), ApiError)).status).toBe(status);
  });

  it.each([
    ['429', { status: 429 }],
    ['503 with Retry-After', { status: 503, headers: { 'retry-after': '0' } }],
  ])('%s to a POST is: the server has not acted', async (_name, step) => {
    const server = await serve(step, { status: 201, body: { name: 'n' } });
    expect((await post(bench(server.url).client)).status).toBe(201);
  });

  it.each([400, 401, 402, 403, 404, 409, 413, 422, 501, 505])('%i is final', async (status) => {
    const server = await serve({ status });
    expect((await rejection(read(bench(server.url).client), ApiError)).status).toBe(status);
  });

  it('is final where the caller rides faults out himself', async () => {
    const server = await serve({ status: 408, headers: { 'retry-after': '3' } });
    const { client, clock } = bench(server.url);
    const call = client.call(getStatusPage, { params: { statusPageId: 'p' } }, { retry: false });
    const error = await rejection(call, RefusedError);
    expect(error).toMatchObject({ status: 408, retryAfterMs: 3000, exitCode: 6 });
    expect(clock.slept).toEqual([]);
  });
});

describe('the wait', () => {
  it('doubles its ceiling, never above 10 s, and lies by chance below it', async () => {
    const server = await serveWith((_request, response) => response.writeHead(500).end());
    const chances = [0, 0.25, 0.999, 0.5, 1, 1, 0];
    const { client, clock } = bench(server.url, {
      random: { next: () => chances.shift() ?? 0.999999, uuid: () => '' },
    });
    await rejection(read(client), ApiError);
    expect(clock.slept.slice(0, 7)).toEqual([50, 250, 1998, 2000, 8000, 10_000, 50]);
  });

  it('obeys Retry-After in seconds and as a date, which counts from the clock of the server', async () => {
    const date = 'Sat, 21 Nov 2099 10:00:00 GMT';
    const later = 'Sat, 21 Nov 2099 10:00:07 GMT';
    const server = await serve(
      { status: 429, headers: { 'retry-after': '12' } },
      { status: 503, headers: { 'retry-after': later, date } },
      { status: 503, headers: { 'retry-after': 'soon' } },
      good,
    );
    const { client, clock } = bench(server.url);
    await read(client);
    expect(clock.slept).toEqual([12_000, 7000, 1000]);
  });

  it('ends at once where the server asks for more than the budget, and says when to come back', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after': '300' } });
    const { client, clock } = bench(server.url);
    const error = await rejection(read(client), RefusedError);
    expect(error.hint).toContain('retry in 5 min, at 2026-11-21T10:05:00Z');
    expect(error).toMatchObject({ exitCode: 6, retryAfterMs: 300_000 });
    expect(clock.slept).toEqual([]);
  });

  it('stays within the budget of the client, or of the call', async () => {
    const server = await serveWith((_request, response) => response.writeHead(503).end());
    const short = bench(server.url, { retryBudgetMs: 5000 });
    const error = await rejection(read(short.client), ApiError);
    expect(short.clock.slept).toEqual([250, 500, 1000, 2000]);
    expect(error.hint).toBe('tried 5 times in 3.8 s');
    const none = bench(server.url);
    await rejection(
      none.client.call(getStatusPage, { params: { statusPageId: 'p' } }, { budgetMs: 0 }),
      ApiError,
    );
    expect(none.clock.slept).toEqual([]);
  });

  it('counts the budget from the first failure, so that a slow first attempt does not eat it', async () => {
    const slow = await serve({ status: 503 }, good);
    const { client, clock, waits } = bench(slow.url);
    await clock.sleep(1_000_000);
    await read(client);
    expect(waits.length).toBe(1);
  });
});

describe('the documented rate', () => {
  it('costs a single call nothing and holds the sixth deprecated listing back', async () => {
    const server = await serveWith((_request, response) => response.end('[]'));
    const { client, clock, waits } = bench(server.url);
    const list = () => client.call(listCheckResultsDeprecated, { params: { checkId: 'c' } });
    for (let time = 0; time < 5; time++) await list();
    expect(clock.slept).toEqual([]);
    await list();
    expect(clock.slept).toEqual([10_500]);
    expect(waits).toMatchObject([{ kind: 'rate', waitMs: 10_500, attempt: 1 }]);
  });

  it('counts each attempt', async () => {
    const server = await serveWith((_request, response) => response.writeHead(500).end());
    const { client, waits } = bench(server.url, { retryBudgetMs: 20_000 });
    await rejection(client.call(listCheckResultsDeprecated, { params: { checkId: 'c' } }), ApiError);
    expect(waits.some(({ kind }) => kind === 'rate')).toBe(true);
  });
});
