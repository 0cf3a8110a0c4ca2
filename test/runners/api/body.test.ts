/** How the body of an API check becomes text: its encodings, its charset, and what a text in doubt does not prove. */
import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { findDocumentCharset } from '../../../src/runners/api/document-charset.ts';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import { serveWith } from '../../support/http.ts';
import { attempt } from '../../support/runners.ts';

type Headers = Readonly<Record<string, string | string[]>>;

const check = (comparison: string, target: string, source = 'TEXT_BODY', property = '') => ({
  ...{ source, property, comparison, target },
});

/** Runs a check of a body. Returns its errors and notes. */
async function run(body: Buffer | string, headers: Headers, assertion: object) {
  const { url } = await serveWith((_, response) => response.writeHead(200, headers).end(body));
  const slot = await createApiRunner().acquireSlot({ request: { url } }, new AbortController().signal);
  const assertions = [assertion as ReturnType<typeof check>];
  const { errors, details } = await attempt(slot.run, { request: { url, assertions } });
  return { errors, notes: details.notes as string[] };
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
/** Encodes lower-case letters, spaces and the characters : - / as EBCDIC. */
const ebcdic = (text: string) => {
  const rows: readonly (readonly [string, number])[] = [
    ['abcdefghi', 0x81],
    ['jklmnopqr', 0x91],
    ['stuvwxyz', 0xa2],
    [' ', 0x40],
    [':', 0x7a],
    ['-/', 0x60],
  ];
  const byteOf = (character: string) => {
    const [row, first] = rows.find(([letters]) => letters.includes(character)) ?? ['', 0];
    return first + row.indexOf(character);
  };
  return Buffer.from([...text].map(byteOf));
};
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const typed = (type: string) => ({ 'content-type': type });
const encoded = (...names: string[]) => ({ 'content-encoding': names });
const GREEN = '{"status":"green"}';
const gzipped = gzipSync(GREEN);

it.each<[string, Buffer | string, Headers]>([
  ['no encoding', GREEN, {}],
  ['gzip', gzipped, encoded('gzip')],
  ['x-gzip in capitals', gzipped, encoded('X-GZIP')],
  ['gzip twice, on two lines', gzipSync(gzipped), encoded('gzip', 'gzip')],
  ['an empty line and gzip', gzipped, encoded('', 'gzip')],
  ['gzip and identity', gzipped, encoded('gzip, identity')],
  ['gzip and a name without meaning', gzipped, encoded('none, gzip')],
  ['brotli', brotliCompressSync(GREEN), encoded('br')],
  ['deflate', deflateSync(GREEN), encoded('deflate')],
  ['deflate without its header', deflateRawSync(GREEN), encoded('deflate')],
  ['gzip of two members', Buffer.concat([gzipSync('{"status":'), gzipSync('"green"}')]), encoded('gzip')],
  ['gzip with padding', Buffer.concat([gzipped, Buffer.alloc(9)]), encoded('gzip')],
  ['a gzip transfer coding', gzipped, { 'transfer-encoding': 'gzip, chunked' }],
  ['transfer codings with parameters', gzipped, { 'transfer-encoding': 'gzip ;a=b, Chunked;x=1' }],
  ...['none', 'binary', '8bit', '7bit', 'UTF-8', 'aws-chunked', 'amz-1.0', 'base64', 'chunked'].map(
    (name): [string, string, Headers] => [`${name}, which encodes nothing`, GREEN, encoded(name)],
  ),
])('decodes %s', async (_, body, headers) => {
  const outcome = await run(body, headers, check('EQUALS', 'green', 'JSON_BODY', '$.status'));
  expect(outcome.errors).toEqual([]);
});

it('notes an encoding without meaning', async () => {
  const { notes } = await run('ok', encoded('none'), check('EQUALS', 'ok'));
  expect(notes).toEqual(['the content encoding "none" has no meaning, so it is ignored']);
});

const html = (text: string) => gzipSync(`<p>${text}</p>`);
it.each<[string, Buffer | string, Headers, RegExp]>([
  ['is no gzip', GREEN, encoded('gzip'), /the body cannot be decompressed \(gzip\): incorrect header check$/],
  [
    'is cut gzip',
    html('down').subarray(0, -8),
    encoded('gzip'),
    /decompressed \(gzip\): unexpected end of file$/,
  ],
  [
    'is cut brotli',
    brotliCompressSync('down').subarray(0, -2),
    encoded('br'),
    /decompressed \(br\): unexpected end/,
  ],
  [
    'has an unknown encoding',
    bytes('1f9d90646f776e'),
    encoded('compress'),
    /content encoding "compress", which sonde cannot/,
  ],
  [
    'is Base64',
    latin1('ZG93bg=='),
    encoded('base64'),
    /content encoding "base64", which sonde cannot decode$/,
  ],
  [
    'is quoted-printable',
    'd=6Fwn',
    encoded('quoted-printable'),
    /"quoted-printable", which sonde cannot decode$/,
  ],
  [
    'still has chunks',
    '2\r\ndo\r\n2\r\nwn\r\n0\r\n\r\n',
    encoded('aws-chunked'),
    /"aws-chunked", which sonde cannot/,
  ],
  [
    'is gzip unannounced',
    html('down'),
    typed('text/html; charset=iso-8859-1'),
    /the body is compressed \(gzip\), but its/,
  ],
  [
    'has an unknown transfer coding',
    'up',
    { 'transfer-encoding': 'rot13, chunked' },
    /transfer coding "rot13", which/,
  ],
  [
    'has a transfer coding without meaning',
    'up',
    { 'transfer-encoding': 'none, chunked' },
    /transfer coding "none"/,
  ],
  ['is gzip once more', gzipSync(html('down')), encoded('gzip'), /the body is compressed \(gzip\), but its/],
])('passes nothing about a body that %s', async (_, body, headers, message) => {
  for (const comparison of ['NOT_CONTAINS', 'CONTAINS', 'NOT_EQUALS', 'IS_EMPTY'])
    expect((await run(body, headers, check(comparison, 'down'))).errors[0]).toMatch(message);
});

const { zstdCompressSync: zstd } = zlib as { readonly zstdCompressSync?: typeof gzipSync };
const compressions: [string, string, (text: string) => Buffer][] = [
  ['brotli', 'br', brotliCompressSync],
  ['zlib', 'deflate', deflateSync],
  ['raw deflate', 'deflate', deflateRawSync],
  ['zlib called gzip', 'gzip', deflateSync],
  ...(zstd ? ([['zstd', 'zstd', zstd]] as [string, string, (text: string) => Buffer][]) : []),
];

it.each(compressions)('passes nothing about %s with data after its end', async (_, name, compress) => {
  const whole = compress(GREEN);
  expect((await run(whole, encoded(name), check('NOT_CONTAINS', 'FATAL'))).errors).toEqual([]);
  for (const tail of [Buffer.from('FATAL'), compress('FATAL'), Buffer.of(1)]) {
    const { errors } = await run(Buffer.concat([whole, tail]), encoded(name), check('NOT_CONTAINS', 'FATAL'));
    const size = tail.length === 1 ? '1 byte follows' : `${tail.length} bytes follow`;
    expect(errors[0]).toContain(`(${name}): ${size} the end of the compressed data`);
  }
});

it.each(['FATAL', '\0FATAL'])('passes nothing about gzip with plain data after its end', async (tail) => {
  const body = Buffer.concat([gzipped, Buffer.from(tail)]);
  const { errors } = await run(body, encoded('gzip'), check('NOT_CONTAINS', 'FATAL'));
  expect(errors[0]).toMatch(/the body cannot be decompressed \(gzip\)/);
});

const meta = (charset: string, text = 'Störung') => latin1(`<html><head>${charset}</head>${text}</html>`);
it.each<[string, Buffer | string, Headers]>([
  ['UTF-8 by default', 'Störung', {}],
  ['Content-Type', latin1('Störung'), typed('text/html; charset=ISO-8859-1')],
  ['a quoted charset', latin1('Störung'), typed('text/html; Charset = "latin1"')],
  ['a charset in single quotes', latin1('Störung'), typed("text/html; charset='latin1'")],
  [
    'the last Content-Type',
    latin1('Störung'),
    { 'content-type': ['text/html; charset=utf-8', 'text/html; charset=latin1'] },
  ],
  ['a mark of UTF-16', utf16le('\ufeffStörung'), typed('text/html')],
  ['a mark of UTF-16 BE', utf16be('\ufeffStörung'), typed('text/html; charset=utf-8')],
  ['a mark of UTF-8 before Content-Type', '\ufeffStörung', typed('text/html; charset=iso-8859-1')],
  ['UTF-16 in Content-Type', utf16le('Störung'), typed('text/plain; charset=utf-16le')],
  ['UTF-16 of the other order', utf16be('Störung'), typed('text/plain; charset=utf-16')],
  ['UTF-16 by its zero bytes', utf16be('<p>Störung</p>'), typed('text/html')],
  ['meta charset', meta('<meta charset="windows-1252">'), typed('text/html')],
  ['meta charset without quotes', meta('<META CHARSET=windows-1252 />'), {}],
  [
    'meta http-equiv',
    meta('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'),
    typed('text/html'),
  ],
  [
    'meta in the other order',
    meta(`<meta content='text/html;charset="latin1"' http-equiv=content-type>`),
    typed('text/html'),
  ],
  [
    'meta after a comment',
    meta('<!-- <meta charset="utf-8"> --><meta charset="latin1">'),
    typed('text/html'),
  ],
  ['meta after an empty comment', meta('<!--><meta charset="latin1">'), typed('text/html')],
  [
    'meta after a closed declaration',
    meta('<!doctype html><?a?><meta charset="latin1">'),
    typed('text/html'),
  ],
  ['meta after a stray quote', meta(`<a title=it's b"><meta charset="latin1">`), typed('text/html')],
  ['meta after meta', meta('<meta name="a>b"><meta charset="latin1">'), typed('text/html')],
  ['meta late in the head', meta(`<!--${'x'.repeat(3000)}--><meta charset="latin1">`), typed('text/html')],
  ['meta after an unknown charset', meta('<meta charset="latin1">'), typed('text/html; charset=klingon')],
  [
    'an XML declaration',
    latin1('<?xml version="1.0" encoding="ISO-8859-1"?><m>Störung</m>'),
    typed('application/xml'),
  ],
  ['XML in UTF-16', utf16le('<?xml version="1.0" encoding="UTF-16"?><m>Störung</m>'), typed('text/xml')],
  ['JSON as UTF-8 despite its header', '"Störung"', typed('application/json; charset=iso-8859-1')],
  ['JSON in Latin-1 as its header says', latin1('"Störung"'), typed('application/json; charset=iso-8859-1')],
])('reads a charset from %s', async (_, body, headers) => {
  expect((await run(body, headers, check('CONTAINS', 'Störung'))).errors).toEqual([]);
  expect((await run(body, headers, check('NOT_CONTAINS', 'Störung'))).errors).toHaveLength(1);
  expect((await run(body, headers, check('NOT_CONTAINS', 'Wartung'))).errors).toEqual([]);
});

const SPACES = ' '.repeat(60_000);
it.each<[string, string]>([
  ...['<a ', '<meta ', '<a"', "<meta '", "<meta a='b' '", '<meta a="', '<!--', '<!', '<', '<a <', 'a= '].map(
    (unit): [string, string] => [unit, unit.repeat(20_000)],
  ),
  ['a charset of spaces', `<meta http-equiv=content-type content="charset=${SPACES};">`],
  ['a name and spaces', `<meta a${SPACES}`],
])('reads a hostile document once: %s', (_, text) => {
  // Reading its rest again after each unit would take far longer than a test may, for all the rounds.
  const document = Buffer.from(text);
  for (let round = 0; round < 50; round++) expect(findDocumentCharset(document, 'text/html')).toBeUndefined();
});

it.each(['<!-- ', '<a b="', '<a ', '<!x '])('finds no charset after markup without an end: %s', (start) => {
  expect(findDocumentCharset(Buffer.from(`${start}<meta charset=latin1`), 'text/html')).toBeUndefined();
});

it.each<[string, Buffer, string]>([
  ['windows-1252', bytes('802093712096'), '€ “q –'],
  ['iso-8859-15', bytes('a4'), '€'],
  ['windows-1251', bytes('efee'), 'по'],
  ['Shift_JIS', bytes('93fa967b8cea'), '日本語'],
  ['gb2312', bytes('d6d0b9fa'), '中国'],
  ['iso-2022-jp', bytes('1b2442467c4b5c1b2842'), '日本'],
])('decodes %s', async (label, body, text) => {
  expect((await run(body, typed(`text/plain; charset=${label}`), check('EQUALS', text))).errors).toEqual([]);
});

it('decodes a document in UTF-16 without a mark', async () => {
  const assertion = check('EQUALS', 'grün', 'JSON_BODY', '$.a');
  const body = utf16be('{"a":"grün"}');
  expect((await run(body, typed('application/json'), assertion)).errors).toEqual([]);
  const wide = Buffer.concat([...'{"a":1}'].map((one) => Buffer.of(0, 0, 0, one.charCodeAt(0))));
  const outcome = await run(wide, typed('application/json'), check('NOT_EQUALS', '2', 'JSON_BODY', '$.a'));
  expect(outcome.errors[0]).toMatch(/the body is UTF-32, which browsers cannot read$/);
});

/** Bodies whose charset is in doubt, and whether their ASCII characters are certain. */
it.each<[string, Buffer | string, Headers, RegExp, boolean]>([
  [
    'without a charset',
    latin1('Störung: ok'),
    typed('text/html'),
    /the body names no charset and is not UTF-8$/,
    true,
  ],
  [
    'with an unknown charset',
    latin1('Störung: ok'),
    typed('text/html; charset=cp437'),
    /names an unknown charset and is not UTF-8$/,
    false,
  ],
  [
    'with an unknown charset of 7 bits',
    'Störung: ok',
    typed('text/html; charset=utf-7'),
    /the charset of the body is unknown$/,
    false,
  ],
  [
    'that breaks its charset',
    Buffer.concat([latin1('ü'), Buffer.from('Störung: ok')]),
    typed('text/html; charset=utf-8'),
    /the body is not valid utf-8$/,
    true,
  ],
  [
    'with binary data',
    latin1('Störung: ok\u0001'),
    typed('text/html'),
    /the body names no charset and is not UTF-8$/,
    false,
  ],
])('uses a text %s only for what it proves', async (_, body, headers, why, isAsciiCertain) => {
  const errorsOf = async (comparison: string, target: string) =>
    (await run(body, headers, check(comparison, target))).errors;
  expect(await errorsOf('CONTAINS', 'Störung')).toEqual([]);
  expect((await errorsOf('NOT_CONTAINS', 'ошибка'))[0]).toMatch(why);
  const ascii = await errorsOf('NOT_CONTAINS', 'down');
  if (isAsciiCertain) expect(ascii).toEqual([]);
  else expect(ascii[0]).toMatch(why);
  expect(await errorsOf('NOT_CONTAINS', 'ok')).toHaveLength(1);
  expect((await run(body, headers, { ...check('NOT_EQUALS', '1'), regex: 'r(.)' })).errors[0]).toMatch(why);
  expect((await run(body, headers, check('CONTAINS', 'ok'))).notes.join()).toMatch(why);
});

/** Bodies without a declared charset. All contain `error`. */
it.each<[string, Buffer, Headers]>([
  ['EBCDIC', ebcdic('status: error'), {}],
  ['EBCDIC as HTML', ebcdic('status: error'), typed('text/html')],
  ['EBCDIC as plain text', ebcdic('error'), typed('text/plain')],
  ['EBCDIC with its name', ebcdic('status: error'), typed('text/plain; charset=ebcdic-cp-us')],
  ['EBCDIC with its number', ebcdic('-/-'), typed('text/plain; charset=IBM1047')],
  ['UTF-16', utf16le('Статус: error'), typed('text/plain')],
  ['UTF-16 of the other order', utf16be('Статус: error'), typed('text/plain')],
  ['UTF-16 as UTF-8', utf16le('Статус'), typed('text/plain; charset=utf-8')],
  ['UTF-16 in Greek', utf16be('Κατάσταση'), typed('text/html')],
])('passes no negative assertion on undeclared %s', async (_, body, headers) => {
  for (const target of ['error', 'Статус', '错误'])
    expect((await run(body, headers, check('NOT_CONTAINS', target))).errors).toHaveLength(1);
});

it.each<[string, Buffer, Headers]>([
  ['Shift_JIS', Buffer.from('8f4f91d42049442034320a', 'hex'), typed('text/html')],
  ['EUC-JP', Buffer.from('bef5c2d620494420340a', 'hex'), typed('text/plain')],
  ['windows-1252', Buffer.from('80352049442034', 'hex'), {}],
])('evaluates ASCII in undeclared %s, and nothing else that is negative', async (_, body, headers) => {
  for (const [comparison, target] of [
    ['CONTAINS', 'ID 4'],
    ['NOT_CONTAINS', 'error'],
  ] as const)
    expect((await run(body, headers, check(comparison, target))).errors).toEqual([]);
  expect((await run(body, headers, check('NOT_CONTAINS', '状態'))).errors[0]).toMatch(/names no charset/);
});

it('passes no negative assertion on UTF-8 that is declared as Latin-1, except ASCII', async () => {
  const errorsOf = async (comparison: string, target: string) =>
    (await run('Störung: ok', typed('text/html; charset=iso-8859-1'), check(comparison, target))).errors;
  expect((await errorsOf('NOT_CONTAINS', 'Störung'))[0]).toMatch(
    /looks like UTF-8, but is declared as windows-1252$/,
  );
  expect(await errorsOf('CONTAINS', 'ok')).toEqual([]);
  expect(await errorsOf('NOT_CONTAINS', 'down')).toEqual([]);
});

it('takes text with separators for text', async () => {
  const body = '\u001e{"a":1}\n\u001e{"b":"ü"}\n';
  expect((await run(body, typed('text/plain'), check('NOT_CONTAINS', 'ошибка'))).errors).toEqual([]);
});

it('selects nothing in a document whose characters are all in doubt', async () => {
  const body = latin1('{"a":"ü"}');
  const assertion = check('EQUALS', 'ü', 'JSON_BODY', '$.a');
  expect((await run(body, typed('application/json'), assertion)).errors).toEqual([]);
  const { errors } = await run(body, typed('application/json; charset=klingon'), assertion);
  expect(errors[0]).toMatch(/the body names an unknown charset and is not UTF-8$/);
});

it('does not take UTF-16 for text in another charset', async () => {
  const { errors } = await run(
    utf16le('Wartung'),
    typed('text/html; charset=utf-8'),
    check('NOT_CONTAINS', 'Wartung'),
  );
  expect(errors[0]).toMatch(/the body looks like UTF-16, but is read as utf-8$/);
});
