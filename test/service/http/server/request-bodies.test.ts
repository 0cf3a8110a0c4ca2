/** Request bodies that nobody waits for, in many pieces, or too large together. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONNECTION_LIMITS } from '../../../../src/service/http/server/connection-limiter.ts';
import { BODY_LIMITS } from '../../../../src/service/http/server/request-bodies.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

const MB = 1024 * 1024;
const TINY = '1\r\n \r\n';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    limits: { connections: { ...CONNECTION_LIMITS, bodies: { ...BODY_LIMITS, heldBytes: 2 * MB } } },
  });
});
afterAll(() => service.close());

async function open(): Promise<Socket> {
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends a request without ending its body, and returns what comes back until the service ends the connection. */
async function answerTo(line: string, headers: readonly string[], body = ''): Promise<string> {
  const socket = await open();
  socket.write([`${line} HTTP/1.1`, 'host: a', ...headers, '', body].join('\r\n'));
  return text(socket);
}

const JSON_TYPE = 'content-type: application/json';
const CHUNKED = 'transfer-encoding: chunked';
const key = () => `authorization: Bearer ${service.apiKey}`;

describe('a refusal does not wait for the body, and ends the connection', () => {
  it.each([
    ['POST /nowhere', [], 404],
    ['POST /v1/checks/dns', [], 401],
    ['POST /v1/checks/dns', ['authorization: Bearer sk_wrong'], 401],
    ['DELETE /v1/checks', ['authorization: Bearer sk_wrong'], 405],
    ['POST /ping/unknown', [], 404],
    ['POST /local/listKeys', [], 404],
    ['POST /v1/code-bundles', ['expect: 200-ok'], 417],
  ] as const)('%s %j: %i', async (line, headers, status) => {
    for (const framing of [CHUNKED, `content-length: ${300 * MB}`]) {
      const answer = await answerTo(line, [...headers, JSON_TYPE, framing]);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
      expect(answer).toMatch(/"statusCode":\d+.*}$/s);
    }
  });

  it('by the declared size', async () => {
    const headers = [key(), JSON_TYPE, `content-length: ${2 * MB}`];
    expect(await answerTo('POST /v1/checks/dns', headers)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('by the media type', async () => {
    const headers = [key(), 'content-type: text/xml', `content-length: ${MB}`];
    expect(await answerTo('POST /v1/checks/dns', headers)).toMatch(/^HTTP\/1\.1 415 /);
  });
});

it('keeps the connection after a body that was read', async () => {
  const socket = await open();
  const body = '{"name":"s","script":""}';
  const post = `POST /v1/snippets HTTP/1.1\r\nhost: a\r\n${key()}\r\n${JSON_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  for (let sent = 0; sent < 3; sent += 1) {
    socket.write(post);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /);
    expect(String(answer)).toContain('connection: keep-alive'.replace('c', 'C'));
  }
});

it.each(['POST /nowhere', 'POST /v1/checks/dns'])(
  'keeps the connection after the refusal of a short body that came with its head: %s',
  async (line) => {
    const socket = await open();
    const request = `${line} HTTP/1.1\r\nhost: a\r\n${JSON_TYPE}\r\ncontent-length: 2\r\n\r\n{}`;
    const answers: string[] = [];
    socket.setEncoding('utf8').on('data', (piece: string) => answers.push(piece));
    for (const count of [1, 2]) {
      socket.write(request);
      await eventually(() => expect(answers.join('').match(/HTTP\/1\.1 40[14] /g)).toHaveLength(count));
    }
    expect(answers.join('').toLowerCase()).not.toContain('connection: close');
  },
);

it('asks for a body only when it reads it', async () => {
  const waiting = [JSON_TYPE, CHUNKED, 'expect: 100-continue'];
  expect(await answerTo('POST /v1/snippets', waiting)).toMatch(/^HTTP\/1\.1 401 /);
  expect(await answerTo('POST /nowhere', waiting)).toMatch(/^HTTP\/1\.1 404 /);
  const socket = await open();
  socket.write(
    `POST /v1/snippets HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${[key(), ...waiting].join('\r\n')}\r\n\r\n`,
  );
  const [first] = await once(socket, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 /);
  socket.write('18\r\n{"name":"s","script":""}\r\n0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /);
});

it('refuses more small chunks than a client needs, and takes as many as it may need', async () => {
  const headers = [key(), JSON_TYPE, CHUNKED];
  const tooMany = await answerTo('POST /v1/snippets', headers, TINY.repeat(BODY_LIMITS.chunks + 10));
  expect(tooMany).toMatch(/^HTTP\/1\.1 413 .*too many small chunks/s);
  const body = [...'{"name":"small","script":""}'].map((letter) => `1\r\n${letter}\r\n`).join('');
  const padding = TINY.repeat(BODY_LIMITS.chunks - 100);
  const taken = await answerTo(
    'POST /v1/snippets',
    [...headers, 'connection: close'],
    `${padding}${body}0\r\n\r\n`,
  );
  expect(taken).toMatch(/^HTTP\/1\.1 201 .*"name":"small"/s);
});

it('reads large bodies in small pieces, compressed or not', async () => {
  const large = Buffer.from(JSON.stringify({ name: 'large', script: 'x'.repeat(900_000) }));
  for (const [bytes, headers] of [
    [large, {}],
    [gzipSync(large), { 'content-encoding': 'gzip' }],
  ] as const) {
    const request = httpRequest(`${service.url}/v1/snippets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json', ...headers },
    });
    for (let at = 0; at < bytes.length; at += 1000) request.write(bytes.subarray(at, at + 1000));
    const [answer] = await once(request.end(), 'response');
    expect(answer.statusCode).toBe(201);
    expect(await text(answer)).toContain('"name":"large"');
  }
});

