/** Builds assertions that several sources need: status codes, comparisons of numbers, texts, and DNS records. */

export interface Assertion {
  readonly source: string;
  readonly property?: string;
  readonly comparison: string;
  readonly target?: string;
  readonly regex?: string;
}

/** Returns the nearest number above or below. */
function neighbour(value: number, step: 1 | -1): number {
  if (value === 0) return step * Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) + BigInt(value > 0 ? step : -step);
  return new Float64Array(bits.buffer)[0] ?? value;
}

/** Returns the comparison of `>`, `>=`, `<` or `<=` with a number. The API has no comparison that includes it. */
export const orderOf = (operator: string, value: number): Pick<Assertion, 'comparison' | 'target'> => ({
  comparison: operator.startsWith('>') ? 'GREATER_THAN' : 'LESS_THAN',
  target: String(operator.endsWith('=') ? neighbour(value, operator.startsWith('>') ? -1 : 1) : value),
});

/** Returns an assertion that a ping is answered within a time in ms. */
export const latencyAssertion = (milliseconds: number): Assertion => ({
  source: 'LATENCY',
  property: 'avg',
  comparison: 'LESS_THAN',
  target: String(milliseconds),
});

export const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Every status code of HTTP, and beyond. */
const [FIRST_CODE, LAST_CODE] = [100, 999];
export const STATUS_CODES: readonly number[] = Array.from(
  { length: LAST_CODE - FIRST_CODE + 1 },
  (_, index) => FIRST_CODE + index,
);

/** A range with both ends. */
export type Range = readonly [from: number, to: number];

/** Returns the ranges of sorted numbers. */
function toRanges(numbers: readonly number[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) ranges[ranges.length - 1] = [last[0], number];
    else ranges.push([number, number]);
  }
  return ranges;
}

const digits = (from: number, to: number): string =>
  from === to ? String(from) : from === 0 && to === 9 ? '\\d' : `[${from}-${to}]`;

/** Returns expressions for the numbers of a range of `length` digits. */
function rangePatterns(from: number, to: number, length: number): readonly string[] {
  if (length === 0) return [''];
  const unit = 10 ** (length - 1);
  const [low, high] = [Math.floor(from / unit), Math.floor(to / unit)];
  const rest = '\\d'.repeat(length - 1);
  if (low === high)
    return rangePatterns(from % unit, to % unit, length - 1).map((pattern) => `${low}${pattern}`);
  const isWholeLow = from % unit === 0;
  const isWholeHigh = to % unit === unit - 1;
  const [firstWhole, lastWhole] = [isWholeLow ? low : low + 1, isWholeHigh ? high : high - 1];
  return [
    ...(isWholeLow ? [] : rangePatterns(from % unit, unit - 1, length - 1).map((each) => `${low}${each}`)),
    ...(firstWhole <= lastWhole ? [`${digits(firstWhole, lastWhole)}${rest}`] : []),
    ...(isWholeHigh ? [] : rangePatterns(0, to % unit, length - 1).map((each) => `${high}${each}`)),
  ];
}

/** Returns assertions that hold for exactly these status codes. All codes: one that always holds. */
export function statusAssertions(isAccepted: (code: number) => boolean): readonly Assertion[] {
  const source = 'STATUS_CODE';
  const accepted = STATUS_CODES.filter(isAccepted);
  const refused = STATUS_CODES.filter((code) => !isAccepted(code));
  if (refused.length === 0) return [{ source, comparison: 'NOT_NULL' }];
  if (accepted.length === 1) return [{ source, comparison: 'EQUALS', target: String(accepted[0]) }];
  if (refused.length === 1) return [{ source, comparison: 'NOT_EQUALS', target: String(refused[0]) }];
  const ranges = toRanges(accepted);
  const [[from, to] = [0, 0]] = ranges;
  if (ranges.length === 1)
    return [
      ...(from > FIRST_CODE ? [{ source, comparison: 'GREATER_THAN', target: String(from - 1) }] : []),
      ...(to < LAST_CODE ? [{ source, comparison: 'LESS_THAN', target: String(to + 1) }] : []),
    ];
  const patterns = ranges.flatMap(([low, high]) => rangePatterns(low, high, 3));
  return [{ source, comparison: 'NOT_NULL', regex: `^(?:${patterns.join('|')})$` }];
}

/** Patterns around the part of a record's data that a source compares, by record type. Names end with a dot. */
const AROUND: Readonly<Record<string, readonly [before: string, after: string]>> = {
  CNAME: ['', '\\.'],
  NS: ['', '\\.'],
  PTR: ['', '\\.'],
  MX: ['[0-9]+ ', '\\.'],
  SRV: ['[0-9]+ [0-9]+ [0-9]+ ', '\\.'],
  CAA: ['[0-9]+ issue "', '"'],
  SOA: ['', '\\. .*'],
};

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Matches any characters of the compared part of a record. */
export const anyOfRecord = (recordType: string): string =>
  ['TXT', 'CAA'].includes(recordType) ? '.*' : '[^ ]*';

/** Returns a JSONPath condition on a record: whether the compared part matches a pattern. */
export function recordCondition(recordType: string, pattern: string): string {
  const [before, after] = AROUND[recordType] ?? ['', ''];
  return `match(@.data, ${quote(`${before}${pattern}${after}`)})`;
}

/** Returns an assertion that a record of the type exists and meets all conditions. */
export const recordAssertion = (recordType: string, conditions: readonly string[]): Assertion => ({
  source: 'JSON_ANSWER',
  property: `$.Answer[?${[`@.type == "${recordType}"`, ...conditions].join(' && ')}]`,
  comparison: 'NOT_EMPTY',
});
