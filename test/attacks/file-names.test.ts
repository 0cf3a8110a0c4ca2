/** Names of files from identifiers of others: no identifier leads to another folder or to the file of another. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinInside, toFileName } from '../../src/base/file-name.ts';
import { temporaryFolder } from '../support/folder.ts';

const HOSTILE = [
  ...[
    '../../victim',
    '..',
    '.',
    '',
    '/',
    '/etc/passwd',
    '..\\..\\victim',
    'C:\\x',
    'a/b',
    'a\0b',
    '.git',
    '~',
    '%2e%2e%2f',
  ],
  ...[
    'refused/../../x',
    'a\nb',
    '\u202e',
    'é'.repeat(300),
    'x'.repeat(5000),
    '\ud800',
    '-rf',
    'con',
    '../'.repeat(100),
  ],
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', 'a', '2', 'E', '\0', 'é', '-') }),
  fc.constantFrom(...HOSTILE),
);

describe('the name of a file', () => {
  it('is one part of a path, and a file system accepts it', async () => {
    const folder = mkdtempSync(join(await temporaryFolder(), 'names-'));
    for (const identifier of HOSTILE) writeFileSync(join(folder, `${toFileName(identifier)}.file`), '');
    expect(readdirSync(folder)).toHaveLength(HOSTILE.length);
    fc.assert(
      fc.property(anyText, (identifier) => {
        const name = toFileName(identifier);
        const path = join('/spool', name);
        expect([dirname(path), basename(path), normalize(name)]).toEqual(['/spool', name, name]);
        expect(name).toMatch(/^[\p{L}\p{N}_%-][\p{L}\p{N}_%.-]*$/u);
        expect(Buffer.byteLength(`${name}.${'x'.repeat(60)}`)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it('differs for different identifiers, and is the identifier if that is a UUID or a plain word', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        fc.pre(!/\p{Surrogate}/u.test(one + other));
        expect(toFileName(one) === toFileName(other)).toBe(one === other);
      }),
    );
    for (const id of ['7c0f1d2e-4a5b-4c6d-8e7f-901234567890', 'eu-west-1', '42', 'trace.zip'])
      expect(toFileName(id)).toBe(id);
  });
});

it('joins no path that leads out of its folder', () => {
  expect(joinInside('/a', 'b/c.ts')).toBe('/a/b/c.ts');
  expect(joinInside('/a', '/etc/passwd')).toBe('/a/etc/passwd');
  for (const path of ['../x', 'b/../../x', '..', 'b\\..\\..\\x', 'x\0'])
    expect(() => joinInside('/a', path)).toThrow('leads out of its folder');
});
