/** Web servers of the league: statuses, charsets, encodings, flaws, cut bodies, redirects, cookies, headers and JSON. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { chunk, head, ok, raw, redirect } from '../../test/cases/servers/http-answers.ts';
import type { HttpAnswer, HttpAnswers, HttpRequest } from '../../test/cases/servers/http-server.ts';
import { encode } from './encode.ts';
import type { Expectation, HttpProbe, Target } from './target.ts';

type Answer = HttpAnswer | HttpProbe['answer'];
type Row = readonly [
  name: string,
  isGood: boolean,
  answer: Answer,
  expects?: Expectation | undefined,
  more?: HttpAnswers,
];

const targets = (kind: string, rows: readonly Row[]): readonly Target[] =>
  rows.map(([name, isGood, answer, expects, more]) => ({
    ...{ kind, name, isGood },
    probe: {
      type: 'http',
      answer: typeof answer === 'function' ? answer : () => answer,
      ...(expects && { expects }),
      ...(more && { more }),
    },
  }));

/** A body that contains the word: with the right assertion, with one for another word, and with one that it lacks the word. */
const words = (name: string, word: string, answer: Answer): readonly Row[] => [
  [`${name}: contains`, true, answer, { contains: word }],
  [`${name}: contains another word`, false, answer, { contains: 'Zzyzx' }],
  [`${name}: lacks`, false, answer, { lacks: word }],
];

const status = (code: number): HttpAnswer =>
  ok(code === 204 || code === 304 ? '' : 'hello', {}, `${code} Status`);
const GOOD_STATUSES = [200, 201, 202, 203, 206, 207, 208, 226];
const BAD_STATUSES = [
  ...[
    400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423,
  ],
  ...[
    424, 425, 426, 428, 429, 431, 444, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 530, 599,
  ],
];
const ASSERTED = [200, 201, 301, 302, 307, 400, 401, 403, 404, 405, 410, 418, 429, 451, 500, 502, 503, 504];

const statuses = targets('Status codes', [
  ...GOOD_STATUSES.map((code): Row => [`${code}`, true, status(code)]),
  ...BAD_STATUSES.map((code): Row => [`${code}`, false, status(code)]),
  ...ASSERTED.flatMap((code): readonly Row[] => [
    [`${code} asserted and answered`, true, status(code), { status: code }],
    [
      `${code} asserted, ${code === 200 ? 503 : 200} answered`,
      false,
      status(code === 200 ? 503 : 200),
      { status: code },
    ],
  ]),
]);

const WORDS: Readonly<Record<string, string>> = {
  'iso-8859-1': 'Störung',
  'windows-1252': 'Störung – €',
  'iso-8859-15': 'gestört €',
  'iso-8859-2': 'závada',
  'windows-1251': 'авария',
  'koi8-r': 'авария',
  shift_jis: '障害',
  'euc-jp': '障害',
  gbk: '故障',
  big5: '故障',
  'euc-kr': '장애',
};
const page = (before: string, word: string) => `${before}<title>Shop</title><p>${word}</p>`;
const charsets = targets(
  'Charsets',
  Object.entries(WORDS).flatMap(([charset, word]) => {
    const meta = encode(page(`<meta charset="${charset}">`, word), charset);
    const xml = encode(`<?xml version="1.0" encoding="${charset}"?><p>${word}</p>`, charset);
    return [
      ...words(
        `${charset} by header`,
        word,
        ok(encode(page('', word), charset), { 'Content-Type': `text/html; charset=${charset}` }),
      ),
      ...words(`${charset} by meta`, word, ok(meta, { 'Content-Type': 'text/html' })),
      ...words(`${charset} by XML declaration`, word, ok(xml, { 'Content-Type': 'application/xml' })),
    ];
  }),
);
const utf16 = Buffer.from(`\ufeff${page('', 'Störung')}`, 'utf16le');
const unicode = targets('Charsets', [
  ...words('UTF-16LE by byte order mark', 'Störung', ok(utf16, { 'Content-Type': 'text/html' })),
  ...words(
    'UTF-16BE by byte order mark',
    'Störung',
    ok(Buffer.from(utf16).swap16(), { 'Content-Type': 'text/html' }),
  ),
  ...words(
    'UTF-8 by byte order mark against the header',
    'Störung',
    ok('\ufeffStörung', { 'Content-Type': 'text/html; charset=iso-8859-1' }),
  ),
]);

