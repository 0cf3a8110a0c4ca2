/** The JSON that a body may hold. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/service/http/api/problem.ts';
import { parseJsonBody } from '../../../../src/service/http/server/json-body.ts';

const limits = { maxDepth: 64, maxValues: 1000 };
const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text), limits);

function refusal(text: string | Buffer): Problem {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('the body was taken');
}

describe('a JSON body', () => {
  it('is read as it stands', () => {
    const value = { text: 'a "quoted" \\ [{', list: [1, -2.5, null, true], nested: { ünï: '🙂' } };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  it('is undefined where it is empty', () => {
    expect(parse('')).toBeUndefined();
  });

  it.each([
    ['not JSON', '{"a": }', 400, 'The body is not valid JSON'],
    ['cut short', '{"a": "b', 400, 'The body is not valid JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 400, 'The body is not valid JSON'],
    [
      'a NUL in a text',
      '{"a": ["b", "c\\u0000"]}',
      400,
      'a[1] contains a NUL character or an unpaired surrogate',
    ],
    [
      'a NUL in a name',
      '{"a\\u0000": 1}',
      400,
      'A field name in the body contains a NUL character or an unpaired surrogate',
    ],
    ['half a surrogate pair', '"\\ud800"', 400, 'The body contains a NUL character or an unpaired surrogate'],
    ['a prototype key', '{"a": {"__proto__": {}}}', 400, 'The body contains a field named __proto__'],
    [
      'a prototype key in escapes',
      '{"\\u005f_proto__": {}}',
      400,
      'The body contains a field named __proto__',
    ],
    [
      'lists a thousand deep',
      '['.repeat(1000),
      400,
      'The body is nested deeper than 64 levels (line 1, column 65)',
    ],
    [
      'objects a thousand deep',
      '{"a":'.repeat(1000),
      400,
      'The body is nested deeper than 64 levels (line 1, column 321)',
    ],
    ['too many values', `[${'1,'.repeat(1000)}1]`, 413, 'The body contains more than 1000 values'],
  ])('with %s is refused', (_, text, status, message) => {
    expect(refusal(text)).toMatchObject({ status, message });
  });

  it('of 64 levels is taken, of 65 not', () => {
    expect(parse('['.repeat(64) + ']'.repeat(64))).toBeDefined();
    expect(refusal('['.repeat(65) + ']'.repeat(65)).status).toBe(400);
  });

  it('is what JSON.parse makes of it, or a refusal', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        let value: unknown;
        try {
          value = parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
          return;
        }
        expect(value).toEqual(JSON.parse(text));
      }),
    );
  });
});
