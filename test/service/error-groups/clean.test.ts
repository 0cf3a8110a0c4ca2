/** Cleaned messages: what varies from run to run is gone, what tells failures apart stays. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleaned, hashOf } from '../../../src/service/error-groups/clean.ts';

describe('a cleaned message', () => {
  it.each([
    ['took 1203.25 ms, the limit is 1000 ms', 'took <number> ms, the limit is <number> ms'],
    ['connect ECONNREFUSED 127.0.0.1:53', 'connect ECONNREFUSED <address>'],
    ['no answer from [2001:db8::1]:53', 'no answer from <address>'],
    ['no answer from 2001:db8::1', 'no answer from <address>'],
    ['session 2f1c6f0e-8a55-4c1e-9e4c-0d6a54b2b1aa failed', 'session <id> failed'],
    ['at 2026-11-21T03:24:17.123Z it broke', 'at <time> it broke'],
    ['at 03:24:17 it broke', 'at <time> it broke'],
    ['commit b038791f is bad', 'commit <hash> is bad'],
    ['\u001b[31mexpected\u001b[39m true', 'expected true'],
    ['\u001b]8;;https://x.example\u0007link\u001b]8;;\u0007 text', 'link text'],
    ['at run (/tmp/run-x1/check.spec.ts:12:5)', 'at run (<path>)'],
    ['at C:\\Users\\ada\\check.ts:12', 'at <path>'],
    ['two\n   lines', 'two lines'],
  ])('%j becomes %j', (raw, expected) => {
    expect(cleaned(raw)).toBe(expected);
  });

  it('keeps what tells failures apart: codes, types and names', () => {
    expect(cleaned('a.example A: answered NXDOMAIN')).toBe('a.example A: answered NXDOMAIN');
    expect(cleaned('mail.example MX: answered SERVFAIL')).not.toBe(
      cleaned('mail.example MX: answered REFUSED'),
    );
    expect(cleaned('ns1.example did not answer')).toBe('ns1.example did not answer');
  });

  it('is the same for two runs that differ in numbers, times and ids', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.uuid(), fc.uuid(), (a, b, first, second) => {
        expect(cleaned(`run ${first} took ${a} ms`)).toBe(cleaned(`run ${second} took ${b} ms`));
      }),
    );
  });

  it('cleans any text in little time, and cleaning again changes no hash', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 6000, unit: 'binary' }), (text) => {
        expect(cleaned(text).length).toBeLessThanOrEqual(4000 * 9);
      }),
    );
    const hostile = `${'a1:'.repeat(1300)}${'/'.repeat(100)}`;
    expect(hashOf(cleaned(hostile))).toMatch(/^[0-9a-f]{64}$/);
  });
});
