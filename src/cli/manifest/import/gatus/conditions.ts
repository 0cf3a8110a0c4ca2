/** Parses conditions of Gatus, such as `[STATUS] == 200` and `len([BODY].items) > 0`, and converts them to assertions. */
import { type Assertion, escapePattern, orderOf } from '../assertions.ts';
import { hasVariable } from '../conversion.ts';
import { secondsOf } from '../values.ts';

export interface Condition {
  /** As written. */
  readonly text: string;
  readonly function?: 'len' | 'has';
  /** Without brackets: `STATUS`. */
  readonly placeholder: string;
  /** The path after `[BODY]`: `.items[0].name`. */
  readonly path: string;
  readonly operator: string;
  readonly expected: Expected;
}

/** `any` has several values, `pattern` a glob. */
export type Expected = { readonly values: readonly string[] } | { readonly pattern: string };

const OPERATORS = [' == ', ' != ', ' <= ', ' >= ', ' > ', ' < '];
const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const SUBJECT = /^(?:(len|has)\()?\[([A-Z_]+)\]((?:\.|\[).*?)?(\))?$/i;

/** Returns the condition; undefined if it does not compare a placeholder with a value. */
export function parseCondition(text: string): Condition | undefined {
  const separator = OPERATORS.find((each) => text.includes(each));
  if (separator === undefined) return undefined;
  const at = text.indexOf(separator);
  const sides = [text.slice(0, at).trim(), text.slice(at + separator.length).trim()] as const;
  const operator = separator.trim();
  const isSwapped = !SUBJECT.test(sides[0]) && SUBJECT.test(sides[1]);
  const [subject, value] = isSwapped ? [sides[1], sides[0]] : sides;
  const [match, name, placeholder = '', path = '', end] = subject.match(SUBJECT) ?? [];
  if (match === undefined || (name === undefined) !== (end === undefined) || SUBJECT.test(value))
    return undefined;
  return {
    text,
    ...(name === undefined ? {} : { function: name.toLowerCase() as 'len' | 'has' }),
    placeholder: placeholder.toUpperCase(),
    path,
    operator: isSwapped ? (MIRRORED[operator] ?? operator) : operator,
    expected: parseExpected(value),
  };
}

function parseExpected(text: string): Expected {
  const [, name, inside = ''] = text.match(/^(pat|any)\((.*)\)$/s) ?? [];
  if (name === 'pat') return { pattern: inside };
  return { values: name === 'any' ? inside.split(',').map((option) => option.trim()) : [text] };
}

/** Returns the regular expression of a glob, without anchors. */
const globPattern = (glob: string): string =>
  glob
    .split(/(\*|\?|\[[^\]]+\])/)
    .map((part) =>
      part === '*'
        ? '[\\s\\S]*'
        : part === '?'
          ? '[\\s\\S]'
          : part.startsWith('[')
            ? part
            : escapePattern(part),
    )
    .join('');

/** Returns an expression that matches the expected values, without anchors. */
export const expectedPattern = (expected: Expected): string =>
  'pattern' in expected ? globPattern(expected.pattern) : expected.values.map(escapePattern).join('|');

/** Returns the number of a condition with an order or one value; NaN: it is none. A duration is milliseconds. */
export function expectedNumber({ expected }: Condition): number {
  if ('pattern' in expected || expected.values.length !== 1) return Number.NaN;
  const [value = ''] = expected.values;
  const number = value === '' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? (secondsOf(value) ?? Number.NaN) * 1000 : number;
}

/** Returns whether a number meets a condition. */
export function meetsCondition(condition: Condition, number: number): boolean {
  const limit = expectedNumber(condition);
  switch (condition.operator) {
    case '<':
      return number < limit;
    case '<=':
      return number <= limit;
    case '>':
      return number > limit;
    case '>=':
      return number >= limit;
    default: {
      const isEqual = new RegExp(`^(?:${expectedPattern(condition.expected)})$`).test(String(number));
      return isEqual === (condition.operator === '==');
    }
  }
}

/** Returns the JSONPath of `.items[0].first-name`. */
function toJsonPath(path: string): string {
  const steps = path.match(/\[\d+\]|[^.[\]]+/g) ?? [];
  return `$${steps.map((step) => (step.startsWith('[') ? step : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`)).join('')}`;
}

const isEquality = (operator: string): boolean => operator === '==' || operator === '!=';

/** Returns the assertion of a condition on the body. Undefined: it has no counterpart. */
export function bodyAssertion(condition: Condition, textSource = 'TEXT_BODY'): Assertion | undefined {
  const { function: name, path, operator, expected } = condition;
  const property = toJsonPath(path);
  if (name === 'has') {
    const [value] = 'values' in expected ? expected.values : [];
    if (path === '' || !isEquality(operator) || (value !== 'true' && value !== 'false')) return undefined;
    const exists = (value === 'true') === (operator === '==');
    return { source: 'JSON_BODY', property, comparison: exists ? 'NOT_NULL' : 'IS_NULL' };
  }
  if (name === 'len') return lengthAssertion(condition, property);
  if (path === '') return textAssertion(condition, textSource);
  if (!isEquality(operator)) {
    const number = expectedNumber(condition);
    return Number.isNaN(number) ? undefined : { source: 'JSON_BODY', property, ...orderOf(operator, number) };
  }
  if ('values' in expected && expected.values.length === 1) {
    const comparison = operator === '==' ? 'EQUALS' : 'NOT_EQUALS';
    return { source: 'JSON_BODY', property, comparison, target: expected.values[0] ?? '' };
  }
  return { source: 'JSON_BODY', property, ...matchOf(condition) };
}

function lengthAssertion(condition: Condition, property: string): Assertion | undefined {
  const number = expectedNumber(condition);
  const { operator, path } = condition;
  if (path === '' && operator === '>' && number === 0)
    return { source: 'TEXT_BODY', comparison: 'NOT_EMPTY' };
  if (Number.isNaN(number) || path === '') return undefined;
  const compared = isEquality(operator)
    ? { comparison: operator === '==' ? 'EQUALS' : 'NOT_EQUALS', target: String(number) }
    : orderOf(operator, number);
  return { source: 'JSON_BODY', property: `${property}.length`, ...compared };
}

/** Returns a comparison of the whole text with an expression. A text without a match is not null if none is wanted. */
const matchOf = ({ operator, expected }: Condition): Pick<Assertion, 'comparison' | 'regex'> => ({
  regex: `\\A\\s*(?:${expectedPattern(expected)})\\s*\\z`,
  comparison: operator === '==' ? 'NOT_NULL' : 'IS_NULL',
});

function textAssertion(condition: Condition, source: string): Assertion | undefined {
  const { operator, expected } = condition;
  if (!isEquality(operator)) return undefined;
  const [only = ''] = 'values' in expected ? expected.values : [];
  // A variable in an expression would count as an expression.
  if (hasVariable(only))
    return { source, comparison: operator === '==' ? 'EQUALS' : 'NOT_EQUALS', target: only };
  const inside = 'pattern' in expected ? expected.pattern.match(/^\*([^*?[\\]+)\*$/)?.[1] : undefined;
  if (inside === undefined) return { source, ...matchOf(condition) };
  return { source, comparison: operator === '==' ? 'CONTAINS' : 'NOT_CONTAINS', target: inside };
}
