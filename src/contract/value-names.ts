/** Names of enumeration values for people. Loaded only when someone selects one. */
import type { AssertionSource, JsonSchema, ValueNames } from './endpoint.ts';
import type { COMPARISONS, DNS_RECORD_TYPES } from './enumerations.ts';
import { ASSERTION_SOURCES } from './generated/check-types.js';
import { cityOf, regionOf } from './location-names.ts';

/** Description of a value. */
export interface ValueName {
  readonly description: string;
  /** Heading of its group, if values are grouped. */
  readonly group?: string;
}

const RECORDS: Readonly<Record<(typeof DNS_RECORD_TYPES)[number], string>> = {
  A: 'IPv4 addresses',
  AAAA: 'IPv6 addresses',
  CNAME: 'canonical name of an alias',
  MX: 'mail servers',
  NS: 'name servers of the zone',
  TXT: 'text records, such as SPF and domain verification',
  SOA: 'start of authority: serial number and timers of the zone',
  CAA: 'certificate authorities that may issue certificates',
  DNSKEY: 'public keys of a signed zone',
  DS: 'fingerprints of the keys of a signed zone',
  HTTPS: 'protocols and addresses of a web server',
  NAPTR: 'rules that rewrite names, such as for SIP',
  PTR: 'names of an IP address',
  SRV: 'hosts and ports of a service',
  SVCB: 'protocols and addresses of a service',
  TLSA: 'certificates of a service (DANE)',
};

const SOURCES: Readonly<Record<string, AssertionSource>> = Object.assign(
  {},
  ...Object.values(ASSERTION_SOURCES).reverse(),
);

/** Meaning of each comparison. */
export const COMPARISON_MEANINGS: Readonly<Record<(typeof COMPARISONS)[number], string>> = {
  EQUALS: 'value equals the target',
  NOT_EQUALS: 'value does not equal the target',
  CONTAINS: 'text contains the target, or list contains it as an item',
  NOT_CONTAINS: 'text or list does not contain the target',
  GREATER_THAN: 'number is greater than the target',
  LESS_THAN: 'number is less than the target',
  HAS_KEY: 'object has the target as a key',
  NOT_HAS_KEY: 'object does not have the target as a key',
  HAS_VALUE: 'object or list has the target as a value',
  NOT_HAS_VALUE: 'object or list does not have the target as a value',
  IS_EMPTY: 'value is missing or empty',
  NOT_EMPTY: 'value is present and not empty',
  IS_NULL: 'value is missing or null',
  NOT_NULL: 'value is present and not null',
};

const MINUTES_OF_AN_HOUR = 60;

/** Frequencies in words. */
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
  sources: (value: string): ValueName => ({ description: SOURCES[value]?.meaning ?? '' }),
  frequencies: (value: string): ValueName => ({ description: frequency(Number(value)) }),
} satisfies Record<ValueNames, (value: string) => ValueName>;

/** Returns the name of a value of an enumeration; undefined if it has none. */
export function nameOfValue(schema: JsonSchema, value: unknown): ValueName | undefined {
  const names = schema['x-values'];
  return names === undefined ? undefined : NAMES[names](String(value));
}

/** Comparisons without a target. */
export const takesTarget = (comparison: string): boolean => !/_(?:EMPTY|NULL)$/.test(comparison);

/** Returns an example of the property of a source; undefined if the source has no properties. */
export const propertyOf = (source: string): string | undefined => SOURCES[source]?.property;
