/** The JSONPath of an assertion: what it selects, and its bounds. */
import { describe, expect, it } from 'vitest';
import { selectJsonPath } from '../../../src/runners/assertions/jsonpath.ts';
import type { JsonValue } from '../../../src/runners/core/assertion.ts';

describe('a JSONPath', () => {
  const document = {
    Status: 'NOERROR',
    Answer: [
      { data: 'x', TTL: 60 },
      { data: 'yy', TTL: 300 },
    ],
    None: [],
  };
  it.each<[string, readonly JsonValue[]]>([
    ['', [document]],
    ['$.Status', ['NOERROR']],
    ['Status', ['NOERROR']],
    ["['Status']", ['NOERROR']],
    ['$.Answer[*].TTL', [60, 300]],
    ['$..data', ['x', 'yy']],
    ["$.Answer[?(@.data == 'yy')].TTL", [300]],
    ['$.Answer.length', [2]],
    ['$.None.length', [0]],
    ['$.Answer[*].data.length', [1, 2]],
    ['$.Answer[0].length', []],
    ['$.Nope', []],
  ])('%s selects %j', (path, values) => {
    expect(selectJsonPath(document, path).values).toEqual(values);
  });

  it('that is broken, or would never end, makes the assertion unusable', () => {
    expect(selectJsonPath(document, '$.Answer[').unusable).toMatch(/^\$\.Answer\[ is not a valid JSONPath: /);
    const wide = Array.from({ length: 3000 }, () => [[1], [2], [3]]);
    expect(selectJsonPath(wide, '$[?count($..*) > 5]').unusable).toBe(
      'the JSONPath $[?count($..*) > 5] took longer than 500 ms',
    );
  });

  it('that selects again and again is stopped', () => {
    const twice = Array.from({ length: 26 }).reduce<JsonValue>((inner) => [inner], 1);
    expect(selectJsonPath(twice, `$${'[*,*]'.repeat(26)}`).unusable).toMatch(
      // On a busy machine the limit of time is reached first.
      /(?:selects more than 100000 values|took longer than 500 ms)$/,
    );
  });

  it('searches with expressions that cannot backtrack', () => {
    const slow = { text: `${'a'.repeat(60)}b` };
    expect(selectJsonPath(slow, "$[?search(@, '(a+)+b')]").values).toEqual([slow.text]);
    expect(selectJsonPath(slow, "$[?match(@, '(a+)+')]").values).toEqual([]);
  });
});
it('a filter matches only texts, and a length only where the path asks for it', () => {
  const document = { a: [{ n: 5 }, { n: '5' }], items: [1] };
  expect(selectJsonPath(document, "$.a[?match(@.n, '5')]").values).toEqual([{ n: '5' }]);
  expect(selectJsonPath(document, "$.a[?search('5', @.n)]").values).toEqual([{ n: '5' }]);
  expect(selectJsonPath([{ n: 'a' }], "$[?match(@.n, 'A')]").values).toEqual([]);
  expect(selectJsonPath(['abc', 'ac'], "$[?search(@, 'b')]").values).toEqual(['abc']);
  expect(selectJsonPath(['abc', 'b'], "$[?match(@, 'b')]").values).toEqual(['b']);
  expect(selectJsonPath(document, '$.itemsXXXXXXX').values).toEqual([]);
  expect(selectJsonPath(document, '$.items.length').values).toEqual([1]);
});

describe('a bound', () => {
  it('of the path is 1,000 characters', () => {
    const path = (length: number): string => `$.${'a'.repeat(length - 2)}`;
    expect(selectJsonPath({ [path(1000).slice(2)]: 1 }, path(1000)).values).toEqual([1]);
    expect(selectJsonPath({}, path(1001)).unusable).toBe('the JSONPath is longer than 1000 characters');
  });

  it('of the selected values is 100,000', () => {
    const reason = (count: number) => selectJsonPath(Array<number>(count).fill(1), '$[*]').unusable ?? '';
    // On a busy machine the limit of time is reached first.
    expect(reason(100_000)).not.toMatch(/selects more than/);
    expect(reason(100_001)).toMatch(
      /^the JSONPath \$\[\*\] (?:selects more than 100000 values|took longer than 500 ms)$/,
    );
  });
});
