/** What `--trace` and `--dry-run` show, and what they must never show. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { describeRaw, describeRequest, RefusedError, redact } from '../../src/client/index.ts';
import {
  createBrowserCheck,
  deleteVariable,
  getStatusPage,
  updateCheckGroup,
} from '../../src/contract/index.ts';
import { serve } from '../support/http.ts';
import { ACCOUNT, bench, KEY, rejection } from './fixtures.ts';

const config = { baseUrl: 'https://api.example.test/base/', accountId: ACCOUNT, userAgent: 'sonde/1.2.3' };
const group = {
  name: 'Shop',
  environmentVariables: [{ key: 'PIN', value: 's3cret-pin', secret: true }],
  apiCheckDefaults: { url: 'https://shop', basicAuth: { username: 'ann', password: 's3cret-word' } },
};

describe('a described request', () => {
  it('shows method, URL, headers and body without the key and without write-only values', () => {
    expect(
      describeRequest(config, updateCheckGroup, {
        params: { id: 7 },
        query: { autoAssignAlerts: false },
        body: group,
      }),
    ).toEqual({
      method: 'PUT',
      url: 'https://api.example.test/base/v1/check-groups/7?autoAssignAlerts=false',
      headers: {
        authorization: 'Bearer ***',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'user-agent': 'sonde/1.2.3',
        'x-service-account': ACCOUNT,
      },
      body: {
        name: 'Shop',
        environmentVariables: [{ key: 'PIN', value: '***', secret: true }],
        apiCheckDefaults: { url: 'https://shop', basicAuth: { username: 'ann', password: '***' } },
      },
    });
  });

  it('has no body where there is none, and is refused as the request would be', () => {
    expect(describeRequest(config, deleteVariable, { params: { key: 'PIN' } })).not.toHaveProperty('body');
    expect(() => describeRequest(config, deleteVariable, { params: { key: '..' } })).toThrow(UsageError);
  });
});

describe('a described request that was written by hand', () => {
  it('hides what its names call secret, and shows the rest', () => {
    const body = { key: 'PIN', value: 's3cret', locked: false };
    expect(describeRaw(config, 'post', '/v1/variables', { body, query: { a: 1 } })).toMatchObject({
      method: 'POST',
      url: 'https://api.example.test/base/v1/variables?a=1',
      headers: { authorization: 'Bearer ***', 'content-type': 'application/json' },
      body: { key: 'PIN', value: '***', locked: false },
    });
  });
});

describe('redaction', () => {
  it('leaves the given body alone, and null, absent and unknown fields as they are', () => {
    const body = { name: 'x', script: null, environmentVariables: null, unknown: [{ value: 'kept' }] };
    expect(redact(createBrowserCheck.body, body)).toEqual(body);
    const given = structuredClone(group);
    redact(updateCheckGroup.body, given);
    expect(given).toEqual(group);
    expect(redact(undefined, group)).toBe(group);
  });

  it('reaches into lists and maps', () => {
    const secret = { type: 'string', writeOnly: true } as const;
    expect(redact({ type: 'array', items: { additionalProperties: secret } }, [{ a: 'x', b: 'y' }])).toEqual([
      { a: '***', b: '***' },
    ]);
  });
});

describe('a trace', () => {
  it('tells what was sent and what came back, attempt by attempt', async () => {
    const server = await serve({ status: 503, body: 'busy' }, { body: { id: 'p', name: 'Page' } });
    const { client, lines } = bench(server.url);
    await client.call(getStatusPage, { params: { statusPageId: 'p' } });
    const text = lines.join('\n');
    expect(lines[0]).toBe(`> GET ${server.url}/v1/status-pages/p`);
    expect(lines[1]).toBe('> authorization: Bearer ***');
    expect(text).toMatch(/^> x-service-account: /m);
    expect(text).toMatch(/^< 503 Service Unavailable after \d+/m);
    expect(text).toMatch(/^< busy$/m);
    expect(text).toMatch(/^\* the service responded with 503 Service Unavailable; attempt 2 in 250 ms$/m);
    expect(text).toMatch(/^> GET .* \(attempt 2\)$/m);
    expect(text).toMatch(/^< \{"id":"p","name":"Page"\}$/m);
  });

  it('never shows a secret: of the request, of the answer, nor the key wherever it turns up', async () => {
    const answered = {
      name: 'Shop',
      environmentVariables: [{ key: 'PIN', value: 's3cret-pin' }],
      apiCheckDefaults: {
        basicAuth: { password: 's3cret-word' },
        headers: [{ key: 'Authorization', value: 's3cret-head' }],
      },
      keys: [{ rawKey: 'pl_s3cret' }],
      echo: `you sent ${KEY}`,
      url: `https://x/?k=${encodeURIComponent(KEY)}`,
    };
    const server = await serve({
      body: answered,
      headers: { 'set-cookie': 'session=s3cret-cookie', 'x-echo': `Bearer ${KEY}` },
    });
    const { client, lines } = bench(server.url);
    await client.call(updateCheckGroup, { params: { id: 7 }, body: group });
    const text = lines.join('\n');
    expect(text).toContain('"name":"Shop"');
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(encodeURIComponent(KEY));
  });

  it('shows no part of a key that stands where a long body is cut', async () => {
    for (const type of ['text/plain', 'application/json']) {
      for (let before = 3960; before <= 4000; before += 5) {
        const long = 'x'.repeat(before) + KEY + 'y'.repeat(500);
        const server = await serve({
          status: 400,
          headers: { 'content-type': type },
          body: type === 'text/plain' ? long : [long],
        });
        const { client, lines } = bench(server.url);
        await client.raw('GET', '/v1/x').catch(() => {});
        expect(lines.join('\n')).not.toContain(KEY.slice(0, 6));
      }
    }
  });

  it('hides secrets of requests written by hand by their names', async () => {
    const server = await serve({ status: 204 });
    const { client, lines } = bench(server.url);
    const headers = { 'x-api-key': 's3cret-a', 'proxy-authorization-token': 's3cret-b' };
    await client.raw('POST', '/v1/variables', { body: { key: 'PIN', value: 's3cret-pin' }, headers });
    expect(lines.join('\n')).toContain('{"key":"PIN","value":"***"}');
    expect(lines.join('\n')).not.toContain('s3cret');
  });

  it('is one line a thing, and bounded', async () => {
    const server = await serve({ body: `[${JSON.stringify('x\n'.repeat(10_000))}]` });
    const { client, lines } = bench(server.url);
    await client.raw('GET', '/v1/x');
    for (const line of lines) {
      expect(line).not.toContain('\n');
      expect(line.length).toBeLessThan(5000);
    }
  });

  it('tells of a connection that broke', async () => {
    const server = await serve((_request, response) => response.destroy());
    const { client, lines } = bench(server.url, { retryBudgetMs: 0 });
    await client.raw('GET', '/v1/x').catch(() => {});
    expect(lines.at(-1)).toMatch(/^< no response after \d+ ms: /);
  });
});

describe('an error', () => {
  const escaped = [...KEY]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  const lower = (text: string) => text.replaceAll(/%../g, (code) => code.toLowerCase());
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it.each([
    ['as it is', `{"message":"${KEY}"}`],
    ['in lower case', `{"message":"${KEY.toLowerCase()}"}`],
    ['in escape sequences', `{"message":"${escaped}"}`],
    ['in escape sequences of a name', `{"message":"m","attributes":{"${escaped}":"is wrong"}}`],
    ['with its slashes escaped', `{"message":"${KEY.replaceAll('/', '\\/')}"}`],
    ['percent-encoded', `{"message":"${encodeURIComponent(KEY)}"}`],
    ['percent-encoded in lower case', `{"message":"${lower(encodeURIComponent(KEY))}"}`],
    ['in hex', `{"message":"${Buffer.from(KEY).toString('hex')}"}`],
    ['in base64', `{"message":"${base64(KEY)}"}`],
    ['in base64 with more before it', `{"message":"${base64(`Bearer ${KEY}`)} ${base64(`x:${KEY}:y`)}"}`],
    ['in the alphabet of URLs', `{"message":"${Buffer.from(`a${KEY}`).toString('base64url')}"}`],
  ])('never tells a key back that the service wrote %s', async (_, body) => {
    const server = await serve({ status: 400, body, headers: { 'content-type': 'application/json' } });
    const { client, lines } = bench(server.url);
    const error = await rejection(client.raw('GET', '/v1/x'), RefusedError);
    const told = [error.message, error.text, JSON.stringify(error.details), error.hint, ...lines].join('\n');
    for (const text of [
      told,
      decodeURIComponent(told.replaceAll(/%(?![0-9a-f]{2})/gi, '')),
      ...texts(told),
    ]) {
      expect(text.toLowerCase()).not.toContain(KEY.slice(0, 8).toLowerCase());
    }
  });

  it('never tells it back from headers either', async () => {
    const long = 'x'.repeat(190) + KEY;
    for (const headers of [{ 'x-request-id': KEY }, { 'x-request-id': long }, { 'content-encoding': KEY }]) {
      const server = await serve({ status: 200, headers, body: 'x' }, { status: 400, headers, body: '{}' });
      const { client } = bench(server.url, { retryBudgetMs: 0 });
      for (const path of ['/v1/x', '/v1/y']) {
        const told = await client.raw('GET', path).then(
          ({ requestId }) => requestId,
          (error: Error & { requestId?: string }) => error.message + error.requestId,
        );
        expect(String(told).toLowerCase()).not.toContain(KEY.slice(0, 8));
      }
    }
  });

  it('is told as it came where no key is in it', async () => {
    const body = '{ "message" : "caf\\u00e9 \\/ x" }';
    const server = await serve({ status: 400, body });
    const error = await rejection(bench(server.url).client.raw('GET', '/v1/x'), RefusedError);
    expect(error).toMatchObject({ text: body, message: 'café / x' });
  });
});

/** What stands in a text in hex or in base64. */
function texts(text: string): string[] {
  const words = text.match(/[\w+/-]{8,}/g) ?? [];
  return words
    .flatMap((word) => [0, 1, 2, 3].map((from) => word.slice(from)))
    .flatMap((word) => [
      Buffer.from(word, 'hex').toString('latin1'),
      Buffer.from(word, 'base64').toString('latin1'),
    ]);
}
