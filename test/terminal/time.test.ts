/** Instants and durations in words. */
import { afterEach, expect, it } from 'vitest';
import {
  formatAbsoluteTime,
  formatIsoTime,
  formatRelativeTime,
  toInstant,
} from '../../src/terminal/index.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

it.each([
  [0, 'now'],
  [1, '1s ago'],
  [59, '59s ago'],
  [60, '1m ago'],
  [185, '3m ago'],
  [3600, '1h ago'],
  [86_400, '1d ago'],
  [40 * 86_400, '1mo ago'],
  [800 * 86_400, '2y ago'],
  [-45, 'in 45s'],
  [-7200, 'in 2h'],
])('says of an instant %d s back: %s', (seconds, words) => {
  expect(formatRelativeTime(NOW - seconds * 1000, NOW)).toBe(words);
});

it.each([
  ['Europe/Berlin', '2026-07-01T12:00:00Z', '2026-07-01 14:00:00 +02:00'],
  ['Europe/Berlin', '2026-12-31T23:30:00Z', '2027-01-01 00:30:00 +01:00'],
  ['America/St_Johns', '2026-01-15T12:00:00.750Z', '2026-01-15 08:30:00 -03:30'],
  ['Asia/Kolkata', '2026-01-15T12:00:00+02:00', '2026-01-15 15:30:00 +05:30'],
])('shows in %s the instant %s as %s', (name, iso, words) => {
  process.env.TZ = name;
  expect(formatAbsoluteTime(iso)).toBe(words);
});

it('shows UTC where asked to, and a bare date as it came', () => {
  expect(formatAbsoluteTime('2026-07-01T14:00:05+02:00', { utc: true })).toBe('2026-07-01 12:00:05 UTC');
  expect(formatAbsoluteTime(NOW, { utc: true })).toBe('2026-11-21 12:00:00 UTC');
  expect(formatAbsoluteTime('2026-11-21')).toBe('2026-11-21');
});

it('takes for an instant what is one, and nothing else', () => {
  for (const value of ['soon', '7', '', null, undefined, {}, Number.NaN, 1e300, '2026-99-99T00:00:00Z']) {
    expect(toInstant(value)).toBeUndefined();
  }
  expect(formatIsoTime('2026-11-21T12:00:00.5+01:00')).toBe('2026-11-21T12:00:00.5+01:00');
  expect(formatIsoTime(NOW)).toBe('2026-11-21T12:00:00.000Z');
});