it('closes the largest of the bodies that are too large together', async () => {
  const begin = async (bytes: number) => {
    const socket = await open();
    socket.write(
      `POST /v1/snippets HTTP/1.1\r\nhost: a\r\n${key()}\r\n${JSON_TYPE}\r\ncontent-length: ${MB}\r\n\r\n${'x'.repeat(bytes)}`,
    );
    return text(socket);
  };
  const answers: (readonly [number, string])[] = [];
  // The second is smaller than what can be missing of the first when the budget is exceeded.
  for (const size of [900_000, 650_000, 600_000])
    begin(size)
      .then((said) => answers.push([size, said]))
      .catch(() => {});
  await eventually(() => expect(answers).toHaveLength(1));
  expect(answers).toEqual([[900_000, expect.stringMatching(/^HTTP\/1\.1 503 .*retry-after: 10/s)]]);
});

it('lets clients read a refusal that came before their body ended', async () => {
  const body = 'x'.repeat(900_000);
  for (const [path, status] of [
    ['/nowhere', 404],
    ['/v1/snippets', 401],
  ] as const) {
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ statusCode: status });
    // Reads only after it has sent everything.
    const patient = await open();
    patient.pause();
    patient.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\n${JSON_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    await new Promise((resolve) => patient.write(body, resolve));
    expect(await text(patient)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
});

const curl = promisify(execFile);
const hasCurl = await curl('curl', ['--version']).then(
  () => true,
  () => false,
);
it.skipIf(!hasCurl)('lets curl read a refusal', async () => {
  const sent = [
    '-s',
    '-w',
    '%{http_code}',
    '-o',
    '/dev/null',
    '-H',
    JSON_TYPE,
    '--data-binary',
    'x'.repeat(100_000),
  ];
  for (const [path, status] of [
    ['/nowhere', '404'],
    ['/v1/snippets', '401'],
  ] as const)
    expect((await curl('curl', [...sent, `${service.url}${path}`])).stdout).toBe(status);
});

it('starts a request that follows a refused one only if it waited for the body of that one', async () => {
  const next = 'GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
  const statuses = async (headers: readonly string[], body: string) =>
    (await answerTo('POST /nowhere', [JSON_TYPE, ...headers], body)).match(/HTTP\/1\.1 \d+/g);
  expect(await statuses(['content-length: 2'], `{}${next}`)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  expect(await statuses(['content-length: 300000'], `{}${next}`)).toEqual(['HTTP/1.1 404']);
});
