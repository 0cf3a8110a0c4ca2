/** What people call the values of enumerations: loaded only where somebody chooses among them. */
import type { JsonSchema, ValueNames } from './endpoint.ts';
import type { COMPARISONS, DNS_RECORD_TYPES } from './enumerations.ts';
import { cityOf, regionOf } from './location-names.ts';

/** What is known of a value besides itself. */
export interface ValueName {
  readonly description: string;
  /** The heading that it stands under, where there are headings. */
  readonly group?: string;
}

const RECORDS: Readonly<Record<(typeof DNS_RECORD_TYPES)[number], string>> = {
  A: 'IPv4 addresses',
  AAAA: 'IPv6 addresses',
  CNAME: 'the name that this one is an alias of',
  MX: 'servers that take its mail',
  NS: 'name servers of the zone',
  TXT: 'texts, such as SPF and proofs of ownership',
  SOA: 'the start of the zone: its serial number and times',
};

const SOURCES: Readonly<Record<string, string>> = {
  STATUS_CODE: 'the status of the answer, such as 200',
  JSON_BODY: 'a part of the JSON in the body',
  HEADERS: 'a header of the answer',
  TEXT_BODY: 'the body as text',
  RESPONSE_TIME: 'how long the answer took, in milliseconds',
  RESPONSE_CODE: 'what the name server said: NOERROR, NXDOMAIN, SERVFAIL …',
  TEXT_ANSWER: 'the records as text, one a line',
  JSON_ANSWER: 'a part of the answer, found by JSONPath',
  RESPONSE_DATA: 'what was received, as text',
  LATENCY: 'how long replies took, in milliseconds: avg, min, max or stdDev',
  PACKET_LOSS: 'the percentage of packets that were lost',
  JSON_RESPONSE: 'a part of the replies, found by JSONPath',
};

/** When an assertion holds, by its comparison. */
export const COMPARISON_MEANINGS: Readonly<Record<(typeof COMPARISONS)[number], string>> = {
  EQUALS: 'is the target',
  NOT_EQUALS: 'is anything else',
  CONTAINS: 'text holds the target, or a list has it as an item',
  NOT_CONTAINS: 'text lacks the target, or a list has no such item',
  GREATER_THAN: 'a number above the target',
  LESS_THAN: 'a number below it',
  HAS_KEY: 'an object has this key',
  NOT_HAS_KEY: 'an object lacks this key',
  HAS_VALUE: 'an object or a list has this value',
  NOT_HAS_VALUE: 'an object or a list lacks this value',
  IS_EMPTY: 'nothing was there, or it is empty',
  NOT_EMPTY: 'something was there',
  IS_NULL: 'nothing was there, or it is null',
  NOT_NULL: 'something was there',
};

const MINUTES_OF_AN_HOUR = 60;

/** Minutes between two runs, as people say it. */
function frequency(minutes: number): string {
  if (minutes === 0) return 'every few seconds';
  if (minutes === 1) return 'every minute';
  if (minutes === MINUTES_OF_AN_HOUR) return 'every hour';
  return minutes % MINUTES_OF_AN_HOUR === 0
    ? `every ${minutes / MINUTES_OF_AN_HOUR} hours`
    : `every ${minutes} minutes`;
}

const plain = (names: Readonly<Record<string, string>>) => (value: string) => ({
  description: names[value] ?? '',
});

const NAMES = {
  locations: (value: string): ValueName => ({
    description: cityOf(value) ?? '',
    group: regionOf(value),
  }),
  recordTypes: plain(RECORDS),
  sources: plain(SOURCES),
  frequencies: (value: string): ValueName => ({ description: frequency(Number(value)) }),
} satisfies Record<ValueNames, (value: string) => ValueName>;

/** What a value of the schema's enumeration is called; undefined where it has no other name. */
export function nameOfValue(schema: JsonSchema, value: unknown): ValueName | undefined {
  const names = schema['x-values'];
  return names === undefined ? undefined : NAMES[names](String(value));
}

/** Comparisons that look at what is there alone. */
export const takesTarget = (comparison: string): boolean => !/_(?:EMPTY|NULL)$/.test(comparison);

/** What part of a source is looked at, as an example; undefined where it is looked at as a whole. */
export const propertyOf = (source: string): string | undefined =>
  ({
    JSON_ANSWER: '$.Answer[0].data',
    JSON_BODY: '$.status',
    HEADERS: 'content-type',
    LATENCY: 'avg',
    JSON_RESPONSE: '$.packetsReceived',
  })[source];
