/** Assertions: every comparison, over one value, several and none. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPARISONS } from '../../src/contract/enumerations.ts';
import { selectJsonPath } from '../../src/runners/assertions/jsonpath.ts';
import { complete, incomplete } from '../../src/runners/assertions/observed.ts';
import { measured, selectFrom } from '../../src/runners/assertions/subject.ts';
import type { JsonValue, Selection } from '../../src/runners/assertions/types.ts';
import { evaluateAssertion } from '../../src/runners/assertions.ts';

const toSubject = (selection: Selection) => selectFrom(complete(selection), (one) => one);

function verdict(comparison: string, target: string, selection: Selection, regex = ''): string {
  const result = evaluateAssertion({ source: 'SOURCE', comparison, target, regex }, toSubject(selection));
  return result.passed ? 'passes' : result.message;
}

const one = (value: JsonValue): Selection => ({ values: [value] });

describe('a comparison of one value', () => {
  it.each<[JsonValue, string, string, string]>([
    ['NOERROR', 'EQUALS', 'NOERROR', 'passes'],
    ['NOERROR', 'EQUALS', 'NXDOMAIN', 'SOURCE EQUALS "NXDOMAIN": was "NOERROR"'],
    ['NOERROR', 'NOT_EQUALS', 'NXDOMAIN', 'passes'],
    ['a', 'EQUALS', 'A', 'SOURCE EQUALS "A": was "a"'],
    [5, 'EQUALS', '5.0', 'passes'],
    [5, 'EQUALS', '', 'SOURCE EQUALS "": was 5'],
    [true, 'EQUALS', 'true', 'passes'],
    [null, 'EQUALS', 'null', 'passes'],
    [{ a: [1] }, 'EQUALS', '{"a": [1]}', 'passes'],
    [{ a: [1] }, 'EQUALS', 'not json', 'SOURCE EQUALS "not json": was {"a":[1]}'],
    [12.5, 'GREATER_THAN', '12.4', 'passes'],
    [12.5, 'GREATER_THAN', '12.5', 'SOURCE GREATER_THAN "12.5": was 12.5'],
    [12.5, 'LESS_THAN', '12.5', 'SOURCE LESS_THAN "12.5": was 12.5'],
    ['7', 'LESS_THAN', '10', 'passes'],
    [
      'seven',
      'LESS_THAN',
      '10',
      'SOURCE LESS_THAN "10": was "seven"; the value must be a number, not a string',
    ],
    ['', 'LESS_THAN', '10', 'SOURCE LESS_THAN "10": was ""; the value must be a number, not a string'],
    [5, 'LESS_THAN', 'ten', 'SOURCE LESS_THAN "ten": the target "ten" is not a number'],
    [5, 'LESS_THAN', '', 'SOURCE LESS_THAN "": the target "" is not a number'],
    ['v=spf1 -all', 'CONTAINS', '-all', 'passes'],
    ['v=spf1 -all', 'NOT_CONTAINS', '-all', 'SOURCE NOT_CONTAINS "-all": was "v=spf1 -all"'],
    [['a', 'b'], 'CONTAINS', 'b', 'passes'],
    [['ab'], 'CONTAINS', 'b', 'SOURCE CONTAINS "b": was ["ab"]'],
    [5, 'CONTAINS', '5', 'SOURCE CONTAINS "5": was 5; only strings and arrays can be searched, not a number'],
    [
      5,
      'NOT_CONTAINS',
      '6',
      'SOURCE NOT_CONTAINS "6": was 5; only strings and arrays can be searched, not a number',
    ],
    [{ a: 1 }, 'HAS_KEY', 'a', 'passes'],
    [{ a: 1 }, 'HAS_KEY', 'toString', 'SOURCE HAS_KEY "toString": was {"a":1}'],
    [{ a: 1 }, 'NOT_HAS_KEY', 'b', 'passes'],
    [['x'], 'HAS_KEY', '0', 'passes'],
    ['a', 'HAS_KEY', 'a', 'SOURCE HAS_KEY "a": was "a"; only objects and arrays have keys, not a string'],
    [{ a: 1 }, 'HAS_VALUE', '1', 'passes'],
    [['x', 2], 'HAS_VALUE', '2', 'passes'],
    [['x', 2], 'NOT_HAS_VALUE', '2', 'SOURCE NOT_HAS_VALUE "2": was ["x",2]'],
    [null, 'HAS_VALUE', '2', 'SOURCE HAS_VALUE "2": was null; only objects and arrays have values, not null'],
    ['', 'IS_EMPTY', '', 'passes'],
    [[], 'IS_EMPTY', '', 'passes'],
    [{}, 'IS_EMPTY', '', 'passes'],
    [null, 'IS_EMPTY', '', 'passes'],
    [0, 'IS_EMPTY', '', 'SOURCE IS_EMPTY: was 0'],
    ['x', 'NOT_EMPTY', '', 'passes'],
    ['', 'NOT_EMPTY', '', 'SOURCE NOT_EMPTY: was ""'],
    [null, 'IS_NULL', '', 'passes'],
    ['', 'IS_NULL', '', 'SOURCE IS_NULL: was ""'],
    ['', 'NOT_NULL', '', 'passes'],
    ['x', 'MATCHES', 'x', 'SOURCE MATCHES "x": unknown comparison MATCHES'],
    ['x', 'equals', 'x', 'SOURCE equals "x": unknown comparison equals'],
  ])('%j %s %j: %s', (value, comparison, target, expected) => {
    expect(verdict(comparison, target, one(value))).toBe(expected);
  });

  it('compares letters without their case where the source says so', () => {
    expect(verdict('EQUALS', 'nxdomain', { values: ['NXDOMAIN'], ignoreCase: true })).toBe('passes');
  });
});

describe('a comparison of several values', () => {
  const several: Selection = { values: ['192.0.2.1', '192.0.2.2', '198.51.100.3'] };

  it.each([
    ['CONTAINS', '192.0.2', 'the last one does not'],
    ['NOT_CONTAINS', '198.51', 'the last one does'],
    ['NOT_CONTAINS', '192.0.2.1', 'the first one does'],
    ['EQUALS', '192.0.2.1', 'only the first one is'],
    ['EQUALS', '198.51.100.3', 'only the last one is'],
    ['NOT_EQUALS', '192.0.2.2', 'the one in the middle is'],
  ])('fails %s %s, because %s', (comparison, target) => {
    expect(verdict(comparison, target, several)).toContain('was "192.0.2.1", "192.0.2.2", "198.51.100.3"');
  });

  it('passes when it holds for every one', () => {
    expect(verdict('CONTAINS', '.', several)).toBe('passes');
    expect(verdict('NOT_EQUALS', '203.0.113.9', several)).toBe('passes');
    expect(verdict('LESS_THAN', '301', { values: [300, 60] })).toBe('passes');
    expect(verdict('LESS_THAN', '300', { values: [60, 300] })).not.toBe('passes');
  });

  it('compares them as a set with a JSON array', () => {
    expect(verdict('EQUALS', '["192.0.2.2", "198.51.100.3", "192.0.2.1"]', several)).toBe('passes');
    expect(verdict('EQUALS', '["192.0.2.2", "192.0.2.1"]', several)).not.toBe('passes');
    expect(verdict('EQUALS', '["192.0.2.2", "192.0.2.1", "192.0.2.1"]', several)).not.toBe('passes');
    expect(verdict('NOT_EQUALS', '["192.0.2.2"]', several)).toBe('passes');
    expect(verdict('EQUALS', '[300, 60]', { values: [60, 300] })).toBe('passes');
    expect(verdict('EQUALS', '["a"]', one('["a"]'))).toBe('passes');
  });
});

describe('several values of which any is enough', () => {
  const cookies: Selection = {
    values: ['sid=1; Max-Age=60; Path=/', 'lang=de; Path=/shop; note=Path=/old', 'theme=dark'],
    isAnyOf: true,
  };

  it.each([
    ['EQUALS', '60', 'Max-Age=(\\d+)', true],
    ['EQUALS', 'lang', '^(\\w+)=', true],
    ['EQUALS', 'other', '^(\\w+)=', false],
    ['NOT_EQUALS', 'lang', '^(\\w+)=', false],
    ['NOT_EQUALS', 'other', '^(\\w+)=', true],
    ['NOT_CONTAINS', 'dark', 'theme=.*', false],
    ['CONTAINS', 'dark', 'theme=.*', true],
    ['GREATER_THAN', '59', 'Max-Age=(\\d+)', true],
    ['LESS_THAN', '60', 'Max-Age=(\\d+)', false],
    // All matches in one of the values.
    ['EQUALS', '/', 'Path=([/a-z]+)', true],
    ['EQUALS', '/shop', 'Path=([/a-z]+)', false],
    ['NOT_EMPTY', '', 'Path=/(\\w*)', false],
    ['NOT_EMPTY', '', 'missing', false],
    ['NOT_CONTAINS', 'x', 'missing', false],
    ['IS_EMPTY', '', 'missing', true],
    ['IS_EMPTY', '', 'theme', false],
  ])('%s %j with /%s/: %s', (comparison, target, regex, passes) => {
    expect(verdict(comparison, target, cookies, regex) === 'passes').toBe(passes);
  });

  it('name the values that none of them has', () => {
    expect(verdict('EQUALS', 'x', cookies, '^\\w+')).toBe('SOURCE EQUALS "x": was "sid", "lang", "theme"');
  });
});

describe('nothing to compare', () => {
  const nothing: Selection = { values: [], absence: '$.nope selects nothing' };
  it.each(COMPARISONS)('%s', (comparison) => {
    const holds = comparison === 'IS_EMPTY' || comparison === 'IS_NULL';
    const text = verdict(comparison, '1', nothing);
    if (holds) expect(text).toBe('passes');
    else expect(text).toMatch(/: \$\.nope selects nothing$/);
  });
});

describe('a regular expression', () => {
  const lines = one('a.test. 60 IN A 192.0.2.1\nb.test. 600 IN A 192.0.2.2');

  it('compares what its first group captures, in every match', () => {
    expect(verdict('LESS_THAN', '601', lines, ' (\\d+) IN')).toBe('passes');
    expect(verdict('LESS_THAN', '600', lines, ' (\\d+) IN')).toBe('SOURCE LESS_THAN "600": was "60", "600"');
    expect(verdict('EQUALS', '["a", "b"]', lines, '^(\\w)\\.')).toBe('passes');
    expect(verdict('CONTAINS', '192.0.2', lines, '[\\d.]+$')).toBe('passes');
  });

  it('that matches nothing leaves nothing to compare', () => {
    expect(verdict('NOT_CONTAINS', 'x', lines, 'MX')).toBe(
      'SOURCE NOT_CONTAINS "x": the regular expression /MX/ matches nothing',
    );
    expect(verdict('IS_NULL', '', lines, 'MX')).toBe('passes');
  });

  it('that is broken makes the assertion unusable', () => {
    expect(verdict('EQUALS', 'x', lines, '(')).toMatch(/: .*Invalid regular expression/);
  });

  it('does not backtrack', () => {
    expect(verdict('IS_EMPTY', '', one(`${'a'.repeat(60)}b`), '(a+)+$')).toBe('passes');
  });

  it('that looks ahead and would never end is stopped', () => {
    expect(verdict('EQUALS', 'x', one(`${'a'.repeat(60)}b`), '(?=(a+)+$)a')).toMatch(
      /: .*the regular expression .* took longer than 500 ms$/,
    );
  });

  it.each([
    ['220 mail ESMTP\r\nready\r\n', '^220 (.*)$', 'mail ESMTP'],
    ['a\r\nb', '(a\\r)', 'a\r'],
    ['price: 12', '(?<amount>\\d+)', '12'],
    ['aab', '(a)(?!a)', 'a'],
    ['abab', '(ab)\\1', 'ab'],
  ])('searches %j for %s', (text, pattern, captured) => {
    expect(verdict('EQUALS', captured, one(text), pattern)).toBe('passes');
  });
});

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
    expect(selectJsonPath(wide, '$[?count($..*) > 5]').unusable).toMatch(/took longer than 500 ms$/);
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

describe('a document of a hundred thousand levels', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as JsonValue;

  it.each([...COMPARISONS])('can be compared by %s, and never throws', (comparison) => {
    expect(typeof verdict(comparison, '{"a": 1}', one(deep))).toBe('string');
  });

  it('fails, and is shown in words', () => {
    expect(verdict('EQUALS', '{"a": 1}', one(deep))).toMatch(/nested too deeply/);
    expect(selectJsonPath(deep, '$..a').unusable).toBe('the JSONPath $..a descends more than 500 levels');
    expect(selectJsonPath(deep, '$.a.a').values).toHaveLength(1);
  });
});

it('keeps a value of more than twenty levels as its text', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const kept = (text: string) =>
    evaluateAssertion({ source: 'JSON_BODY', comparison: 'NOT_NULL' }, measured(JSON.parse(text))).actual;
  expect(kept(nested(20))).toEqual(JSON.parse(nested(20)));
  expect(kept(nested(21))).toBe(nested(21));
});

describe('whatever is compared', () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
  const target = fc.oneof(
    fc.string(),
    fc.jsonValue().map((json) => JSON.stringify(json)),
    fc.double().map(String),
  );

  it('never throws, and says why whenever it does not pass', () => {
    const property = fc.property(
      fc.array(value, { maxLength: 3 }),
      fc.oneof(fc.constantFrom<string>(...COMPARISONS), fc.string()),
      target,
      fc.option(fc.string({ maxLength: 8 }), { nil: '', freq: 20 }),
      (values, comparison, text, regex) => {
        const result = evaluateAssertion(
          { source: 'SOURCE', comparison, target: text, regex },
          toSubject({ values }),
        );
        expect(result.message === '').toBe(result.passed);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('a NOT_ comparison of one value is the opposite, wherever the comparison can be made', () => {
    const pairs = [
      ['EQUALS', 'NOT_EQUALS'],
      ['HAS_KEY', 'NOT_HAS_KEY'],
      ['HAS_VALUE', 'NOT_HAS_VALUE'],
      ['IS_EMPTY', 'NOT_EMPTY'],
      ['CONTAINS', 'NOT_CONTAINS'],
      ['IS_NULL', 'NOT_NULL'],
    ] as const;
    const property = fc.property(
      value,
      fc.constantFrom(...pairs),
      target,
      (single, [plain, negated], text) => {
        const yes = evaluateAssertion({ source: 'S', comparison: plain, target: text }, measured(single));
        const no = evaluateAssertion({ source: 'S', comparison: negated, target: text }, measured(single));
        if (yes.message.includes('; only ')) expect([yes.passed, no.passed]).toEqual([false, false]);
        else expect(no.passed).toBe(!yes.passed);
      },
    );
    fc.assert(property, { numRuns: 1000 });
  });

  it('a comparison of several values never passes together with its opposite', () => {
    const property = fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), target, (values, text) => {
      for (const comparison of ['EQUALS', 'CONTAINS', 'HAS_KEY', 'HAS_VALUE']) {
        const yes = evaluateAssertion({ source: 'S', comparison, target: text }, toSubject({ values }));
        const no = evaluateAssertion(
          { source: 'S', comparison: `NOT_${comparison}`, target: text },
          toSubject({ values }),
        );
        expect(yes.passed && no.passed).toBe(false);
      }
    });
    fc.assert(property);
  });
});

describe('incomplete data', () => {
  const cut = selectFrom(incomplete('abc', 'the body was cut'), (text) => ({ values: [text] }));

  it.each(COMPARISONS)('satisfies no %s', (comparison) => {
    for (const target of ['abc', 'x', '', '1'])
      expect(evaluateAssertion({ source: 'TEXT_BODY', comparison, target }, cut)).toMatchObject({
        passed: false,
        message: expect.stringMatching(/: the body was cut$/),
      });
  });

  it('satisfies no regular expression either', () => {
    const assertion = { source: 'TEXT_BODY', comparison: 'NOT_CONTAINS', target: 'x', regex: 'b' };
    expect(evaluateAssertion(assertion, cut).passed).toBe(false);
  });
});

describe('a bound', () => {
  it('of the stored value cuts an object of more than 4,096 characters', () => {
    const stored = (length: number) =>
      evaluateAssertion(
        { source: 'JSON_BODY', comparison: 'NOT_NULL' },
        measured({ a: 'x'.repeat(length - '{"a":""}'.length) }),
      ).actual;
    expect(stored(4096)).toBeTypeOf('object');
    expect(stored(4097)).toHaveLength(4097);
  });

  it('of a regular expression is 1,000 characters', () => {
    expect(verdict('EQUALS', 'x', one('a'.repeat(1000)), 'a'.repeat(1000))).toContain('was "aaa');
    expect(verdict('EQUALS', 'x', one('a'), 'a'.repeat(1001))).toContain('is longer than 1000 characters');
  });

  it('of a searched value is 262,144 characters, for each value', () => {
    const long = 'a'.repeat(262_144);
    expect(verdict('EQUALS', 'b', { values: ['b', `${long}b`] }, 'b')).toContain('is longer than 262144');
    expect(verdict('NOT_CONTAINS', 'x', one(long), 'a$')).toBe('passes');
  });

  it('of a quoted value is 200 characters', () => {
    expect(verdict('EQUALS', '', one('x'.repeat(198)))).toMatch(/x"$/);
    expect(verdict('EQUALS', '', one('x'.repeat(199)))).toMatch(/x…$/);
  });

  it.each([
    ['9'.repeat(2000), `${'9'.repeat(1999)}8`, false],
    ['9'.repeat(2001), `${'9'.repeat(2000)}8`, true],
    ['1e2000', '2e2000', false],
    ['1e2001', '2e2001', true],
  ])('of exact integers is 2,000 digits: %s', (integer, target, isEqual) => {
    const selection = { values: [Number(integer)], largeIntegers: new Map([[0, integer]]) };
    expect(verdict('EQUALS', target, selection) === 'passes').toBe(isEqual);
  });

  it('of matches is 9,999', () => {
    expect(verdict('EQUALS', 'a', one('a'.repeat(9999)), 'a')).toBe('passes');
    expect(verdict('EQUALS', 'a', one('a'.repeat(10_000)), 'a')).toContain('matches more than 10000 times');
  });
});

describe('EQUALS with an array', () => {
  it.each<[string, Selection, boolean]>([
    ['[[1],"a"]', { values: [[1], 'a'] }, false],
    ['[abc', { values: ['[abc'] }, true],
    ['["b"]', { values: ['a'] }, false],
    ['["a"]', { values: ['["a"]', 'b'] }, false],
    ['["a","b"]', { values: ['a', 'a'] }, false],
    ['["b","a"]', { values: ['a', 'b'] }, true],
    ['["a"]', { values: ['["a"]'] }, true],
  ])('%s of %j: %s', (target, selection, holds) => {
    expect(verdict('EQUALS', target, selection) === 'passes').toBe(holds);
  });
});

it('a capture compares with its case', () => {
  expect(verdict('EQUALS', 'B', one('AbC'), '(b)')).toBe('SOURCE EQUALS "B": was "b"');
  expect(verdict('NOT_NULL', '', one('abc'), 'B')).toContain('matches nothing');
});

it.each([
  [[], 'an array'],
  [{}, 'an object'],
  [null, 'null'],
  [true, 'a boolean'],
])('%j has no order, because it is %s', (value, kind) => {
  expect(verdict('GREATER_THAN', '1', one(value))).toContain(`the value must be a number, not ${kind}`);
});

it('a filter matches only texts, and a length only where the path asks for it', () => {
  const document = { a: [{ n: 5 }, { n: '5' }], items: [1] };
  expect(selectJsonPath(document, "$.a[?match(@.n, '5')]").values).toEqual([{ n: '5' }]);
  expect(selectJsonPath(document, "$.a[?search('5', @.n)]").values).toEqual([{ n: '5' }]);
  expect(selectJsonPath([{ n: 'a' }], "$[?match(@.n, 'A')]").values).toEqual([]);
  expect(selectJsonPath(document, '$.itemsXXXXXXX').values).toEqual([]);
  expect(selectJsonPath(document, '$.items.length').values).toEqual([1]);
});

it('where any value is enough, all captures of one value must satisfy a comparison', () => {
  const lines = { values: ['a=1; b=2', 'c=2'], isAnyOf: true };
  expect(verdict('EQUALS', '2', lines, '=(\\d)')).toBe('passes');
  expect(verdict('EQUALS', '1', lines, '=(\\d)')).not.toBe('passes');
  expect(verdict('EQUALS', '2', { values: ['a=1', 'c=2'] }, '=(\\d)')).not.toBe('passes');
});
