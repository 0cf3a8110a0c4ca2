/** Responses that browsers and curl read although they break the standard: each is read, and its flaw is noted. */
import { describe, expect, it } from 'vitest';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import type { ApiCheck } from '../../../src/runners/api/types.ts';
import type { RunContext } from '../../../src/runners/core/runner.ts';
import { ResponseReader } from '../../../src/runners/http/response-reader.ts';
import { UnusableResponse } from '../../../src/runners/http/unusable-response.ts';
import { run, type UrlCheck } from '../../../src/runners/http/url-runner.ts';
import { hastyClock } from '../../support/clock.ts';
import { serveSockets } from '../../support/http.ts';
import { attempt } from '../../support/runners.ts';

const runUrl = (check: UrlCheck) => attempt(run, check);

async function runApi(check: ApiCheck, changes: Partial<RunContext> = {}) {
  const slot = await createApiRunner().acquireSlot(check, new AbortController().signal);
  return attempt(slot.run, check, changes);
}

const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** Reads a response, in one piece and byte by byte, with the same outcome. */
function read(text: string | Buffer, method = 'GET') {
  const bytes = Buffer.from(text);
  const results = [bytes.length, 1].map((size) => {
    const reader = new ResponseReader(method);
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.end();
    const { head, isComplete, flaws } = reader;
    return {
      headers: head?.headers,
      status: head?.status,
      isComplete,
      flaws,
      body: reader.body().toString(),
    };
  });
  const [whole, inBytes] = results as [(typeof results)[number], unknown];
  expect(inBytes).toEqual(whole);
  return whole;
}

const OK = 'Content-Length: 2\r\n\r\nok';

it.each<[string, string | Buffer, RegExp]>([
  [
    'lines that end with LF',
    'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
    /^the server ends lines with a bare LF$/,
  ],
  [
    'lines that end with CR CR LF',
    'HTTP/1.1 200 OK\r\r\nContent-Length: 2\r\r\n\r\r\nok',
    /more than one CR$/,
  ],
  [
    'a folded header',
    `${HEAD}X-Fold: a\r\n\tb\r\n${OK}`,
    /^the header "X-Fold" is folded over several lines/,
  ],
  [
    'a fold before any header',
    `${HEAD} a: b\r\n${OK}`,
    /^a header line without a name and a colon is ignored/,
  ],
  [
    'a space before the colon',
    `${HEAD}X-Foo \t: a\r\n${OK}`,
    /^there is a space before the colon of the header "X-Foo"$/,
  ],
  ['a space before the colon of a length', `${HEAD}Content-Length : 2\r\n\r\nok`, /space before the colon/],
  ['a header without a colon', `${HEAD}Garbage\r\n${OK}`, /ignored: "Garbage"$/],
  ['a header without a name', `${HEAD}: x\r\n${OK}`, /ignored: ": x"$/],
  [
    'odd characters in a name',
    `${HEAD}X(Foo): a\r\n${OK}`,
    /^the header name "X\(Foo\)" contains characters/,
  ],
  ['control characters', `${HEAD}X: a\u0001\r\n${OK}`, /^the header "X" contains control characters$/],
  ['a CR inside a value', `${HEAD}X: a\rb\r\n${OK}`, /^the header "X" contains control characters$/],
  ['UTF-8 in a value', `${HEAD}X: grün\r\n${OK}`, /^the header "X" contains characters outside ASCII$/],
  ['Latin-1 in a value', Buffer.from(`${HEAD}X: grün\r\n${OK}`, 'latin1'), /outside ASCII$/],
  [
    'no reason phrase',
    `HTTP/1.1 200\r\n${OK}`,
    /^the status line does not have the standard form: "HTTP\/1.1 200"$/,
  ],
  ['another version', `HTTP/2 200 OK\r\n${OK}`, /standard form: "HTTP\/2 200 OK"$/],
  ['the name of radio streams', `ICY 200 OK\r\n${OK}`, /standard form: "ICY 200 OK"$/],
  ['empty lines at the start', `\r\n\n${HEAD}${OK}`, /^the server sent empty lines before its status line/],
  [
    'equal lengths',
    `${HEAD}Content-Length: 2\r\n${OK}`,
    /^the response repeats Content-Length with the same value$/,
  ],
  ['a list of equal lengths', `${HEAD}Content-Length: 2, 2\r\n\r\nok`, /repeats Content-Length/],
  [
    'a length of a chunked body',
    `${HEAD}Content-Length: 9\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    /both Transfer-Encoding and Content-Length, which is ignored$/,
  ],
  [
    'chunked twice',
    `${HEAD}Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    /chunked several times$/,
  ],
  [
    'spaces after a chunk size',
    `${CHUNKED}2  \r\nok\r\n0\r\n\r\n`,
    /^there are spaces around the size of a chunk$/,
  ],
  [
    'spaces before a chunk size',
    `${CHUNKED} 002;a=b\r\nok\r\n0\r\n\r\n`,
    /^there are spaces around the size of a chunk$/,
  ],
  ['chunks with LF', `${CHUNKED}2\nok\n0\n\n`, /^the server ends lines with a bare LF$/],
  ['more than its length', `${HEAD}${OK}more`, /^the server sent data after the end of its response$/],
])('reads %s, and names the flaw', (_, text, flaw) => {
  const result = read(text);
  expect(result).toMatchObject({ status: 200, isComplete: true, body: 'ok' });
  expect(result.flaws[0]).toMatch(flaw);
});

