/** Secrets are taken out in whatever form they stand there. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createScrubber } from '../../../src/runners/masking/scrub.ts';
import { unescapeText } from '../../../src/runners/masking/unescape-text.ts';
import { unicodeText } from '../../support/characters.ts';
import { runs } from '../../support/sampled.ts';

const SECRET = `p&"ss<w>'ö/+ 1`;
const ascii = (text: string) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);
const asHtml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '&#39;',
  );
const inJson = JSON.stringify(SECRET).slice(1, -1);
const html = SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const quoted = html.replaceAll('"', '&quot;').replaceAll("'", '&#39;');

it.each([
  ['as it is', SECRET],
  ['in an address', encodeURIComponent(SECRET)],
  [
    'in an address, in small letters',
    encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ['in JSON', inJson],
  ['in JSON within JSON', JSON.stringify(inJson).slice(1, -1)],
  ['in JSON that is all ASCII', ascii(inJson)],
  [
    'in JSON that holds no tags',
    inJson.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  ],
  ['in JSON with slashes escaped', inJson.replaceAll('/', '\\/')],
  ['in HTML', html],
  ['in an attribute of HTML', quoted],
  ['in HTML that is all ASCII', quoted.replace('ö', '&#246;')],
  ['in HTML within JSON', JSON.stringify(html).slice(1, -1)],
  ['in upper case', SECRET.toUpperCase()],
  ['in an address, in upper case', encodeURIComponent(SECRET.toUpperCase())],
  ['in HTML, in upper case', asHtml(SECRET.toUpperCase())],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in hexadecimal, in upper case', Buffer.from(SECRET).toString('hex').toUpperCase()],
  [
    'in hexadecimal with spaces',
    Buffer.from(SECRET)
      .toString('hex')
      .replace(/..(?=.)/g, '$& '),
  ],
  ['in base64', Buffer.from(SECRET).toString('base64').replace(/=+$/, '')],
  ['in base64 of addresses', Buffer.from(SECRET).toString('base64url')],
  ['in basic authentication', Buffer.from(`kim:${SECRET}`).toString('base64').slice(6).replace(/.=+$/, '')],
])('%s', (_, form) => {
  const scrub = createScrubber([SECRET]);
  expect(scrub({ [`a ${form}`]: [`before ${form} after`, 7, null] })).toEqual({
    'a ***': ['before *** after', 7, null],
  });
});

it.each([
  ['the replacement character', '\ufffd"key"'],
  ['what looks like an escape', '%aa"key"'],
  ['what looks like the begin of a character', '%E0""key'],
])('finds one that holds %s, encoded twice', (_, secret) => {
  expect(createScrubber([secret])(`<${encodeURIComponent(encodeURIComponent(secret))}>`)).toBe('<***>');
});

it.each<[string, BufferEncoding, BufferEncoding]>([
  ['Latin-1, read as UTF-8', 'latin1', 'utf8'],
  ['UTF-8, read as Latin-1', 'utf8', 'latin1'],
  ['UTF-16, read as UTF-8', 'utf16le', 'utf8'],
])('finds one that was written in %s', (_, written, read) => {
  const answer = Buffer.from('<pässwörd>', written).toString(read);
  const masked = createScrubber(['pässwörd'])(answer);
  expect(masked.replaceAll('\0', '')).toBe('<***>');
});

it('finds a short one in base64 of addresses', () => {
  expect(createScrubber(['x>>?>'])(`eD4+Pz4= eD4-Pz4 cabin`)).toBe('***= *** cabin');
});

it('finds the lines of one that has several, each by itself', () => {
  const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\r\n  AQEFAASCBKcwggSjAgEAAoIB\nab==\n}\n';
  const scrub = createScrubber([key]);
  expect(scrub(`key ${key}`)).toBe('key ***');
  expect(scrub(['+ MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB,', '}'])).toEqual([
    '+ ***',
    '***,',
    '}',
  ]);
});

it.each(['ΟΔΟΣ', 'Straße', 'İstanbul', 'Token\ud800X'])('finds %s in every case, and only it', (secret) => {
  const scrub = createScrubber([secret]);
  const sameLength = [secret, secret.toLowerCase(), secret.toUpperCase()].filter(
    ({ length }) => length === secret.length,
  );
  for (const text of sameLength) expect(scrub(`İ ${text}x İ ${text} Σ`)).toBe('İ ***x İ *** Σ');
});

it('leaves all else alone, and a short one unless it is a value by itself', () => {
  expect(createScrubber(['', 'ab'])(['ab', 'cabin', 'abc'])).toEqual(['***', 'cabin', 'abc']);
  const value = { a: 'b' };
  expect(createScrubber([])(value)).toBe(value);
});

const asAscii = (text: string) =>
  ascii(text).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

it('finds any secret, however often what it stands in was escaped', () => {
  const signs = fc.oneof(
    fc.constantFrom(...`"'\\/&<>%+-~$^.|()[]{}*? \n\täß漢🙂aZ_09`),
    unicodeText({ maxLength: 1 }),
  );
  const secrets = fc
    .array(signs, { minLength: 5, maxLength: 24 })
    .map((list) => Buffer.from(list.join('')).toString());
  const writers = fc.array(
    fc.constantFrom(asJson, (text: string) => asAscii(asJson(text))),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(
      // One that is nothing but escapes is found only as it is: without them, it is too short to look for.
      secrets.filter((secret) => secret.length >= 5 && unescapeText(secret).text.length > 2),
      fc.constantFrom(
        asHtml,
        encodeURIComponent,
        (text: string) => encodeURIComponent(encodeURIComponent(text)),
        (text: string) => text,
      ),
      writers,
      (secret, first, rest) => {
        const written = rest.reduce((text, write) => write(text), first(secret));
        expect(createScrubber([secret])(`<${written}>`)).toBe('<***>');
      },
    ),
    { numRuns: runs(150, 3000) },
  );
});

it('is through with a text that almost holds it before the test is given up', () => {
  const secret = `${'\\'.repeat(12)}"&<${'%'.repeat(8)}x`;
  const text = `${'\\'.repeat(5000)}"&amp;amp;<%25252525${'&'.repeat(5000)}${'%25'.repeat(5000)}`;
  expect(createScrubber([secret])(text)).toBe(text);
});
