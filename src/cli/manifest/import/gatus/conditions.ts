/** Parses conditions of Gatus, such as `[STATUS] == 200` and `len([BODY].items) > 0`, and converts them to assertions. */
import { RE2JS } from 're2js';
import { type Assertion, escapePattern, orderOf } from '../assertions.ts';
import { hasVariable, type ReportLoss } from '../conversion.ts';
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
  const expected = parseExpected(value);
  if (match === undefined || (name === undefined) !== (end === undefined) || SUBJECT.test(value))
    return undefined;
  if (expected === undefined) return undefined;
  return {
    text,
    ...(name === undefined ? {} : { function: name.toLowerCase() as 'len' | 'has' }),
    placeholder: placeholder.toUpperCase(),
    path,
    operator: isSwapped ? (MIRRORED[operator] ?? operator) : operator,
    expected,
  };
}

/** Undefined: a pattern that Go refuses, which nothing matches. */
function parseExpected(text: string): Expected | undefined {
  const [, name, inside = ''] = text.match(/^(pat|any)\((.*)\)$/s) ?? [];
  if (name === 'pat') return parseGlob(inside) === undefined ? undefined : { pattern: inside };
  return { values: name === 'any' ? inside.split(',').map((option) => option.trim()) : [text] };
}

/** A part of a glob: a literal text, or the expression of a wildcard. */
type GlobPart = { readonly literal: string } | { readonly pattern: string };

const MAX_GLOB_LENGTH = 1000;
const ANY_TEXT = '[\\s\\S]*';
const GLOB_TOKEN = /\\[\s\S]|\[\^?(?:\\[\s\S]|[^\]\\])+\]|[\s\S]/g;

/** Returns the expression of a class; undefined if it has a form that Go refuses. */
function classPattern(text: string): string | undefined {
  const [, start = '', inside = ''] = text.match(/^(\[\^?)([\s\S]*)\]$/) ?? [];
  const ranges = inside.match(/(?:\\[\s\S]|[^\\-])(?:-(?:\\[\s\S]|[^\\-]))?/g) ?? [];
  if (ranges.join('') !== inside) return undefined;
  const escaped = inside.replace(/\\?([\s\S])/g, (whole, character: string) =>
    whole !== '-' && /[\\\]^[-]/.test(character) ? `\\${character}` : character,
  );
  return `${start}${escaped}]`;
}

/** Returns the parts of a glob, in which a backslash makes the next character literal. Undefined: Go refuses it, or it is too long. */
function parseGlob(glob: string): readonly GlobPart[] | undefined {
  // An unclosed class is searched to the end.
  if (glob.length > MAX_GLOB_LENGTH) return undefined;
  const parts = (glob.match(GLOB_TOKEN) ?? []).map((token): GlobPart | undefined => {
    if (token === '*') return { pattern: ANY_TEXT };
    if (token === '?') return { pattern: '[\\s\\S]' };
    if (token === '[' || token === '\\') return undefined;
    if (token.startsWith('[')) {
      const pattern = classPattern(token);
      return pattern === undefined ? undefined : { pattern };
    }
    return { literal: token.startsWith('\\') ? token.slice(1) : token };
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

const globPattern = (glob: string): string =>
  (parseGlob(glob) ?? [])
    .map((part) => ('literal' in part ? escapePattern(part.literal) : part.pattern))
    .join('');

/** Returns the text that a glob wants anywhere: `ok` of `*ok*`. Undefined: it wants something else. */
function textInside(glob: string): string | undefined {
  const parts = parseGlob(glob) ?? [];
  const isAny = (part: GlobPart | undefined) =>
    part !== undefined && 'pattern' in part && part.pattern === ANY_TEXT;
  const inner = parts.slice(1, -1);
  if (!isAny(parts[0]) || !isAny(parts.at(-1)) || inner.length === 0) return undefined;
  const literals = inner.flatMap((part) => ('literal' in part ? [part.literal] : []));
  return literals.length === inner.length ? literals.join('') : undefined;
}

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
      const isEqual = RE2JS.compile(expectedPattern(condition.expected)).testExact(String(number));
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
  const match = matchOf(condition);
  return match && { source: 'JSON_BODY', property, ...match };
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

/**
 * Returns a comparison of the whole text with an expression. A text without a match is not null if none is wanted.
 * Undefined: the value of a variable would count as an expression.
 */
function matchOf({ operator, expected }: Condition): Pick<Assertion, 'comparison' | 'regex'> | undefined {
  const pattern = expectedPattern(expected);
  if (hasVariable(pattern)) return undefined;
  return { regex: `\\A\\s*(?:${pattern})\\s*\\z`, comparison: operator === '==' ? 'NOT_NULL' : 'IS_NULL' };
}

function textAssertion(condition: Condition, source: string): Assertion | undefined {
  const { operator, expected } = condition;
  if (!isEquality(operator)) return undefined;
  const [only = ''] = 'values' in expected ? expected.values : [];
  if (hasVariable(only))
    return { source, comparison: operator === '==' ? 'EQUALS' : 'NOT_EQUALS', target: only };
  const inside = 'pattern' in expected ? textInside(expected.pattern) : undefined;
  const match = inside === undefined ? matchOf(condition) : undefined;
  if (inside === undefined) return match && { source, ...match };
  return { source, comparison: operator === '==' ? 'CONTAINS' : 'NOT_CONTAINS', target: inside };
}

/** The conditions of an endpoint. Each becomes a part of the check, or a loss: `finish` reports what is left. */
export class Conditions {
  readonly #report: ReportLoss;
  readonly #open: Condition[];
  /** Without those that are written in an unknown form. */
  readonly all: readonly Condition[];

  constructor(texts: readonly string[], report: ReportLoss) {
    this.#report = report;
    const parsed = texts.map((text) => parseCondition(text));
    this.all = parsed.filter((each) => each !== undefined);
    this.#open = [...this.all];
    for (const [at, text] of texts.entries()) if (parsed[at] === undefined) this.#lose(text);
  }

  #lose(text: string, reason = 'it has no counterpart; write an assertion'): void {
    this.#report('paused', `condition ${text}`, reason);
  }

  /** Converts the conditions on a placeholder. One that converts to undefined is a loss. */
  convert<T>(
    placeholder: string,
    convert: (condition: Condition) => T | undefined,
    reason?: string,
  ): readonly T[] {
    const own = this.#open.filter((each) => each.placeholder === placeholder);
    this.#open.splice(0, this.#open.length, ...this.#open.filter((each) => !own.includes(each)));
    return own.flatMap((condition) => {
      const converted = convert(condition);
      if (converted === undefined) this.#lose(condition.text, reason);
      return converted ?? [];
    });
  }

  /** Whether a placeholder has a condition that is not converted yet. */
  has(placeholder: string): boolean {
    return this.#open.some((each) => each.placeholder === placeholder);
  }

  finish(): void {
    for (const { text } of this.#open.splice(0)) this.#lose(text);
  }
}
