/** What `--trace` and `--dry-run` show, and what they must never show. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { describeRaw, describeRequest, redact } from '../../src/client/index.ts';
import {
  createBrowserCheck,
  deleteVariable,
  getStatusPage,
  updateCheckGroup,
} from '../../src/contract/index.ts';
import { serve } from '../support/http.ts';
import { ACCOUNT, bench, KEY } from './fixtures.ts';

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
    expect(text).toMatch(/^\* the service answered 503 Service Unavailable; attempt 2 follows in 250 ms$/m);
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
    expect(lines.at(-1)).toMatch(/^< no answer after \d+ ms: /);
  });
});
