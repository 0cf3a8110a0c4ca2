/** The JSON report: as docs/reports.md describes it, whatever the sessions hold. */
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summary } from '../../../src/gate/format/sentence.ts';
import { toJsonReport } from '../../../src/gate/report/json.ts';
import { checkSessions } from '../../../src/gate/wait/verdict.ts';
import { anyTold, endedAs, factsOfTold, resultOf, toldOf } from './snapshots.ts';

interface Report {
  readonly verdict: string;
  readonly exitCode: number;
  readonly sessions: readonly {
    readonly session: string;
    readonly isBad: boolean;
    readonly results: readonly object[];
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly sessionsLeftOut: number;
}
const reportOf = (...given: Parameters<typeof toldOf>): Report =>
  JSON.parse(toJsonReport(factsOfTold(toldOf(...given)))) as Report;

test('the example of the documentation is what such a gate writes', async () => {
  const doc = await readFile('docs/reports.md', 'utf8');
  const [, example] = /```json\n([\s\S]*?)```/.exec(doc) ?? [];
  const error = 'RESPONSE_CODE: expected NOERROR, got NXDOMAIN';
  const results = [resultOf('FAILED', 'us-east-1'), resultOf('PASSED', 'eu-west-1')];
  const checkSessionLink = 'https://sonde.example/sessions/1';
  const outcomes = [endedAs(1, 'failed', { results, checkSessionLink })];
  const gate = toldOf(outcomes, { sentence: summary(checkSessions, outcomes, 12_345) });
  const rows = gate.rows.map((row) => (row.isBad ? { ...row, error, responseTime: 41 } : row));
  expect(JSON.parse(toJsonReport(factsOfTold({ ...gate, rows })))).toEqual(JSON.parse(example ?? ''));
});

test('over any gate: it parses, its verdict is passed exactly where the exit code is 0, and its counts are right', () => {
  fc.assert(
    fc.property(anyTold(), (gate) => {
      const report = JSON.parse(toJsonReport(factsOfTold(gate))) as Report;
      expect(report.exitCode).toBe(gate.exitCode);
      expect(report.verdict === 'passed').toBe(gate.exitCode === 0);
      const { sessions, good, failed, withoutVerdict, noLongerWaitedFor } = report.counts;
      expect(sessions).toBe(report.sessions.length);
      expect(
        [good, failed, withoutVerdict, noLongerWaitedFor].reduce((sum = 0, each = 0) => sum + each, 0),
      ).toBe(sessions);
      expect(report.sessions.filter(({ isBad }) => !isBad)).toHaveLength(good ?? 0);
      if (gate.exitCode === 0) expect(good).toBe(sessions);
    }),
  );
});

test('a thousand sessions at 22 locations stay below ten megabytes: results are left out, and counted', () => {
  const name = '\u202e"'.repeat(3000);
  const results = Array.from({ length: 22 }, (_, n) =>
    resultOf('FAILED', `l${n}${'"'.repeat(500)}`, { name }),
  );
  const many = Array.from({ length: 1000 }, (_, n) => endedAs(n, 'failed', { name, results }));
  const text = toJsonReport(factsOfTold(toldOf(many)));
  expect(Buffer.byteLength(text)).toBeLessThan(10_000_000);
  const { sessions, sessionsLeftOut } = JSON.parse(text) as Report;
  expect(sessions.length + sessionsLeftOut).toBe(1000);
  expect(sessions.every(({ isBad }) => isBad)).toBe(true);
  expect(sessions[0]).toMatchObject({ resultsLeftOut: 0 });
  expect(sessions.at(-1)).toMatchObject({ results: [], resultsLeftOut: 22 });
});

test('a gate without a session says what became of it', () => {
  const sentence = 'nothing was started: no check matched';
  expect(reportOf([], { exitCode: 5, isBrokenOff: true, sentence })).toMatchObject({
    verdict: 'unknown',
    exitCode: 5,
    sentence,
    sessions: [],
  });
  expect(reportOf([], { exitCode: 7, isOver: false })).toMatchObject({
    isOver: false,
    stoppedAt: null,
    verdict: 'unknown',
  });
});
