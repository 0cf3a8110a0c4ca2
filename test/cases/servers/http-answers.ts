/** The answers of the HTTP server, by the last segment of the path. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { HttpAnswer, HttpAnswers } from './http-server.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;
type Body = Buffer | string;

/** Returns the bytes of an answer with exactly these headers. */
export function head(status: string, headers: Headers = {}): Buffer {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  );
  return Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** An answer with its length. */
export const ok = (body: Body, headers: Headers = {}, status = '200 OK'): HttpAnswer => ({
  parts: [head(status, { 'Content-Length': String(Buffer.byteLength(body)), ...headers }), body],
});

/** The exact bytes of an answer. */
export const raw = (text: string, ends?: 'close' | 'reset'): HttpAnswer => ({
  parts: [Buffer.from(text, 'utf8')],
  ...(ends && { ends }),
});

export const chunk = (data: Body): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(data).toString(16)}\r\n`),
    Buffer.from(data),
    Buffer.from('\r\n'),
  ]);

const chunked = (...data: readonly Body[]): HttpAnswer => ({
  parts: [head('200 OK', { 'Transfer-Encoding': 'chunked' }), ...data.map(chunk), '0\r\n\r\n'],
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HTML_TYPE = { 'Content-Type': 'text/html' };
const GREEN = '{"status":"green"}';
const LARGE_GREEN = JSON.stringify({ pad: 'x'.repeat(2000), status: 'green' });
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const json = (text: string): HttpAnswer => ok(text, JSON_TYPE);
const encoded = (body: Body, encoding: string | readonly string[]): HttpAnswer =>
  ok(body, { ...JSON_TYPE, 'Content-Encoding': encoding });
export const redirect = (location: string, status = '302 Found', headers: Headers = {}): HttpAnswer =>
  ok('', { Location: location, ...headers }, status);
/** A redirect to the same address. */
const wall = (...cookies: readonly string[]): HttpAnswer =>
  redirect('?again', '302 Found', { 'Set-Cookie': cookies });
const bytes = (...parts: readonly (Body | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const plain: Readonly<Record<string, HttpAnswer>> = {
  ok: json('{"status":"UP"}'),
  notFound: ok('not found', {}, '404 Not Found'),
  s418: ok('tea', {}, "418 I'm a teapot"),
  s999: ok('denied', {}, '999 Denied'),
  s101: raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
  early: {
    parts: ['HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n', ...ok('final').parts],
  },
  proc: {
    parts: [
      'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n',
      ...ok('final').parts,
    ],
  },

  // Framing and syntax of the head.
  chunkspace: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n'),
  chunkcl: raw(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ),
  cldup: { parts: [head('200 OK', { 'Content-Length': ['2', '2'] }), 'ok'] },
  cldup2: { parts: [head('200 OK', { 'Content-Length': '2, 2' }), 'ok'] },
  lfonly: raw('HTTP/1.1 200 OK\nContent-Length: 2\n\nok'),
  fold: raw('HTTP/1.1 200 OK\r\nX-Fold: a\r\n b\r\nContent-Length: 2\r\n\r\nok'),
  spacecolon: raw('HTTP/1.1 200 OK\r\nX-Foo : a\r\nContent-Length: 2\r\n\r\nok'),
  hdrname: raw('HTTP/1.1 200 OK\r\nX(Foo): a\r\nContent-Length: 2\r\n\r\nok'),
  crcrlf: raw('HTTP/1.1 200 OK\r\r\nContent-Length: 2\r\r\n\r\r\nok'),
  nocolon: raw('HTTP/1.1 200 OK\r\nGarbage\r\nContent-Length: 2\r\n\r\nok'),
  icy: raw('ICY 200 OK\r\nicy-name: radio\r\nContent-Type: audio/mpeg\r\n\r\nID3'),
  lfchunks: raw('HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n 0002;a=b\nok\n0\n\n'),
  tegzip: {
    parts: [
      head('200 OK', { 'Transfer-Encoding': 'gzip, chunked' }),
      chunk(gzipSync('<p>Wartung</p>')),
      '0\r\n\r\n',
    ],
  },
  cldiff: { parts: [head('200 OK', { 'Content-Length': ['2', '3'] }), 'ok!'] },
  clsign: { parts: [head('200 OK', { 'Content-Length': '+2' }), 'ok'] },
  chunkprefix: raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n'),
  nohead: raw('<html>ok</html>', 'close'),

  // Bodies that end too early.
  chunkcut: {
    ...chunked(),
    parts: [head('200 OK', { 'Transfer-Encoding': 'chunked' }), chunk('ok')],
    ends: 'close',
  },
  clshort: raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', 'close'),
  resetmid: raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', 'reset'),
  hanghead: raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),

  // Bodies without an end.
  sse: {
    parts: [
      head('200 OK', { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' }),
      chunk('data: hi\n\n'),
    ],
  },
  mjpeg: raw(
    'HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=f\r\n\r\n--f\r\nContent-Type: image/jpeg\r\n\r\n',
  ),
  radio: raw('HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: radio\r\n\r\nID3'),
  ndjson: raw('HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n{"a":1}\n'),
  hangpage: raw('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>please wait'),
  ssecut: {
    parts: [head('200 OK', { 'Content-Type': 'text/event-stream', 'Content-Length': '100' }), 'data: hi\n\n'],
    ends: 'close',
  },

  // Lines of one header.
  vary2: ok('x', {
    Vary: ['Accept', 'Origin'],
    'Strict-Transport-Security': 'max-age=1',
    'Cache-Control': ['no-cache', 'no-store'],
  }),
  mhead: ok('ok', {
    'X-A': ['1', '2'],
    'Set-Cookie': ['a=1', 'b=2'],
    'Cache-Control': ['no-cache', 'no-store'],
  }),

  // Encodings.
  gzip: encoded(gzipSync(LARGE_GREEN), 'gzip'),
  br: encoded(brotliCompressSync(LARGE_GREEN), 'br'),
  deflate: encoded(deflateSync(LARGE_GREEN), 'deflate'),
  deflateraw: encoded(deflateRawSync(LARGE_GREEN), 'deflate'),
  gzipzeros: encoded(bytes(gzipSync(LARGE_GREEN), Buffer.alloc(16)), 'gzip'),
  gzipmulti: encoded(bytes(gzipSync('{"a":'), gzipSync('1,"status":"green"}')), 'gzip'),
  gzipgzip2: encoded(gzipSync(gzipSync(LARGE_GREEN)), ['gzip', 'gzip']),
  enc2empty: encoded(gzipSync(LARGE_GREEN), ['', 'gzip']),
  encnone: encoded(GREEN, 'none'),
  encutf8: encoded(GREEN, 'UTF-8'),
  encbinary: encoded(GREEN, 'binary'),
  enc8bit: encoded(GREEN, '8bit'),
  aws: encoded(GREEN, 'aws-chunked'),
  amz: encoded(GREEN, 'amz-1.0'),
  nonegzip: encoded(gzipSync(LARGE_GREEN), 'none, gzip'),
  gziplie: encoded('<p>Wartung</p>', 'gzip'),
  gzipcut: encoded(gzipSync('<p>Wartung</p>').subarray(0, -8), 'gzip'),
  gzipsilent: ok(gzipSync('<p>Wartung</p>'), { 'Content-Type': 'text/html; charset=iso-8859-1' }),
  compress: encoded(bytes([0x1f, 0x9d, 0x90], 'Wartung'), 'compress'),
  base64: encoded(Buffer.from('<p>Wartung</p>').toString('base64'), 'base64'),

  // Charsets.
  utf16be: ok(bytes([0xfe, 0xff], Buffer.from('status grün', 'utf16le').swap16()), {
    'Content-Type': 'text/plain; charset=utf-16',
  }),
  utf16lehtml: ok(bytes([0xff, 0xfe], Buffer.from('<p>Wartung</p>', 'utf16le')), HTML_TYPE),
  bom: json('\ufeff{"status":"green"}'),
  bomlatin: ok('\ufeffStörung', { 'Content-Type': 'text/html; charset=iso-8859-1' }),
  latin1meta: ok(latin1('<html><head><meta charset="windows-1252"></head>Störung</html>'), HTML_TYPE),
  metahttp: ok(
    latin1(
      '<html><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"></head>Störung</html>',
    ),
    HTML_TYPE,
  ),
  latin1none: ok(latin1('Störung'), HTML_TYPE),
  euro: ok(bytes([0x80], '5'), { 'Content-Type': 'text/html; charset=iso-8859-1' }),
  utf16silent: ok(Buffer.from('Wartung', 'utf16le'), { 'Content-Type': 'text/html; charset=utf-8' }),
  brokenutf8: ok(latin1('Störung'), { 'Content-Type': 'text/html; charset=utf-8' }),
  utf7: ok('St+APY-rung', { 'Content-Type': 'text/html; charset=utf-7' }),
  latin1json: ok('{"status":"Störung"}', { 'Content-Type': 'application/json; charset=iso-8859-1' }),
  xmlenc: ok(latin1('<?xml version="1.0" encoding="ISO-8859-1"?><m>Störung</m>'), {
    'Content-Type': 'application/xml',
  }),

  // JSON.
  bigint: json('{"id":9007199254740993,"n":1e400,"f":0.1,"neg":-0,"z":1.0}'),
  trailingcomma: json('{"status":"green",}'),
  accounts: json(
    '{"result":{"accounts":[{"account":1,"registered":true},{"account":2,"registered":false}]}}',
  ),
  nested: json('{"data":{"name":"john"}}'),

  // Redirects.
  r301noloc: ok('moved', {}, '301 Moved Permanently'),
  r303noloc: ok('see', {}, '303 See Other'),
  r308noloc: ok('resume', {}, '308 Resume Incomplete'),
  emptyloc: ok('found', { Location: '' }, '302 Found'),
  s305: ok('proxy', { Location: '/s418' }, '305 Use Proxy'),
  r301: redirect('/echo', '301 Moved Permanently'),
  r302: redirect('/echo'),
  r303: redirect('/echo', '303 See Other'),
  r307: redirect('/echo', '307 Temporary Redirect'),
  r308: redirect('/echo', '308 Permanent Redirect'),
  setcookie: redirect('/needcookie', '302 Found', {
    'Set-Cookie': ['sid=abc; Path=/; HttpOnly', 'theme=dark'],
  }),
  pathcookie: redirect('/echo', '302 Found', {
    'Set-Cookie': [
      'p=1; Path=/other',
      's=1; Secure',
      'd=1; Domain=example.com',
      'h=1; Path=/; SameSite=Strict',
    ],
  }),
};

/** Answers that look at the request. */
const computed: HttpAnswers = {
  echo: ({ method, url, headers, body }) => json(JSON.stringify({ method, url, headers, body })),
  needcookie: ({ headers: { cookie = '' } }) =>
    cookie.includes('sid=abc')
      ? ok(`cookie ok ${cookie}`)
      : redirect('/needcookie', '302 Found', { 'Set-Cookie': 'sid=abc' }),
  cookieflow: ({ headers: { cookie = '' } }) =>
    cookie.includes('csrf=1')
      ? ok('logged in')
      : redirect('/cookieflow?x=1', '302 Found', { 'Set-Cookie': 'csrf=1; Path=/' }),
  // Only the cookie of the path ends the redirects.
  pathwall: ({ headers: { cookie = '' } }) =>
    cookie === 'deep=1; wide=1' ? ok('in') : wall('deep=1; Path=/wall/pathwall', 'wide=1; Path=/'),
  securewall: ({ headers: { cookie } }) => (cookie === undefined ? wall('s=1; Secure') : ok('in')),
  foreignwall: ({ headers: { cookie } }) =>
    cookie === undefined ? wall('s=1; Domain=example.com') : ok('in'),
  logout: ({ headers: { cookie } }) =>
    cookie === 'lang=de' ? ok('out') : redirect('logout', '302 Found', { 'Set-Cookie': 'sid=; Max-Age=0' }),
  comeback: ({ port, otherPort }) =>
    redirect(`http://127.0.0.1:${otherPort}/bounce?${port}`, '307 Temporary Redirect'),
  bounce: ({ url }) => redirect(`http://127.0.0.1:${url.split('?')[1]}/echo`, '307 Temporary Redirect'),
  vhost: ({ headers: { host } }) =>
    host === 'shop.example' ? redirect('/vhost2') : ok('wrong host', {}, '421 Misdirected Request'),
  vhost2: ({ headers: { host } }) =>
    host === 'shop.example' ? ok('right vhost') : ok('wrong host', {}, '404 Not Found'),
  xportkeep: ({ otherPort }) => redirect(`http://127.0.0.1:${otherPort}/echo`, '307 Temporary Redirect'),
};

export const httpAnswers: HttpAnswers = {
  ...Object.fromEntries(Object.entries(plain).map(([name, answer]) => [name, () => answer])),
  ...computed,
};