const LONG = `${'x'.repeat(3000)} status green`;
const encoded = (body: Buffer | string, encoding: string | readonly string[]) =>
  ok(body, { 'Content-Type': 'text/plain', 'Content-Encoding': encoding });
const damaged = Buffer.from(gzipSync(LONG));
damaged.writeUInt32LE(0, damaged.length - 8);
/** Names the encoding of targets whose name begins with it. */
const declareEncoding = (all: readonly Target[], encoding: 'gzip' | 'br' | 'deflate'): readonly Target[] =>
  all.map((target) =>
    target.probe.type === 'http' && target.name.startsWith(encoding)
      ? { ...target, probe: { ...target.probe, encoding } }
      : target,
  );
const encodings = (['gzip', 'br', 'deflate'] as const).reduce(
  declareEncoding,
  targets('Content encodings', [
    ...words('gzip', 'green', encoded(gzipSync(LONG), 'gzip')),
    ...words('x-gzip', 'green', encoded(gzipSync(LONG), 'x-gzip')),
    ...words('GZIP', 'green', encoded(gzipSync(LONG), 'GZIP')),
    ...words('br', 'green', encoded(brotliCompressSync(LONG), 'br')),
    ...words('deflate', 'green', encoded(deflateSync(LONG), 'deflate')),
    ...words('deflate without a zlib header', 'green', encoded(deflateRawSync(LONG), 'deflate')),
    ...words('gzip twice', 'green', encoded(gzipSync(gzipSync(LONG)), 'gzip, gzip')),
    ...words('gzip twice on two lines', 'green', encoded(gzipSync(gzipSync(LONG)), ['gzip', 'gzip'])),
    ...words(
      'gzip in two members',
      'green',
      encoded(Buffer.concat([gzipSync('status '), gzipSync('green')]), 'gzip'),
    ),
    ...['identity', 'none', 'binary', 'UTF-8', 'aws-chunked', ''].flatMap((name) =>
      words(`"${name}" of a plain body`, 'green', encoded(LONG, name)),
    ),
    ['gzip cut at its end', false, encoded(gzipSync(LONG).subarray(0, -9), 'gzip'), { lacks: 'red' }],
    ['gzip cut in its middle', false, encoded(gzipSync(LONG).subarray(0, 30), 'gzip'), { lacks: 'red' }],
    ['gzip with a wrong checksum', false, encoded(damaged, 'gzip'), { lacks: 'red' }],
    ['gzip of a plain body', false, encoded(LONG, 'gzip'), { lacks: 'red' }],
    [
      'br cut in its middle',
      false,
      encoded(brotliCompressSync(LONG).subarray(0, 12), 'br'),
      { lacks: 'red' },
    ],
  ]),
);

