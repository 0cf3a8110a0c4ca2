/** Keys do not show themselves. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { CredentialsError } from '../../src/base/errors.ts';
import { Secret, toSecret } from '../../src/profiles/secret.ts';

test('a secret shows itself in no way of printing, logging, serialising or cloning', () => {
  const holder = { secret: new Secret('sk-hidden') };
  const shown = [
    String(holder.secret),
    `${holder.secret}`,
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true }),
    JSON.stringify(structuredClone(holder)),
    JSON.stringify(Object.getOwnPropertyNames(holder.secret)),
    new Error('broken', { cause: holder }).stack,
    inspect(new Error('broken', { cause: holder })),
  ].join('\n');
  expect(shown).not.toContain('sk-hidden');
  expect(holder.secret.reveal()).toBe('sk-hidden');
});

test.each([
  '',
  'sk hidden',
  'sk-hidden\n',
  'sk-hidden\r\nX-Evil: 1',
  'sk-hidden\u0000',
  'sk-hiddén',
  '\tsk-hidden',
])('the key %j is refused without being repeated', (text) => {
  let error: unknown;
  try {
    toSecret(text, 'SONDE_API_KEY');
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(CredentialsError);
  expect(String(error)).toContain('SONDE_API_KEY');
  expect(inspect(error)).not.toMatch(/sk.hidd/);
});
