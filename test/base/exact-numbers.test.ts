/** Numbers that JavaScript cannot hold come out as they went in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  copyWrittenNumber,
  getLossyNumber,
  parseExact,
  stringifyExact,
} from '../../src/base/exact-numbers.ts';
import { unicodeText } from '../support/characters.ts';

const through = (json: string): string => stringifyExact(parseExact(json));

describe('numbers', () => {
  it.each([
    '{"id":12345678901234567890,"name":"12345678901234567890"}',
    '[9007199254740993,-9007199254740993]',
    '[0.1234567890123456789,1.0,1.50,-0,-0.0,1e2,1E+400,-1e-400]',
    '{"a":[{"b":{"c":[1.0]}}],"__proto__":1.0}',
    '{"text":"1.0, 1e5: 12345678901234567890 \\\\\\" 2.0","n":1.0}',
    '{"at":"2026-11-21T11:57:00.000Z","n":1}',
  ])('of %s are written as they came', (json) => {
    expect(through(json)).toBe(json);
  });

  it('of any JSON are written as they came, whatever stands in its texts', () => {
    const number = fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,3})?$/);
    const text = fc.oneof(unicodeText(), number).map((each) => JSON.stringify(each));
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        ...[number, text, fc.constantFrom('true', 'false', 'null')],
        fc.array(tie('json'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
        // A key that is a whole number would be moved to the front.
        fc
          .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z_]{1,4}$/), tie('json')), {
            selector: ([key]) => key,
            maxLength: 5,
          })
          .map((pairs) => `{${pairs.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(json, (each) => {
        expect(through(`[${each}]`)).toBe(`[${each}]`);
      }),
    );
  });

  it('read as the numbers they are nearest to', () => {
    expect(parseExact('[1.0,12345678901234567890]')).toEqual([1, 12345678901234567000]);
  });

  it('that were changed since are not written as they came', () => {
    const value = parseExact('{"n":1.0}') as { n: number };
    value.n = 2;
    expect(stringifyExact(value)).toBe('{"n":2}');
  });

  it('are known by their text only where the number is another', () => {
    const value = parseExact('{"id":12345678901234567890,"ms":1.0,"far":1e999}') as object;
    const found = ['id', 'ms', 'far', 'none'].map((key) => getLossyNumber(value, key));
    expect(found).toEqual(['12345678901234567890', undefined, '1e999', undefined]);
    const copy = { ...value };
    copyWrittenNumber(value, copy, 'id');
    expect(stringifyExact(copy)).toBe('{"id":12345678901234567890,"ms":1,"far":null}');
  });

  it('are found in an answer nested a hundred thousand deep, and after a text of thirty million characters', () => {
    const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`;
    expect(() => parseExact(deep)).not.toThrow();
    const long = `{"text":"${'x\\"'.repeat(10_000_000)}","n":1.0}`;
    expect(through(long).slice(-8)).toBe('"n":1.0}');
  });
});
