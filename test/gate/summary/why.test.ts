/** Why the gate is not green: each error said once, with where, a link and where to read more. */
import { describe, expect, test } from 'vitest';
import { type Row, rowsOf } from '../../../src/gate/format/rows.ts';
import { whyLines } from '../../../src/gate/summary/why.ts';
import { plainStyles } from '../../../src/terminal/index.ts';
import { atDeadline, failed, idOf, left, passed, refused, sessionWith } from '../outcomes.ts';

const lines = (rows: readonly Row[], plain = false) =>
  whyLines(rows, {
    styles: plainStyles,
    errorsCommand: (checkId) => `sonde error-groups list ${checkId}`,
    wrap: (line) => [line],
    plain,
  });
const withError = (rows: readonly Row[], error: string | undefined, more: Partial<Row> = {}) =>
  rows.map((row): Row => ({ ...row, error, ...more }));

describe('the lines', () => {
  test('say an error at several locations once, with its durations, the first link, and where more is told', () => {
    const [first, second] = rowsOf([failed(1, 'eu-west-1', 'us-east-1')]);
    if (!first || !second) throw new Error('no rows');
    const rows = [
      { ...first, error: 'no such name', responseTime: 3.5, link: 'https://app.example/1' },
      { ...second, error: 'no such name', responseTime: 1200, link: 'https://app.example/2' },
    ];
    expect(lines(rows)).toEqual([
      '✗ Check 1 at eu-west-1, us-east-1: no such name (took 3.5ms to 1.2s)',
      '  https://app.example/1',
      `  More: sonde error-groups list ${idOf(1001)}`,
    ]);
  });

  test('say by a word what the mark says, where that is wanted and nothing else says it', () => {
    const rows = rowsOf([failed(1, 'eu-west-1')]);
    expect(lines(rows, true)[0]).toBe('Check 1 at eu-west-1: failed');
    expect(lines(withError(rows, 'no such name'), true)[0]).toBe(
      'failed: Check 1 at eu-west-1: no such name',
    );
  });

  test('give the reason of a degraded result that does not make the gate fail', () => {
    const [row] = rowsOf([passed(1, 'eu-west-1')]);
    if (!row) throw new Error('no row');
    const degraded = {
      ...row,
      result: 'DEGRADED',
      error: 'took 2 s (degraded from 1 s)',
      responseTime: 2000,
    };
    expect(lines([row, degraded])).toEqual(['! Check 1 at eu-west-1: took 2 s (degraded from 1 s)']);
    expect(lines([{ ...degraded, error: undefined }])).toEqual([]);
  });

  test('tell the durations of any number of results', () => {
    const [row] = rowsOf([failed(1, 'eu-west-1')]);
    if (!row) throw new Error('no row');
    const rows = Array.from({ length: 200_000 }, (_, index) => ({ ...row, responseTime: 1 + (index % 5) }));
    expect(lines(rows)[0]).toBe('✗ Check 1 at eu-west-1: failed (took 1ms to 5ms)');
  });

  test('name where to read more once a check', () => {
    const rows = rowsOf([failed(1, 'eu-west-1', 'us-east-1')]);
    const two = rows.map((row, index) => ({ ...row, error: `error ${index}` }));
    expect(lines(two)).toEqual([
      '✗ Check 1 at eu-west-1: error 0',
      `  More: sonde error-groups list ${idOf(1001)}`,
      '✗ Check 1 at us-east-1: error 1',
    ]);
  });

  test.each(['\u001b]0;title\u0007', 'a\u001b', "x'; touch y #", '--base-url=http://127.0.0.1:9', 'a b', ''])(
    'tell no command line with an id that is none: %j',
    (checkId) => {
      const rows = rowsOf([failed(1, 'eu-west-1')]).map((row): Row => ({ ...row, checkId }));
      expect(lines(rows)).toEqual(['✗ Check 1 at eu-west-1: failed']);
    },
  );

  test('gather checks with the same error, naming five', () => {
    const rows = rowsOf([1, 2, 3, 4, 5, 6, 7].map((number) => failed(number, 'eu-west-1', 'us-east-1')));
    expect(lines(withError(rows, 'refused'))).toEqual([
      '✗ 7 checks: refused',
      ...[1, 2, 3, 4, 5].map((number) => `  Check ${number} at eu-west-1, us-east-1`),
      '  and 2 more',
      `  More: sonde error-groups list ${idOf(1001)}`,
    ]);
    expect(lines(rowsOf([refused(1, 401, 'no'), refused(2, 401, 'no')]))).toEqual([
      '✗ 2 sessions: no',
      `  ${idOf(1)}`,
      `  ${idOf(2)}`,
    ]);
  });

  test('count sessions where not all of them tell their check', () => {
    const named = [1, 2].map((number) =>
      atDeadline(number, { ...sessionWith(number, 'PROGRESS', []), checkId: 'c' }),
    );
    expect(lines(rowsOf([...named, atDeadline(3)]))[0]).toBe('✗ 3 sessions: still running at the deadline');
  });

  test('say what is known where the API told no error', () => {
    expect(lines(rowsOf([failed(1, 'eu-west-1')]))[0]).toBe('✗ Check 1 at eu-west-1: failed');
    expect(lines(rowsOf([refused(2, 404), atDeadline(3)]))).toEqual([
      `✗ ${idOf(2)}: no such session`,
      `✗ ${idOf(3)}: still running at the deadline`,
    ]);
  });

  test('are none for what is good, or was left', () => {
    expect(lines(rowsOf([passed(1, 'eu-west-1'), left(2)]))).toEqual([]);
  });

  test('are few, and safe, whatever the API holds', () => {
    const rows = Array.from({ length: 1000 }, (_, index) => rowsOf([failed(index, 'eu-west-1')])).flat();
    const hostile = rows.map((row, index) => ({
      ...row,
      name: `\u001b[2J\n${'n'.repeat(5000)}`,
      runLocation: `\u202e${'l'.repeat(5000)}`,
      link: `https://\u0007app.example/\u001b]0;x\u0007${'u'.repeat(50_000)}`,
      error: `error ${index}`,
    }));
    const told = lines(hostile);
    expect(told).toHaveLength(31);
    expect(told.at(-1)).toBe('and 990 more errors; see the table');
    expect(told.join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(Math.max(...told.map((line) => line.length))).toBeLessThan(2100);
  });
});
