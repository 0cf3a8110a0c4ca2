/** Cleaned messages: what varies from run to run is gone, what tells failures apart stays. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanMessage, hashMessage } from '../../../../src/service/engine/error-groups/group-failures.ts';
import { unicodeText } from '../../../support/characters.ts';
import { costOf } from '../../../support/cost.ts';
import { FAMILIES } from './corpus.ts';

/** The number of characters that `cleaned` reads. */
const LOOKED_AT = 16_000;

describe('a cleaned message', () => {
  it.each([
    ['took 1203.25 ms, the limit is 1000 ms', 'took <duration>, the limit is <duration>'],
    ['took 1 min 12 s, the limit is 1 min', 'took <duration>, the limit is <duration>'],
    ['took 1m 3s', 'took <duration>'],
    ['connect ECONNREFUSED 127.0.0.1:53', 'connect ECONNREFUSED <address>:53'],
    ['connect ECONNREFUSED 127.0.0.1:50123', 'connect ECONNREFUSED <address>:<port>'],
    ['no answer from [2001:db8::1]:53', 'no answer from <address>:53'],
    ['no answer from 2001:db8::1', 'no answer from <address>'],
    ['session 2f1c6f0e-8a55-4c1e-9e4c-0d6a54b2b1aa failed', 'session <id> failed'],
    ['at 2026-11-21T03:24:17.123Z it broke', 'at <time> it broke'],
    ['at 03:24:17 it broke', 'at <time> it broke'],
    ['on Sat, 21 Nov 2026 03:24:17 GMT it broke', 'on <time> it broke'],
    ['commit b038791f is bad', 'commit <hash> is bad'],
    ['\u001b[31mexpected\u001b[39m true', 'expected true'],
    ['\u001b]8;;https://x.example\u0007link\u001b]8;;\u0007 text', 'link text'],
    ['at run (/tmp/run-x1/check.spec.ts:12:5)', 'at run (<path>/check.spec.ts)'],
    ['at C:\\Users\\ada\\check.ts:12', 'at <path>/check.ts'],
    ['https://a.example/orders/812?token=x9 failed', 'https://a.example/orders/<number>?<query> failed'],
    ['two\n   lines', 'two lines'],
    ['one\none\n2 × one', 'one'],
  ])('%j becomes %j', (raw, expected) => {
    expect(cleanMessage(raw)).toBe(expected);
  });

  it('keeps what tells failures apart: codes, types and names', () => {
    for (const telling of [
      'a.example A: answered NXDOMAIN',
      'ns1.example did not answer',
      'status code 404',
      'HTTP/1.1 503 Service Unavailable',
      'exited with code 137',
      'ERR_HTTP2_STREAM_ERROR',
      'ECDHE_RSA_AES128_GCM_SHA256',
    ])
      expect(cleanMessage(telling)).toBe(telling);
  });

  const statusForms: readonly ((status: number) => string)[] = [
    (status) => `STATUS_CODE EQUALS "200": was ${status}`,
    (status) => `the status is ${status}`,
    (status) => `status=${status}`,
    (status) => `code: ${status}`,
    (status) => `HTTP/1.1 ${status}`,
    (status) => `GET https://shop.example/api returned ${status}`,
    (status) => `fetch https://shop.example/api: ${status}`,
    (status) => `Error: got ${status}`,
    (status) => `Login failed (${status})`,
    (status) => `SMTP ${status} mailbox unavailable`,
    (status) => `upstream answered ${status}, giving up`,
    (status) => `Error: expect(received).toBe(expected)\n\nExpected: 200\nReceived: ${status}`,
    (status) => `expect(received).toBeLessThan(expected)\n\nExpected: < 400\nReceived:   ${status}`,
    (status) => `Expected values to be strictly equal:\n\n${status} !== 200\n`,
    (status) => `expected ${status} to equal 200`,
  ];
  it.each(statusForms.map((form) => [form(404), form]))('keeps every status of: %j', (_, form) => {
    const all = Array.from({ length: 500 }, (_, index) => index + 100);
    expect(new Set(all.map((status) => cleanMessage(form(status)))).size).toBe(all.length);
  });

  it('keeps no count of things', () => {
    for (const text of ['the response has 404 items', 'toHaveCount\n\nExpected: 120\nReceived: 404'])
      expect(cleanMessage(text)).toBe(cleanMessage(text.replace('404', '131')));
  });

  it('is the same for two runs that differ in numbers, times and ids', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.uuid(), fc.uuid(), (a, b, first, second) => {
        expect(cleanMessage(`run ${first} took ${a} ms`)).toBe(cleanMessage(`run ${second} took ${b} ms`));
      }),
    );
  });

  it('is the same where a message is longer than what is looked at, whatever its ids are as long as', () => {
    const long = (id: string) => `${`order ${id} failed; `.repeat(3)}${'so it was. '.repeat(3000)}`;
    expect(cleanMessage(long('7'))).toBe(cleanMessage(long('123456789')));
    expect(cleanMessage(long('7'))).not.toBe(cleanMessage(long('7').replaceAll('failed', 'passed')));
  });
});

