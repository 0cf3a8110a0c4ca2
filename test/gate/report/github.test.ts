/** Annotations: ten lines at most, each one command that says what its texts say. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GateSnapshot } from '../../../src/gate/report/data.ts';
import { toAnnotations } from '../../../src/gate/report/github.ts';
import { left, refused } from '../outcomes.ts';
import { anyTold, endedAs, factsOfTold, resultOf, toldOf } from './snapshots.ts';

const linesOf = (gate: GateSnapshot): readonly string[] =>
  toAnnotations(factsOfTold(gate)).split('\n').slice(0, -1);

/** A command as the runner takes it apart. */
function parsed(line: string) {
  const [, level = '', title = '', message = ''] =
    /^::(error|warning) title=([^:,\r\n]*)::(.*)$/.exec(line) ?? [];
  const decode = (text: string) => text.replace(/%(25|0D|0A|3A|2C)/g, (code) => decodeURIComponent(code));
  return { level, title: decode(title), message: decode(message) };
}

describe('annotations', () => {
  test('say of a failed session where and why, and where a person reads it', () => {
    const results = [resultOf('FAILED', 'us-east-1'), resultOf('PASSED', 'eu-west-1')];
    const gate = toldOf([
      endedAs(1, 'failed', { name: 'a: b, 100%', results, checkSessionLink: 'https://sonde.example/1' }),
    ]);
    const rows = gate.rows.map((row) => (row.isBad ? { ...row, error: 'got NXDOMAIN' } : row));
    expect(linesOf({ ...gate, rows })).toEqual([
      '::error title=a%3A b%2C 100%25 FAILED::us-east-1: got NXDOMAIN (https://sonde.example/1)',
    ]);
  });

  test('warn of what is degraded where that is allowed, and are silent of what is well and of what was left', () => {
    const gate = toldOf([endedAs(1, 'passed'), endedAs(2, 'degraded')]);
    expect(linesOf(gate).map(parsed)).toMatchObject([{ level: 'warning', title: 'Apex record DEGRADED' }]);
    expect(linesOf(toldOf([endedAs(1, 'failed'), left(2)]))).toHaveLength(1);
  });

  test('say why nothing was started, and which checks were not', () => {
    const nothing = toldOf([], { exitCode: 4, isBrokenOff: true, sentence: 'the key is not known' });
    expect(linesOf(nothing)).toEqual(['::error title=sonde::the key is not known']);
    expect(linesOf(toldOf([endedAs(1, 'passed')], { unstarted: ['c1'] }))).toEqual([
      '::error title=check c1::the service started no session for this check',
    ]);
  });

  test('are ten at most; the last then counts the rest', () => {
    const bad = (count: number) => toldOf(Array.from({ length: count }, (_, n) => refused(n, 404)));
    expect(linesOf(bad(10))).toHaveLength(10);
    const lines = linesOf(bad(12));
    expect(lines).toHaveLength(10);
    expect(parsed(lines[9] ?? '')).toMatchObject({
      level: 'error',
      message: expect.stringContaining('3 more'),
    });
  });

  test('over any gate: every line is one whole command, an error among them exactly where the gate is bad', () => {
    fc.assert(
      fc.property(anyTold(), (gate) => {
        const lines = linesOf(gate);
        expect(lines.length).toBeLessThanOrEqual(10);
        for (const line of lines) {
          expect(line).toMatch(/^::(?:error|warning) title=[^:,]*::./);
          expect(line.length).toBeLessThan(8000);
        }
        expect(lines.some((line) => line.startsWith('::error'))).toBe(gate.exitCode !== 0);
      }),
    );
  });
});
