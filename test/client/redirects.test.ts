/** Redirects: followed by reads within the same origin, and nowhere else, so that the key stays where it belongs. */
import { describe, expect, it } from 'vitest';
import { NetworkError } from '../../src/base/errors.ts';
import { getStatusPage, updateErrorGroup } from '../../src/contract/index.ts';
import { serve, serveWith } from '../support/http.ts';
import { bench, KEY, rejection } from './fixtures.ts';

const page = { params: { statusPageId: 'p' } };

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i of a read within the origin is followed, with the key',
    async (status) => {
      const server = await serve({ status, headers: { location: '/v2/pages/p?x=1' } }, { body: { id: 'p' } });
      const { body } = await bench(server.url).client.call(getStatusPage, page);
      expect(body.id).toBe('p');
      expect(server.requests[1]).toMatchObject({
        url: '/v2/pages/p?x=1',
        headers: { authorization: `Bearer ${KEY}` },
      });
    },
  );

  it.each(['port', 'scheme', 'data'])(
    'to another %s is not followed, and named by its origin only',
    async (kind) => {
      const other = await serve();
      const server = await serve((_request, response) => {
        const places: Record<string, string> = {
          port: `${other.url}/steal?code=s3cret`,
          scheme: `https://127.0.0.1:${server.port}/`,
          data: 'data:text/plain,s3cret',
        };
        response.writeHead(302, { location: places[kind] }).end();
      });
      const { client } = bench(server.url, { retryBudgetMs: 0 });
      const error = await rejection(client.call(getStatusPage, page), NetworkError);
      expect(error.message).toContain(
        `redirects to ${kind === 'data' ? 'data:' : kind === 'port' ? other.url : 'https:'}`,
      );
      expect(`${error.message} ${error.hint}`).not.toContain('s3cret');
      expect(error).toMatchObject({ exitCode: 6, status: 302 });
    },
  );

  it('of a change is not followed', async () => {
    const server = await serve({ status: 307, headers: { location: '/elsewhere' } });
    const { client } = bench(server.url, { retryBudgetMs: 0 });
    const error = await rejection(
      client.call(updateErrorGroup, { params: { id: 'e' }, body: {} }),
      NetworkError,
    );
    expect(error.message).toMatch(/redirects a PATCH request, which sonde does not follow/);
  });

  it('is followed five times', async () => {
    const server = await serveWith((_request, response) =>
      response.writeHead(302, { location: '/again' }).end(),
    );
    const { client } = bench(server.url, { retryBudgetMs: 0 });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(/redirects too many times/);
    expect(server.requests).toHaveLength(6);
  });

  it.each([{}, { location: 'http://[broken' }])('to nowhere is a fault: %j', async (headers) => {
    const server = await serve({ status: 302, headers: headers as Record<string, string> });
    const { client } = bench(server.url, { retryBudgetMs: 0 });
    const error = await rejection(client.call(getStatusPage, page), NetworkError);
    expect(error.message).toMatch(/without a Location header/);
  });
});
