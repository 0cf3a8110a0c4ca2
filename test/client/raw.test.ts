/** Requests written by hand: any path of the service, never another host, never a POST or PATCH twice. */
import { describe, expect, it } from 'vitest';
import { ApiError, NetworkError, UsageError } from '../../src/base/errors.ts';
import { RefusedError } from '../../src/client/index.ts';
import { serve } from '../support/http.ts';
import { bench, KEY, rejection } from './fixtures.ts';

describe('a raw request', () => {
  it('goes where it says, with query, body and headers', async () => {
    const server = await serve({ body: { ok: 1 } });
    const { client } = bench(`${server.url}/api`);
    const answer = await client.raw('post', 'v1/things?a=1', {
      query: { tag: ['x', 'y'], deep: { gte: 2 }, on: true, none: null },
      body: { n: 1 },
      headers: { 'X-Extra': 'yes', Accept: 'text/plain' },
    });
    expect(answer.body).toEqual({ ok: 1 });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/things?a=1&tag=x&tag=y&deep[gte]=2&on=true',
      body: '{"n":1}',
      headers: { 'x-extra': 'yes', accept: 'text/plain', authorization: `Bearer ${KEY}` },
    });
  });

  it('sends a text as it is and gives a text as it came', async () => {
    const server = await serve({ body: 'metric 1\n', headers: { 'content-type': 'text/plain' } });
    const answer = await bench(server.url).client.raw('PUT', '/m', { body: ' {"a": 1} ' });
    expect(server.requests[0]?.body).toBe(' {"a": 1} ');
    expect(answer).toMatchObject({ text: 'metric 1\n', body: undefined });
  });

  it('takes a whole URL of the same origin, and HEAD', async () => {
    const server = await serve({ headers: { 'x-total': '3' } });
    const answer = await bench(server.url).client.raw('HEAD', `${server.url}/v1/x#part`);
    expect(answer.headers['x-total']).toBe('3');
    expect(server.requests[0]).toMatchObject({ method: 'HEAD', url: '/v1/x' });
  });

  it.each(['https://evil.test/v1', 'http://evil.test', 'http://127.0.0.1:1/'])(
    'takes the key to no other host: %s',
    async (path) => {
      const server = await serve();
      const error = await rejection(bench(server.url).client.raw('GET', path), UsageError);
      expect(error.message).toMatch(/does not send the key of/);
    },
  );

  it.each(['@evil.test/x', '//evil.test/x', '\\\\evil.test', ':80/x', 'javascript:1'])(
    'stays on its host whatever the path: %s',
    async (path) => {
      const server = await serve({ body: {} });
      await bench(server.url).client.raw('GET', path);
    },
  );

  it.each([
    ['a method that does not exist', 'FETCH', {}],
    ['a body of a GET', 'GET', { body: 'x' }],
    ['a key of its own', 'GET', { headers: { Authorization: 'Bearer x' } }],
    ['a host of its own', 'GET', { headers: { host: 'x' } }],
    ['a header with a line break', 'GET', { headers: { 'x-a': 'b\r\nc: d' } }],
    ['a header with a broken name', 'GET', { headers: { 'x a': 'b' } }],
  ])('is refused with %s', async (_name, method, input) => {
    const server = await serve();
    await rejection(bench(server.url).client.raw(method, '/v1/x', input), UsageError);
  });

  it.each(['POST', 'PATCH'])('%s is never sent again', async (method) => {
    const server = await serve({ status: 429, headers: { 'retry-after': '0' } }, (_request, response) =>
      response.destroy(),
    );
    const { client, waits } = bench(server.url);
    expect((await rejection(client.raw(method, '/v1/x', { body: {} }), ApiError)).status).toBe(429);
    expect((await rejection(client.raw(method, '/v1/x', { body: {} }), NetworkError)).mayHaveActed).toBe(
      true,
    );
    expect(waits).toEqual([]);
  });

  it.each(['GET', 'PUT', 'DELETE'])('%s is', async (method) => {
    const server = await serve({ status: 503 }, { body: {} });
    await bench(server.url).client.raw(method, '/v1/x');
  });

  it('that is refused keeps the body of the answer', async () => {
    const server = await serve({ status: 422, body: { message: 'no', extra: [1] } });
    const error = await rejection(bench(server.url).client.raw('POST', '/v1/x', { body: {} }), RefusedError);
    expect(error).toMatchObject({ endpoint: 'POST /v1/x', text: '{"message":"no","extra":[1]}' });
  });

  it('that meets a web page has not met the API', async () => {
    const server = await serve({ body: '<!doctype html><html></html>' });
    const { client } = bench(server.url, { retryBudgetMs: 0 });
    await rejection(client.raw('GET', '/v1/x'), NetworkError);
  });
});
