/** Bodies of every framing that nobody without a key may send: to each endpoint, and to none. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { paramsOf } from '../service/http/api/any-request.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';

const MB = 1024 * 1024;

let service: E2eService;
let sockets: Socket[];
beforeEach(async () => {
  service = await startE2eService();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  expect(await service.close()).toBe(0);
});

const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const lineOf = (endpoint: contract.Endpoint): string => {
  const params: Readonly<Record<string, unknown>> = paramsOf(endpoint);
  return `${endpoint.method} ${endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(params[name]))}`;
};
const LINES: readonly string[] = [
  ...new Set(endpoints.map(lineOf)),
  ...[
    'POST /nowhere',
    'PUT /',
    'POST /ping/guess',
    'POST /api/push/guess',
    'POST /local/listKeys',
    'GET /health',
  ],
  'POST /checks/guess/trigger/guess',
];

/** Forms of pages, which need no key: a body is read, up to 16 KB. */
const FORMS = ['POST /sign-in', 'POST /status/guess/subscribe', 'POST /time-zone'];

const TINY = Buffer.from('1\r\n \r\n'.repeat(100_000));
const zipped = gzipSync(Buffer.alloc(64 * MB));
const JSON_TYPE = 'content-type: application/json';
/** Headers and content by framing. None is a body that an endpoint could take. */
const FRAMINGS: Readonly<Record<string, readonly [readonly string[], Buffer]>> = {
  none: [['connection: close'], Buffer.alloc(0)],
  'content-length': [[JSON_TYPE, 'connection: close', 'content-length: 2'], Buffer.from('{}')],
  'tiny chunks': [[JSON_TYPE, 'transfer-encoding: chunked'], TINY],
  gzip: [
    [JSON_TYPE, 'content-encoding: gzip', `content-length: ${zipped.length}`, 'connection: close'],
    zipped,
  ],
  truncated: [[JSON_TYPE, 'content-length: 1000'], Buffer.from('{')],
  'too large': [[JSON_TYPE, `content-length: ${100 * MB}`], Buffer.alloc(16 * MB)],
  endless: [[JSON_TYPE, 'transfer-encoding: chunked'], Buffer.from('1\r\n')],
  'waits for 100': [[JSON_TYPE, 'expect: 100-continue', 'transfer-encoding: chunked'], Buffer.alloc(0)],
};
/** Framings whose body never ends: a form is awaited for 30 seconds. */
const UNFINISHED = ['truncated', 'endless', 'waits for 100'];
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  anonymous: [],
  'wrong key': ['authorization: Bearer sk_wrong'],
  'wrong agent key': ['authorization: Bearer pl_wrong'],
};

/** Sends a request and its body until the service closes the connection. Returns the response. */
async function say(line: string, headers: readonly string[], body: Buffer) {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write([`${line} HTTP/1.1`, 'host: a', ...headers, '', ''].join('\r\n'));
  socket.write(body);
  let said = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    said += part;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

/** Memory of the service's process, in bytes. */
const memory = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid()}/status`, 'utf8'))?.[1]) * 1024;

it('every endpoint and none refuse every framing, with an answer that the client can read', async () => {
  const before = memory();
  const wrong: unknown[] = [];
  for (const [caller, authorization] of Object.entries(CALLERS)) {
    for (const [framing, [headers, body]] of Object.entries(FRAMINGS)) {
      const send = async (line: string) => {
        const said = await say(line, [...authorization, ...headers], body);
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1]);
        const isRefused = status >= 400 && status < 500 && status !== 408;
        const isFine = isRefused || (!/^(?:POST|PUT|PATCH|DELETE) \/v\d/.test(line) && status < 400);
        if (!isFine || said.includes(' 100 '))
          wrong.push({ caller, framing, line, said: said.slice(0, 100) });
      };
      const lines = UNFINISHED.includes(framing) ? LINES : [...LINES, ...FORMS];
      for (let at = 0; at < lines.length; at += 40) await Promise.all(lines.slice(at, at + 40).map(send));
    }
  }
  expect(wrong).toEqual([]);
  expect(memory() - before).toBeLessThan(150 * MB);
});

/** The median of how long the health takes to answer, in ms. */
async function healthMedian(): Promise<number> {
  const took: number[] = [];
  for (let asked = 0; asked < 60; asked += 1) {
    const begun = performance.now();
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    took.push(performance.now() - begun);
  }
  return took.sort((one, other) => one - other)[30] ?? Number.NaN;
}

it('serves others while twenty connections send chunks of one byte, and gives the memory back', async () => {
  await healthMedian();
  const idle = await healthMedian();
  const before = memory();
  const [headers, body] = FRAMINGS['tiny chunks'] ?? [[], Buffer.alloc(0)];
  for (const line of ['POST /nowhere', 'POST /v1/checks/dns', 'POST /ping/guess', 'POST /sign-in']) {
    const attack = Promise.all(
      Array.from({ length: 20 }, () => say(line, ['authorization: Bearer sk_wrong', ...headers], body)),
    );
    const busy = await healthMedian();
    await attack;
    // Below 50 ms it is the machine that is measured.
    expect([line, busy < Math.max(50, 5 * idle) ? 'in time' : `${busy} ms, ${idle} ms idle`]).toEqual([
      line,
      'in time',
    ]);
    expect(memory() - before).toBeLessThan(150 * MB);
  }
});

it('does not wait for a body that comes a byte at a time', async () => {
  const { hostname, port } = new URL(service.url);
  const slow = Array.from({ length: 50 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    socket.write(`POST /nowhere HTTP/1.1\r\nhost: a\r\n${JSON_TYPE}\r\ncontent-length: 1000\r\n\r\n`);
    const dribbling = setInterval(() => socket.write(' '), 200);
    socket.once('close', () => clearInterval(dribbling));
    return text(socket).catch(() => '');
  });
  for (const said of await Promise.all(slow)) expect(said).toMatch(/^HTTP\/1\.1 404 /);
});
