/** A call as the service sees it, and its good answer as the caller sees it. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CredentialsError, NetworkError, UsageError } from '../../src/base/errors.ts';
import { createClient } from '../../src/client/index.ts';
import {
  createDnsCheck,
  deleteSnippet,
  deleteVariable,
  getCheckSession,
  getMaintenanceWindow,
  getStatusPage,
  listMaintenanceWindows,
  updateErrorGroup,
} from '../../src/contract/index.ts';
import { serve } from '../support/http.ts';
import { ACCOUNT, bench, jumpingClock, KEY, rejection, SESSION } from './fixtures.ts';

describe('a call', () => {
  it('sends the key, the account and who asks, and resolves with all there is of the answer', async () => {
    const body = { id: 5, name: 'Release', unknownField: 'kept' };
    const server = await serve({ body, headers: { 'x-request-id': 'r-1' } });
    const { client } = bench(server.url);
    const answer = await client.call(getMaintenanceWindow, { params: { id: 5 } });
    expect(answer).toMatchObject({ status: 200, body, text: JSON.stringify(body), requestId: 'r-1' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const name: string = answer.body.name;
    expect(name).toBe('Release');
    const [seen] = server.requests;
    expect(seen).toMatchObject({ method: 'GET', url: '/v1/maintenance-windows/5', body: '' });
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-service-account': ACCOUNT,
      'user-agent': 'sonde/1.2.3',
      accept: 'application/json',
    });
    expect(seen?.headers).not.toHaveProperty('content-type');
    expect(seen?.headers).not.toHaveProperty('content-length');
  });

  it('sends a body as JSON and says so', async () => {
    const server = await serve({ body: { id: 'e1' } });
    const change = { archivedUntilNextEvent: true };
    await bench(server.url).client.call(updateErrorGroup, { params: { id: 'e1' }, body: change });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(change);
  });

  it('names the account by the header of the profile, and not at all where there is none', async () => {
    const server = await serve({ status: 204 }, { status: 204 });
    const branded = bench(server.url, { accountHeader: 'X-Acme-Account' });
    await branded.client.call(deleteSnippet, { params: { id: 1 } });
    await bench(server.url, { accountId: undefined }).client.call(deleteSnippet, { params: { id: 1 } });
    expect(server.requests[0]?.headers['x-acme-account']).toBe(ACCOUNT);
    expect(server.requests[0]?.headers).not.toHaveProperty('x-service-account');
    expect(server.requests[1]?.headers).not.toHaveProperty('x-service-account');
  });

  it('warns of fields that the service ignored', async () => {
    const warnings: string[] = [];
    const headers = { 'x-ignored-fields': 'foo, query.bar' };
    const server = await serve({ status: 204, headers }, { status: 204 });
    const { client } = bench(server.url, { onWarning: (sentence) => warnings.push(sentence) });
    await client.call(deleteSnippet, { params: { id: 1 } });
    await client.call(deleteSnippet, { params: { id: 1 } });
    expect(warnings).toEqual(['The service ignored fields: foo, query.bar']);
  });

  it('lives below the path of the base URL', async () => {
    const server = await serve({ status: 204 });
    await bench(`${server.url}/api/`).client.call(deleteSnippet, { params: { id: 1 } });
    expect(server.requests[0]?.url).toBe('/api/v1/snippets/1');
  });

  it('encodes what stands in a path', async () => {
    const server = await serve({ status: 204 });
    await bench(server.url).client.call(deleteVariable, { params: { key: 'A/B?c#d é%2e..' } });
    expect(server.requests[0]?.url).toBe('/v1/variables/A%2FB%3Fc%23d%20%C3%A9%252e..');
  });

  it.each(['', '.', '..', '\ud800'])('refuses %j in a path and sends nothing', async (key) => {
    const server = await serve();
    const error = await rejection(
      bench(server.url).client.call(deleteVariable, { params: { key } }),
      UsageError,
    );
    expect(error.message).toMatch(/^key /);
  });

  it('writes filters in brackets and leaves out what was not said', async () => {
    const server = await serve({ body: [] });
    await bench(server.url).client.call(listMaintenanceWindows, {
      query: { limit: 5, startsAt: { gte: '2026-11-21' } },
    });
    expect(server.requests[0]?.url).toBe('/v1/maintenance-windows?limit=5&startsAt[gte]=2026-11-21');
  });

  it('takes 204, an empty 200 and any JSON for the success of a call that answers nothing', async () => {
    const server = await serve({ status: 204 }, { status: 200 }, { body: { ok: true } });
    const { client } = bench(server.url);
    for (const body of [undefined, undefined, { ok: true }]) {
      const answer = await client.call(deleteSnippet, { params: { id: 1 } });
      expect(answer.body).toEqual(body);
    }
  });

  it('reads JSON whatever its content type, with a byte order mark, and compressed though nobody asked', async () => {
    const body = { checkSessionId: SESSION };
    const json = JSON.stringify(body);
    const packed =
      (coding: string, bytes: Buffer) => (_: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-encoding': coding }).end(bytes);
      };
    const server = await serve(
      { body: `\uFEFF${json}`, headers: { 'content-type': 'text/plain' } },
      packed('gzip', gzipSync(json)),
      packed('br', brotliCompressSync(json)),
    );
    const { client } = bench(server.url);
    for (let time = 0; time < 3; time++) {
      const answer = await client.call(getCheckSession, { params: { checkSessionId: SESSION } });
      expect(answer.body).toEqual(body);
    }
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('what cannot be sent', () => {
  const config = {
    getKey: async () => KEY,
    userAgent: 'sonde/1.2.3',
    clock: jumpingClock(),
    random: { next: () => 0, uuid: () => SESSION },
  };

  it.each(['', 'no url', 'ftp://host', 'https://user:pass@host'])('refuses the base URL %j', (baseUrl) => {
    expect(() => createClient({ ...config, baseUrl })).toThrow(UsageError);
  });

  it.each(['', 'line\nbreak', 'späce'])('refuses the key %j without showing it', async (key) => {
    const server = await serve();
    const { client } = bench(server.url, { getKey: async () => key });
    const error = await rejection(client.call(deleteSnippet, { params: { id: 1 } }), CredentialsError);
    if (key) expect(`${error.message} ${error.hint}`).not.toContain(key);
  });

  it('reveals the key once an attempt and passes on why it cannot', async () => {
    const server = await serve({ status: 503 }, { status: 204 });
    let revealed = 0;
    const { client } = bench(server.url, {
      getKey: async () => {
        revealed++;
        return KEY;
      },
    });
    expect(revealed).toBe(0);
    await client.call(deleteSnippet, { params: { id: 1 } });
    expect(revealed).toBe(2);
    const locked = bench(server.url, { getKey: () => Promise.reject(new CredentialsError('locked')) });
    await expect(locked.client.call(deleteSnippet, { params: { id: 1 } })).rejects.toThrow('locked');
  });

  it('waits for a key no longer than it is wanted, and then sends nothing', async () => {
    const server = await serve();
    const enough = new AbortController();
    let give = (_key: string): void => {};
    const getKey = () => {
      enough.abort(new Error('enough'));
      return new Promise<string>((given) => {
        give = given;
      });
    };
    const { client } = bench(server.url, { getKey });
    const calling = client.call(deleteSnippet, { params: { id: 1 } }, { signal: enough.signal });
    await expect(calling).rejects.toThrow('enough');
    give(KEY);
    expect(server.requests).toHaveLength(0);
  });

  it.each(['a\nb', 'ä'])('refuses the account id %j', async (accountId) => {
    const server = await serve();
    const { client } = bench(server.url, { accountId });
    await rejection(client.call(deleteSnippet, { params: { id: 1 } }), UsageError);
  });
});

describe('an answer that is not the API', () => {
  const cases: readonly [string, object, RegExp][] = [
    ['an empty body', { body: '' }, /responded with 200 and an empty body/],
    ['a 204 where a body is due', { status: 204 }, /responded with 204 and an empty body/],
    [
      'a web page',
      { body: '<!DOCTYPE html><html><body>Sign in</body></html>' },
      /responded with 200 and a web page/,
    ],
    ['JSON that is cut off', { body: '{"id": "x", "na' }, /incomplete or invalid JSON/],
    ['words', { body: 'It works!' }, /not JSON/],
    ['a bare value', { body: '"OK"' }, /neither an object nor a list/],
    ['null', { body: 'null' }, /neither an object nor a list/],
    [
      'an encoding that is not known',
      { body: 'x', headers: { 'content-encoding': 'zstd' } },
      /cannot be decompressed/,
    ],
    ['a broken encoding', { body: 'x', headers: { 'content-encoding': 'gzip' } }, /cannot be decompressed/],
    ['a status of no meaning here', { status: 304 }, /responded with 304/],
  ];
  it.each(cases)('is a fault: %s', async (_name, step, message) => {
    const server = await serve(step);
    const { client } = bench(server.url);
    const call = client.call(getStatusPage, { params: { statusPageId: 'p' } }, { retry: false });
    const error = await rejection(call, NetworkError);
    expect(error.message).toMatch(message);
    expect(`${error.message} ${error.hint}`).not.toMatch(/<html/i);
    expect(error).toMatchObject({
      exitCode: 6,
      endpoint: 'GET /v1/status-pages/{statusPageId}',
      mayHaveActed: false,
    });
  });

  it('is ridden out like any fault', async () => {
    const server = await serve({ body: '<html>maintenance</html>' }, { body: { id: 'p', name: 'Page' } });
    const { client, waits } = bench(server.url);
    const answer = await client.call(getStatusPage, { params: { statusPageId: 'p' } });
    expect(answer.body.name).toBe('Page');
    expect(waits).toMatchObject([{ kind: 'retry', attempt: 2, reason: expect.stringMatching(/web page/) }]);
  });

  it('is not taken for the success of a DELETE', async () => {
    const server = await serve({ body: '<html>captive portal</html>' });
    const call = bench(server.url).client.call(deleteSnippet, { params: { id: 1 } }, { retry: false });
    expect((await rejection(call, NetworkError)).mayHaveActed).toBe(true);
  });

  it('to a POST says that it may have acted, and is not repeated', async () => {
    const server = await serve({ body: '<html></html>' });
    const body = { name: 'n', request: {}, heartbeat: {}, script: '' } as never;
    const error = await rejection(bench(server.url).client.call(createDnsCheck, { body }), NetworkError);
    expect(error).toMatchObject({ mayHaveActed: true, hint: expect.stringMatching(/may have taken effect/) });
  });
});
