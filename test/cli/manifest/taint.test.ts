/** Values of variables in output, however they are written there. */
import { expect, it } from 'vitest';
import { Taint } from '../../../src/cli/manifest/taint.ts';

const SECRET = 'say "hé"\nline two/&+ end';

it.each([
  ['plain', SECRET],
  ['as JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in upper case', SECRET.toUpperCase()],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
])('are masked %s', (_, encoded) => {
  const taint = new Taint();
  taint.addValue(SECRET, 'TOKEN');
  const [shown] = taint.showAll([`before ${encoded} after`]);
  expect(shown).toContain('{TOKEN}');
  expect(shown).not.toContain(encoded);
  expect(shown).toMatch(/^before .* after$/s);
});

it('leave other texts', () => {
  const taint = new Taint();
  taint.addValue(SECRET, 'TOKEN');
  expect(taint.show('say nothing')).toBe('say nothing');
});
