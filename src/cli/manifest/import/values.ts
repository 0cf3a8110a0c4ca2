/** Reads values of YAML files of other programs: texts, durations and lists of maps. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import { formatSeconds } from './check-parts.ts';
import { isVariable, type Outcome, type ReportLoss } from './conversion.ts';

export const textOf = (value: unknown): string =>
  value === null || value === undefined || isObject(value) ? '' : String(value);

export const mapOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const mapsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : [];

/** The words that Go reads as booleans where it wants one. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', 'off'].map((word) => [word, false] as const),
]);

/** Whether a value is false, as Go reads it. */
export const isFalse = (value: unknown): boolean => FLAGS.get(textOf(value).toLowerCase()) === false;

interface FlagOptions {
  readonly fallback?: boolean;
  readonly path?: string;
  readonly outcome?: Outcome;
}

/** Returns a boolean as Go reads it: `yes` is true. Reports any other text, such as a variable, which becomes the fallback. */
export function flagOf(
  source: JsonObject,
  field: string,
  report: ReportLoss,
  { fallback = false, path = field, outcome = 'paused' }: FlagOptions = {},
): boolean {
  const text = textOf(source[field]);
  const flag = FLAGS.get(text.toLowerCase());
  if (flag === undefined && text !== '')
    report(outcome, path, `${text} is neither true nor false; it became ${fallback}`);
  return flag ?? fallback;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

/** Returns the seconds of a duration of Go or Prometheus: `1h30m`, `1d`. A number is nanoseconds. Undefined: no duration. */
export function secondsOf(value: unknown): number | undefined {
  const text = textOf(value).trim();
  if (/^\d+$/.test(text)) return Number(text) * 1e-9;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|[smhdw]))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ns|us|µs|ms|[smhdw])/g);
  return [...parts].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit ?? ''] ?? 0),
    0,
  );
}

/** Returns the seconds of a duration, or the fallback without one. Reports a text that is not a duration. */
export function durationOf(
  source: JsonObject,
  field: string,
  fallback: number,
  report: ReportLoss,
  path = field,
): number {
  const text = textOf(source[field]);
  const seconds = secondsOf(text);
  if (seconds === undefined && text !== '')
    report('changed', path, `${text} is not a duration; it became ${formatSeconds(fallback)}`);
  return seconds ?? fallback;
}

const HOST = /^(\[[^\]]+\]|[^/:?#]+)(?::([^/?#]*))?(?:[/?#]|$)/;
const IPV6 = /^(?=[^:]*:[^:]*:)[0-9a-f:.]+$/i;

/**
 * Returns the host and the port of `example.com:53`, `[::1]:53` or `::1`. The port can be a variable; a port that is no
 * number is NaN. Without a host, the host is empty.
 */
export function splitAddress(address: string): {
  readonly hostname: string;
  readonly port: number | string | undefined;
} {
  if (IPV6.test(address)) return { hostname: address, port: undefined };
  const [, hostname = '', port = ''] = address.match(HOST) ?? [];
  return {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : isVariable(port) ? port : /^\d+$/.test(port) ? Number(port) : Number.NaN,
  };
}