it.each<[string, string, string?]>([
  ['an ordinary response', `${HEAD}${OK}`],
  ['no header at all', 'HTTP/1.0 200 \r\n\r\nok'],
  ['an empty header', `${HEAD}X-Empty:\r\n${OK}`],
  ['a transfer coding without meaning', `${HEAD}Transfer-Encoding: identity\r\n${OK}`],
  ['chunks with extensions, zeros and trailers', `${CHUNKED}0000;a=b\r\nX: y\r\n\r\n`, ''],
  ['a chunked coding with parameters', `${HEAD}Transfer-Encoding: Chunked ;x=1\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  ['a coding whose name only begins like chunked', `${HEAD}Transfer-Encoding: chunked-x;a=b\r\n\r\nok`],
  ['leading zeros of a chunk size', `${CHUNKED}0002\r\nok\r\n0\r\n\r\n`],
])('finds no flaw in %s', (_, text, body = 'ok') => {
  expect(read(text)).toMatchObject({ status: 200, isComplete: true, body, flaws: [] });
});

it('reads the values of headers as their sender wrote them', () => {
  const folded = read(`${HEAD}A: 1\r\n  2\r\n\t3 \r\nB:grün\r\nc :\t4\t\r\n${OK}`);
  expect(folded.headers).toEqual([
    ['A', '1 2 3'],
    ['B', 'grün'],
    ['c', '4'],
    ['Content-Length', '2'],
  ]);
  const latin = read(Buffer.from(`${HEAD}B: grün\r\n${OK}`, 'latin1'));
  expect(latin.headers?.[0]).toEqual(['B', 'grün']);
});

it.each(['HEAD', 'GET'])('expects no body where there cannot be one (%s)', (method) => {
  const status = method === 'HEAD' ? '200' : '304';
  const result = read(`HTTP/1.1 ${status} x\r\nContent-Length: 100\r\n\r\n`, method);
  expect(result).toMatchObject({ isComplete: true, body: '', flaws: [] });
});

it.each<[string, string, RegExp]>([
  [
    'different lengths',
    `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!`,
    /different values: 2, 3$/,
  ],
  ['a list of different lengths', `${HEAD}Content-Length: 2, 3\r\n\r\nok!`, /different values: 2, 3$/],
  ['a length with a sign', `${HEAD}Content-Length: +2\r\n\r\nok`, /Content-Length is not a number: "\+2"$/],
  ['an empty length', `${HEAD}Content-Length:\r\n\r\nok`, /Content-Length is not a number: ""$/],
  ['a NUL byte in a header', `${HEAD}X: a\0b\r\n${OK}`, /a header contains a NUL byte$/],
  [
    'no status line',
    '<html>hello</html>',
    /does not begin with a status line, but with "<html>hello<\/html>"$/,
  ],
  ['a status of two digits', `HTTP/1.1 20 OK\r\n${OK}`, /does not begin with a status line/],
  ['a status of four digits', `HTTP/1.1 2000 OK\r\n${OK}`, /does not begin with a status line/],
  ['a chunk size that is no number', `${CHUNKED}zz\r\nok\r\n0\r\n\r\n`, /not a number: "zz"$/],
  ['an empty chunk size', `${CHUNKED}\r\nok\r\n0\r\n\r\n`, /not a number: ""$/],
  ['a chunk size with a prefix', `${CHUNKED}0x2\r\nok\r\n0\r\n\r\n`, /not a number: "0x2"$/],
  [
    'a chunk that is longer than its size',
    `${CHUNKED}1\r\nok\r\n0\r\n\r\n`,
    /a chunk is longer than its size$/,
  ],
])('refuses %s, as browsers and curl do', (_, text, message) => {
  const whole = new ResponseReader('GET');
  expect(() => whole.push(Buffer.from(text))).toThrow(message);
  const inBytes = new ResponseReader('GET');
  expect(() => {
    for (const byte of Buffer.from(text)) inBytes.push(Buffer.of(byte));
  }).toThrow(UnusableResponse);
});

it.each([
  ['a cut body', `${HEAD}Content-Length: 9\r\n\r\nok`],
  ['chunks without an end', `${CHUNKED}2\r\nok\r\n`],
  ['a cut chunk', `${CHUNKED}9\r\nok`],
  ['a last chunk without an empty line', `${CHUNKED}2\r\nok\r\n0\r\n`],
  ['a cut head', 'HTTP/1.1 200 OK\r\nX: y\r\n'],
])('finds %s incomplete', (_, text) => {
  expect(read(text).isComplete).toBe(false);
});

describe('streams', () => {
  const serveStream = (type: string, rest = '') =>
    serveSockets((socket) =>
      socket.once('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${rest}\r\ndata: 1\n\n`),
      ),
    );
  const types = [
    'text/event-stream; charset=utf-8',
    'Multipart/x-mixed-replace;boundary=f',
    'audio/mpeg',
    'application/x-ndjson',
  ];

  it.each(types)('end with their headers if nothing examines the body (%s)', async (type) => {
    const { url } = await serveStream(type);
    const assertions = [{ source: 'STATUS_CODE', property: '', comparison: 'EQUALS', target: '200' }];
    for (const runner of [runUrl, runApi]) {
      const outcome = await runner({ request: { url, assertions } });
      expect(outcome).toMatchObject({
        errors: [],
        hasFailures: false,
        details: { response: { isCut: true } },
      });
      expect(String(outcome.details.notes)).toMatch(
        /^the body is a stream \(\S+\) that the check does not need/,
      );
    }
  });

  it.each([
    ['the body is examined', 'TEXT_BODY', 'text/event-stream', ''],
    ['it announces a length', 'STATUS_CODE', 'text/event-stream', 'Content-Length: 100\r\n'],
    ['the type is no stream', 'STATUS_CODE', 'text/html', ''],
  ])('fail without an end if %s', async (_, source, type, rest) => {
    const { url } = await serveStream(type, rest);
    const assertions = [{ source, property: '', comparison: 'NOT_CONTAINS', target: 'down' }];
    const outcome = await runApi({ request: { url, assertions } }, { timeoutMs: 200, clock: hastyClock });
    expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true });
    expect(outcome.errors[0]).toMatch(/answered 200 and did not finish \(9 bytes received\)/);
  });
});
