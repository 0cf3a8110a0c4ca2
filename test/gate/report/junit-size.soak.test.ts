/** The JUnit report of a large gate: small enough for the systems that read it, and no bad session left out. */
import { parse, type TestSuites } from 'junit2json';
import { describe, expect, test } from 'vitest';
import { toJunit } from '../../../src/gate/report/junit.ts';
import { junitProblems } from '../../support/xmllint.ts';
import { endedAs, factsOfTold, resultOf, toldOf } from './snapshots.ts';

const read = async (xml: string) => (await parse(xml)) as TestSuites;

describe('a thousand sessions at 22 locations', () => {
  const results = (word: string, name: string) =>
    Array.from({ length: 22 }, (_, n) => resultOf(word, `location-${n}-${'x'.repeat(60)}`, { name }));
  const many = (verdict: 'failed' | 'passed', name: string, count = 1000) =>
    Array.from({ length: count }, (_, n) =>
      endedAs(n, n % 2 === 0 ? verdict : 'passed', {
        name,
        results: results(verdict.toUpperCase(), name),
      }),
    );

  test('with long names stay below ten megabytes, and every bad session is counted', async () => {
    const gate = toldOf(many('failed', '<&">'.repeat(500)));
    const xml = toJunit(factsOfTold(gate));
    expect(Buffer.byteLength(xml)).toBeLessThan(10_000_000);
    expect(await junitProblems(xml)).toBe('');
    const report = await read(xml);
    expect(report.testsuite ?? []).toHaveLength(1000);
    expect((report.testsuite ?? []).filter(({ failures = 0 }) => failures > 0)).toHaveLength(500);
    expect(xml).toContain('<property name="resultsLeftOut" value="22"/>');
  });

  test('and two thousand more are told in a number where there is no room, the bad ones as bad', async () => {
    const report = await read(toJunit(factsOfTold(toldOf(many('failed', '&'.repeat(5000), 3000)))));
    const last = (report.testsuite ?? []).at(-1);
    expect(last?.name).toBe('other sessions');
    expect(last?.testcase).toMatchObject([{ name: 'other sessions: good' }]);
    expect(report.failures).toBe(1500);
  });
});