const OK_HEAD = 'HTTP/1.1 200 OK\r\n';
const LENGTH = 'Content-Length: 5\r\n\r\nhello';
const FLAWS: Readonly<Record<string, HttpAnswer>> = {
  'bare LF': raw('HTTP/1.1 200 OK\nContent-Length: 5\n\nhello'),
  'folded header line': raw(`${OK_HEAD}X-A: b\r\n c\r\n${LENGTH}`),
  'space before the colon': raw(`${OK_HEAD}X-A : b\r\n${LENGTH}`),
  'header name with brackets': raw(`${OK_HEAD}X(A): b\r\n${LENGTH}`),
  'empty header': raw(`${OK_HEAD}X-A:\r\n${LENGTH}`),
  'UTF-8 in a header': raw(`${OK_HEAD}X-A: café ☃\r\n${LENGTH}`),
  'no reason phrase': raw(`HTTP/1.1 200\r\n${LENGTH}`),
  'HTTP/1.0 to the end': raw('HTTP/1.0 200 OK\r\n\r\nhello', 'close'),
  'no length, to the end': raw(`${OK_HEAD}Connection: close\r\n\r\nhello`, 'close'),
  'equal lengths on two lines': raw(`${OK_HEAD}Content-Length: 5\r\n${LENGTH}`),
  'equal lengths on one line': raw(`${OK_HEAD}Content-Length: 5, 5\r\n\r\nhello`),
  'chunks and a length': raw(
    `${OK_HEAD}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ),
  'space after a chunk size': raw(`${OK_HEAD}Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n`),
  'chunk extension and trailer': raw(
    `${OK_HEAD}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n`,
  ),
  'Chunked in upper case': raw(`${OK_HEAD}Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
  '103 before the answer': raw(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK_HEAD}${LENGTH}`),
};
const flaws = targets('Flaws that browsers read', [
  ...Object.entries(FLAWS).flatMap(([name, answer]): readonly Row[] => [
    [name, true, answer],
    ...words(name, 'hello', answer),
  ]),
]);

const broken = targets('Answers that nothing can read', [
  ['two lengths', false, raw(`${OK_HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`)],
  ['length is no number', false, raw(`${OK_HEAD}Content-Length: abc\r\n\r\nhello`)],
  ['negative length', false, raw(`${OK_HEAD}Content-Length: -5\r\n\r\nhello`)],
  ['no HTTP at all', false, raw('220 mail.test ESMTP\r\n', 'close')],
  ['a page without a head', false, raw('<html>hello</html>', 'close')],
  ['status of two digits', false, raw(`HTTP/1.1 20 OK\r\n${LENGTH}`)],
  ['status of words', false, raw(`HTTP/1.1 OK\r\n${LENGTH}`)],
  [
    'chunk size is no number',
    false,
    raw(`${OK_HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n`),
  ],
  [
    'chunk longer than its size',
    false,
    raw(`${OK_HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n`),
  ],
  ['closed at once', false, raw('', 'close')],
  ['reset at once', false, raw('', 'reset')],
  ['silent', false, raw('')],
  ['closed in the head', false, raw('HTTP/1.1 200 OK\r\nContent-', 'close')],
  ['silent in the head', false, raw('HTTP/1.1 200 OK\r\nContent-')],
]);

const CUTS: Readonly<Record<string, HttpAnswer>> = {
  'length, then closed': raw(`${OK_HEAD}Content-Length: 100\r\n\r\nhello`, 'close'),
  'length, then reset': raw(`${OK_HEAD}Content-Length: 100\r\n\r\nhello`, 'reset'),
  'length, then silent': raw(`${OK_HEAD}Content-Length: 100\r\n\r\nhello`),
  'last byte missing': raw(`${OK_HEAD}Content-Length: 6\r\n\r\nhello`, 'close'),
  'chunk, then closed': raw(`${OK_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, 'close'),
  'chunk, then reset': raw(`${OK_HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, 'reset'),
  'inside a chunk, then closed': raw(`${OK_HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\nhello`, 'close'),
};
const paused = (pauseMs: number): HttpAnswer => ({
  parts: [head('200 OK', { 'Content-Length': '10' }), 'hello', 'world'],
  pauseMs,
});
const cut = targets('Bodies that are cut', [
  ...Object.entries(CUTS).flatMap(([name, answer]): readonly Row[] => [
    [name, false, answer],
    [`${name}: lacks what is missing`, false, answer, { lacks: 'goodbye' }],
    [`${name}: contains what came`, false, answer, { contains: 'hello' }],
  ]),
  ...[10, 200, 1000].flatMap((ms) => words(`complete after pauses of ${ms} ms`, 'world', paused(ms))),
]);

const STREAM = head('200 OK', { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' });
const endless = targets('Bodies without an end', [
  ['event stream, status', true, { parts: [STREAM, chunk('data: a\n\n')] }, { status: 200 }],
  ['event stream, wrong status', false, { parts: [STREAM, chunk('data: a\n\n')] }, { status: 204 }],
  [
    'event stream, header',
    true,
    { parts: [STREAM] },
    { status: 200, header: ['content-type', 'event-stream'] },
  ],
  ['event stream, lacks', false, { parts: [STREAM, chunk('data: a\n\n')] }, { lacks: 'error' }],
  [
    'video',
    true,
    raw(`${OK_HEAD}Content-Type: multipart/x-mixed-replace; boundary=f\r\n\r\n--f\r\n`),
    { status: 200 },
  ],
  [
    'video with an error status',
    false,
    raw('HTTP/1.1 503 Down\r\nContent-Type: video/mp4\r\n\r\nx'),
    { status: 200 },
  ],
]);

const CODES = [
  '301 Moved Permanently',
  '302 Found',
  '303 See Other',
  '307 Temporary Redirect',
  '308 Permanent Redirect',
];
const GOAL: HttpAnswers = {
  goal: () => ok('welcome'),
  gone: () => ok('', {}, '404 Not Found'),
  down: () => ok('', {}, '503 Down'),
};
const hop = (count: number, end: string): HttpAnswers => ({
  ...GOAL,
  hop: ({ url }: HttpRequest) => {
    const left = Number(new URL(url, 'http://a').searchParams.get('left') ?? count);
    return redirect(left > 1 ? `/hop?left=${left - 1}` : `/${end}`);
  },
});
const redirects = targets('Redirects', [
  ...CODES.flatMap((code): readonly Row[] => [
    [`${code} to a good page`, true, redirect('/goal', code), { contains: 'welcome' }, GOAL],
    [`${code} to a missing page`, false, redirect('/gone', code), undefined, GOAL],
    [`${code} to an error`, false, redirect('/down', code), undefined, GOAL],
    [`${code} to a dead port`, false, redirect('http://127.0.0.1:9/', code)],
  ]),
  ['relative', true, redirect('goal'), { contains: 'welcome' }, GOAL],
  [
    'without a scheme',
    true,
    ({ port }) => redirect(`//127.0.0.1:${port}/goal`),
    { contains: 'welcome' },
    GOAL,
  ],
  ['with a fragment', true, redirect('/goal#top'), { contains: 'welcome' }, GOAL],
  ['with a space', true, redirect('/goal?a=b c'), { contains: 'welcome' }, GOAL],
  ['to itself for ever', false, ({ url }) => redirect(url)],
  ['to another scheme', false, redirect('ftp://127.0.0.1/')],
  ['to an address that is none', false, redirect('http://[::1')],
  ...[2, 5].flatMap((count): readonly Row[] => [
    [`${count} hops to a good page`, true, redirect('/hop'), { contains: 'welcome' }, hop(count, 'goal')],
    [`${count} hops to an error`, false, redirect('/hop'), undefined, hop(count, 'down')],
  ]),
]);

/** Sets cookies, and redirects to a page that decides by the cookies that it gets. */
const wall = (name: string, cookies: readonly string[], isGood: (cookie: string) => boolean): Row => [
  name,
  true,
  redirect('/wall', '302 Found', { 'Set-Cookie': cookies }),
  undefined,
  { wall: ({ headers: { cookie = '' } }) => (isGood(cookie) ? ok('welcome') : ok('', {}, '403 Forbidden')) },
];
const cookies = targets('Cookies over redirects', [
  wall('one', ['sid=1'], (cookie) => cookie === 'sid=1'),
  wall(
    'two',
    ['sid=1; Path=/', 'theme=dark'],
    (cookie) => cookie.includes('sid=1') && cookie.includes('theme=dark'),
  ),
  wall('HttpOnly', ['sid=1; HttpOnly; Path=/'], (cookie) => cookie === 'sid=1'),
  wall('SameSite', ['sid=1; SameSite=Strict'], (cookie) => cookie === 'sid=1'),
  wall('with a value of quotes', ['sid="1"'], (cookie) => cookie === 'sid="1"'),
  wall('replaced', ['sid=1; Path=/', 'sid=2; Path=/'], (cookie) => cookie === 'sid=2'),
  wall('of another path', ['sid=1; Path=/other'], (cookie) => cookie === ''),
  wall('of another domain', ['sid=1; Domain=example.com'], (cookie) => cookie === ''),
  wall('Secure, without TLS', ['sid=1; Secure'], (cookie) => cookie === ''),
  wall('deleted', ['sid=1; Path=/', 'sid=; Max-Age=0; Path=/'], (cookie) => cookie === ''),
  wall('expired', ['sid=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], (cookie) => cookie === ''),
  wall('none', [], (cookie) => cookie === ''),
]);

const SECRETS: Readonly<Record<string, string>> = {
  authorization: 'Bearer topsecret',
  cookie: 'sid=topsecret',
  'x-api-key': 'topsecret',
  'x-auth-token': 'topsecret',
};
/** The second host answers an error if it gets the secret. */
const secrets: readonly Target[] = Object.entries(SECRETS).flatMap(([name, value]) =>
  CODES.map((code) => ({
    kind: 'Secrets over redirects',
    name: `${name}, ${code}`,
    isGood: true,
    probe: {
      type: 'http',
      answer: ({ otherPort, url }) => redirect(`http://127.0.0.1:${otherPort}${url}-other`, code),
      secrets: { [name]: value },
    },
  })),
);

const header = (name: string, contains: string): Expectation => ({ header: [name, contains] });
const headers = targets('Headers on several lines', [
  ['vary, first line', true, ok('x', { Vary: ['Accept', 'Origin'] }), header('vary', 'Accept')],
  ['vary, second line', true, ok('x', { Vary: ['Accept', 'Origin'] }), header('vary', 'Origin')],
  ['vary, joined', true, ok('x', { Vary: ['Accept', 'Origin'] }), header('vary', 'Accept, Origin')],
  ['vary, on neither line', false, ok('x', { Vary: ['Accept', 'Origin'] }), header('vary', 'Cookie')],
  [
    'cache-control, second line',
    true,
    ok('x', { 'Cache-Control': ['no-cache', 'no-store'] }),
    header('cache-control', 'no-store'),
  ],
  [
    'cache-control, joined',
    true,
    ok('x', { 'Cache-Control': ['no-cache', 'no-store'] }),
    header('cache-control', 'no-cache, no-store'),
  ],
  ['set-cookie, second line', true, ok('x', { 'Set-Cookie': ['a=1', 'b=2'] }), header('set-cookie', 'b=2')],
  [
    'set-cookie, on neither line',
    false,
    ok('x', { 'Set-Cookie': ['a=1', 'b=2'] }),
    header('set-cookie', 'c=3'),
  ],
  ['missing', false, ok('x'), header('x-a', 'b')],
  ['in another case', true, ok('x', { 'x-A': 'b' }), header('X-a', 'b')],
]);

const json = (name: string, body: string, equals: string, isGood: boolean): Row => [
  name,
  isGood,
  ok(body, { 'Content-Type': 'application/json' }),
  { json: ['a', equals] },
];
const members = targets('JSON members', [
  json('text', '{"a":"green"}', 'green', true),
  json('another text', '{"a":"red"}', 'green', false),
  json('missing', '{"b":"green"}', 'green', false),
  json('number', '{"a":42}', '42', true),
  json('large integer', '{"a":9007199254740993}', '9007199254740993', true),
  json('another large integer', '{"a":9007199254740993}', '9007199254740992', false),
  json('true', '{"a":true}', 'true', true),
  json('trailing comma', '{"a":"green",}', 'green', false),
  json('comment', '{"a":"green"} // x', 'green', false),
  json('cut', '{"a":"green"', 'green', false),
  json('empty', '', 'green', false),
  json('a page', '<html>green</html>', 'green', false),
  json('byte order mark', '\ufeff{"a":"green"}', 'green', true),
  json('two values', '{"a":"green"}{"a":"red"}', 'green', false),
]);

export const httpTargets: readonly Target[] = [
  ...[statuses, charsets, unicode, encodings, flaws, broken, cut, endless].flat(),
  ...[redirects, cookies, secrets, headers, members].flat(),
];
