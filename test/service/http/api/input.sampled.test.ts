/** What a request may hold: bodies, addresses, and what is no HTTP at all. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { surviveBodies, surviveQueries } from './any-request.ts';
import { authorized, raw, refusal } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('a body', () => {
  const post = async (body: string | Buffer, type: string | undefined = 'application/json') => {
    const response = await fetch(`${service.url}/v1/snippets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, ...(type ? { 'content-type': type } : {}) },
      body,
    });
    return { status: response.status, body: (await response.json()) as { message: string } };
  };

  it.each([
    ['that is no JSON', '{', 400, 'not valid JSON'],
    ['that is empty', '', 400, 'the body must be an object'],
    ['that is null', 'null', 400, 'the body must be an object'],
    ['that is a list', '[]', 400, 'the body must be an object'],
    ['that nests a thousand deep', '{"a":'.repeat(1000) + '}'.repeat(1000), 400, 'is nested deeper than'],
    ['with a prototype in it', '{"__proto__":{"name":"n"},"script":""}', 400, '__proto__'],
    ['with a NUL in it', '{"name":"a\\u0000b","script":""}', 400, 'NUL'],
    ['with a number for a text', '{"name":1e999,"script":""}', 400, 'name must be a string'],
    ['of too many values', `[${'1,'.repeat(20_000)}1]`, 413, 'values'],
    ['that is too large', `"${'x'.repeat(1024 * 1024)}"`, 413, 'too large'],
  ])('%s is refused', async (_, body, status, message) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, body: refusal(status) });
    expect(answer.body.message).toContain(message);
    expect((await send(service, 'GET /health')).status).toBe(200);
  });

  it('is JSON, whatever else it calls itself', async () => {
    const body = '{"name":"n","script":""}';
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'nonsense']) {
      expect(await post(body, type)).toMatchObject({ status: 415, body: refusal(415) });
    }
    expect((await post(body, 'application/json; charset=utf-8')).status).toBe(201);
    expect((await post(body, 'application/merge-patch+json')).status).toBe(201);
  });

  it('is not sent where none is taken', async () => {
    const { id } = await call(service, contract.createSnippet, { body: { name: 'n', script: '' } });
    const line = `DELETE /v1/snippets/${id}`;
    expect(await send(service, line, { force: true })).toMatchObject({ status: 400, body: refusal(400) });
    expect((await send(service, line, {})).status).toBe(204);
  });

  it('of any shape never breaks the service', () => surviveBodies(service));
});

describe('an address', () => {
  it.each([
    ['/v1/variables/%E0%A4%A', 400],
    ['/v1/variables/a%00b', 400],
    ['/v1/checks?search=%00', 400],
    ['/v1/checks?search=%E0%A4%A', 400],
    ['/v1/checks?serch=x', 400],
    ['/v1/checks?serch=x&strict=true', 400],
    ['/v1/checks?strict=yes', 400],
    ['/v1/checks?limit=0', 400],
    ['/v1/checks?limit=101', 400],
    ['/v1/checks?limit=ten', 400],
    ['/v1/checks?limit=1&limit=2', 400],
    ['/v1/checks?page=1.5', 400],
    ['/v1/checks?page=1e15', 200],
    ['/v1/checks?page=1e300', 400],
    ['/v1/checks/not-a-uuid', 400],
    ['/v1/snippets/seven', 400],
    ['/v1/variables/A_KEY_OF_NOBODY', 404],
    ['/v1/maintenance-windows?startsAt={"gte":"2026-11-21"}', 200],
    ['/v1/maintenance-windows?startsAt={"gte":"2026-13-21"}', 400],
    ['/v1/maintenance-windows?startsAt[between]=2026-11-21', 400],
    ['/v2/check-sessions/00000000-0000-4000-8000-000000000000/completion?maxWaitSeconds=31', 400],
  ])('%s answers %i', async (path, status) => {
    const answer = await send(service, `GET ${path}`);
    expect(answer.status).toBe(status);
    if (status >= 400) expect(answer.body).toEqual(refusal(status));
  });

  it('of any query never breaks the service', () => surviveQueries(service));

  it('may spell a UUID in any case', async () => {
    const check = await call(service, contract.createDnsCheck, {
      body: { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' },
    });
    const id = String(check.id).toUpperCase();
    expect(await call(service, contract.getCheck, { params: { id } })).toMatchObject({ id: check.id });
  });

  it('with a name too long for any id is refused', async () => {
    const answer = await send(service, `GET /v1/check-results/${'x'.repeat(2000)}`);
    expect(answer).toMatchObject({ status: 414, body: refusal(414) });
  });

  it('of the deprecated listing spans at most six hours', async () => {
    const check = await call(service, contract.createDnsCheck, {
      body: { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' },
    });
    const status = async (query: object) =>
      (await ask(service, contract.listCheckResultsDeprecated, { params: { checkId: check.id }, query }))
        .status;
    expect(await status({ from: 1_000_000, to: 1_021_600 })).toBe(200);
    expect(await status({ from: 1_000_000, to: 1_021_601 })).toBe(400);
    expect(await status({ from: 1e300 })).toBeLessThan(500);
    expect(
      await status({ hasFailures: true, location: 'eu-west-1', checkType: 'DNS', resultType: 'ALL' }),
    ).toBe(200);
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    [
      'two lengths',
      `POST /v1/snippets HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}`,
      400,
    ],
    [
      'a length and chunks',
      `POST /v1/snippets HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
      400,
    ],
    ['a NUL in the address', 'GET /v1/\0 HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered in the same shape and hung up on', async (_, said, status) => {
    const answer = await raw(service, said);
    expect(answer.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(refusal(status));
    expect((await send(service, 'GET /health')).status).toBe(200);
  });

  it('is the rest of a pipeline after its first half was answered', async () => {
    const answer = await raw(service, `GET /v1/checks HTTP/1.1\r\n${authorized(service)}\r\ngarbage\r\n\r\n`);
    expect(answer).toMatch(/HTTP\/1.1 400/);
  });

  it('is a request that does not arrive in time', async () => {
    const slow = await startTestService({ limits: { requestTimeoutMs: 100 } });
    try {
      const socket = connect(slow.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        `POST /v1/snippets HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${slow.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1.1 408/);
    } finally {
      await slow.close();
    }
  });
});
