/** What every report is made of: texts that are one clean line of a bounded length, and links that may be opened. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportData } from '../../../src/gate/report/data.ts';
import { ended, failed, idOf, passed, refused, sessionWith } from '../outcomes.ts';
import { anyTold, endedAs, factsOfTold, nastyText, resultOf, toldOf } from './snapshots.ts';

const sessionOfName = (name: string) => factsOfTold(toldOf([endedAs(1, 'passed', { name })])).sessions[0];

test('over any gate: no text drives a terminal, breaks its line or is long', () => {
  const texts = (value: unknown): readonly string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(texts)
        : [];
  fc.assert(
    fc.property(anyTold(), (gate) => {
      for (const text of texts(factsOfTold(gate))) {
        expect(text).not.toMatch(/[\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        expect(text.length).toBeLessThanOrEqual(1000);
      }
    }),
  );
});

test('a long text is cut where no character breaks, and says so', () => {
  fc.assert(
    fc.property(nastyText(), fc.integer({ min: 150, max: 250 }), (end, length) => {
      const { name } = sessionOfName(`${'😀'.repeat(length)}${end}x`) ?? {};
      expect(name).toHaveLength(name?.length ?? 0);
      expect((name ?? '').length).toBeLessThanOrEqual(200);
      expect(name).toMatch(/^(?:😀)+…$/u);
    }),
  );
  expect(sessionOfName('n'.repeat(5_000_000))?.name).toHaveLength(200);
  expect(sessionOfName('n'.repeat(200))?.name).toBe('n'.repeat(200));
});

test.each([
  ['https://sonde.example/a?b=c#d', 'https://sonde.example/a?b=c#d'],
  ['http://127.0.0.1:4100/x', 'http://127.0.0.1:4100/x'],
  ['https://sonde.example/a b"<>', 'https://sonde.example/a%20b%22%3C%3E'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['file:///etc/passwd', null],
  ['https://user:secret@sonde.example/', null],
  ['/relative', null],
  [`https://sonde.example/${'x'.repeat(2000)}`, null],
])('of the link %j stays %j', (checkSessionLink, link) => {
  expect(factsOfTold(toldOf([endedAs(1, 'passed', { checkSessionLink })])).sessions[0]?.link).toBe(link);
});

test('what must be hidden stands nowhere', () => {
  const key = 'key-of-the-test';
  const outcomes = [
    endedAs(1, 'failed', {
      name: `a ${key}`,
      checkSessionLink: `https://sonde.example/${key}`,
      results: [resultOf('FAILED', key, { name: key, checkResultId: key })],
    }),
    refused(2, 403, `no: ${key}`),
  ];
  const gate = toldOf(outcomes, { sentence: `stopped with ${key}`, unstarted: [key] });
  const facts = reportData(gate, '1.2.3', (text) => text.replaceAll(key, '***'));
  expect(JSON.stringify(facts)).not.toContain(key);
  expect(facts.sessions[0]?.name).toBe('a ***');
});

test.each([
  [true, [3, 1, 2]],
  [false, [3, 1, 2]],
])('what went wrong is told first, the worst before the rest; degraded counts as bad: %s', (isBad, order) => {
  const degraded = ended(sessionWith(1, 'DEGRADED', [{ at: 'eu-west-1', is: 'degraded' }]), isBad);
  const { sessions } = factsOfTold(toldOf([passed(2, 'eu-west-1'), degraded, failed(3, 'eu-west-1')]));
  expect(sessions.map(({ id }) => id)).toEqual(order.map(idOf));
});