const families = Object.entries(FAMILIES);

describe(`of ${families.flatMap(([, messages]) => messages).length} messages that are ${families.length} failures`, () => {
  it.each(families)('%s is one', (_, messages) => {
    expect([...new Set(messages.map(cleanMessage))]).toHaveLength(1);
  });

  it('no two are the same', () => {
    const byText = new Map<string, string[]>();
    for (const [name, [message = '']] of families) {
      byText.set(cleanMessage(message), [...(byText.get(cleanMessage(message)) ?? []), name]);
    }
    expect([...byText.values()].filter((names) => names.length > 1)).toEqual([]);
  });

  it('each keeps some words of its own', () => {
    for (const [name, [message = '']] of families) {
      expect(cleanMessage(message).replace(/<[a-z]+>/g, ''), name).toMatch(/\p{L}{3,}/u);
    }
  });
});

describe('cleaning', () => {
  /** Everything that a pattern could go back over, again and again. */
  const hostile = [
    'a1:',
    '/',
    '/a',
    '0',
    '1.',
    '1,',
    'a@',
    'a.',
    '-',
    '[::',
    ':',
    '0a',
    'A1_',
    '\u001b[',
    '\u001b]',
    ' ',
    '\n',
    '?a=',
    '%',
    'C:\\',
    'C:\\a',
    'Nov ',
    'Nov 1 ',
    '1 Nov',
    '12:',
    'status ',
    'status code is ',
    'http://',
    'eyJa.',
    'eyJ-',
    'data:a',
    '{"a":',
    'aB',
    '9年',
    '—',
    '\ud800',
    '<duration>',
    '1 s ',
    'at ',
    '🙂',
    '\0',
    'ß',
    'f',
    '"',
    '-aaaaaaaa-',
    '2026-11-21T',
    'Mon ',
    'x.y@',
    'ffff:',
  ];

  it.each(hostile)('takes a megabyte of %j, and needs for a long text what its parts need', (piece) => {
    const message = piece.repeat(Math.ceil(1_000_000 / piece.length));
    expect(cleanMessage(message).length).toBeLessThanOrEqual(2000);
    const looked = message.slice(0, LOOKED_AT);
    expect(cleanMessage(message)).toBe(cleanMessage(looked));
    // A quadratic pattern would cost sixteen times as much.
    const part = looked.slice(0, LOOKED_AT / 16);
    expect(costOf(() => cleanMessage(looked), 8)).toBeLessThan(6 * costOf(() => cleanMessage(part), 128));
  });

  it('takes any mixture of those, and any text', () => {
    const mixed = fc.array(fc.constantFrom(...hostile), { maxLength: 150 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(mixed, unicodeText({ maxLength: 500 })), (text) => {
        const clean = cleanMessage(text);
        expect(clean.length).toBeLessThanOrEqual(2000);
        expect(clean).not.toMatch(/\p{Cc}/u);
        expect(hashMessage(clean)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('needs no more for characters that become eighteen each than for those eighteen', () => {
    const ligature = '\ufdfa';
    const long = ligature.normalize('NFKC').repeat(LOOKED_AT).slice(0, LOOKED_AT);
    const cost = costOf(() => cleanMessage(ligature.repeat(LOOKED_AT)), 2);
    expect(cost).toBeLessThan(6 * costOf(() => cleanMessage(long), 2));
  });
});
