/** The JUnit report: valid by the schema, read alike by two readers of others, and green where the gate is and only there. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse, type TestSuite, type TestSuites } from 'junit2json';
import { parse as parseOther } from 'test-results-parser';
import { describe, expect, test } from 'vitest';
import type { GateSnapshot } from '../../../src/gate/report/data.ts';
import { toJunit } from '../../../src/gate/report/junit.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/sampled.ts';
import { junitProblems } from '../../support/xmllint.ts';
import { idOf, left, refused } from '../outcomes.ts';
import { anyTold, endedAs, factsOfTold, resultOf, sessionOf, toldOf } from './snapshots.ts';

const junitOf = (told: GateSnapshot): string => toJunit(factsOfTold(told));

/** The report as junit2json reads it, on xml2js and sax. */
const read = async (told: GateSnapshot): Promise<TestSuites> => (await parse(junitOf(told))) as TestSuites;

const suitesOf = (report: TestSuites): readonly TestSuite[] => report.testsuite ?? [];
const casesOf = (report: TestSuites) => suitesOf(report).flatMap(({ testcase = [] }) => testcase);

/** The testcases as `name: what they are`. */
const told = async (gate: GateSnapshot): Promise<readonly string[]> =>
  casesOf(await read(gate)).map((each) => {
    const kind = each.failure ? 'failure' : each.error ? 'error' : each.skipped ? 'skipped' : 'passed';
    return `${each.name}: ${kind}`;
  });

const both = [resultOf('PASSED', 'eu-west-1'), resultOf('FAILED', 'us-east-1')];

describe('a session', () => {
  test('that passed is a suite of passing testcases, one a location', async () => {
    const results = [resultOf('PASSED', 'eu-west-1'), resultOf('PASSED', 'us-east-1')];
    const report = await read(toldOf([endedAs(1, 'passed', { results })]));
    expect(report).toMatchObject({ name: 'sonde', tests: 2, failures: 0, errors: 0 });
    const [suite] = suitesOf(report);
    expect(suite).toMatchObject({ name: 'Apex record', time: 1.234, timestamp: '2026-11-21T08:00:01.000Z' });
    expect(suite?.properties).toContainEqual({ name: 'id', value: idOf(1) });
    expect(suite?.testcase).toMatchObject([
      { classname: 'Apex record', name: 'eu-west-1' },
      { classname: 'Apex record', name: 'us-east-1' },
    ]);
  });

  test('that failed has failures where its results tell why, and only there', async () => {
    expect(await told(toldOf([endedAs(1, 'failed', { results: both })]))).toEqual([
      'us-east-1: failure',
      'eu-west-1: passed',
    ]);
  });

  test('that failed though all its results look fine has a failing testcase of its own', async () => {
    const results = [resultOf('PASSED', 'eu-west-1')];
    const cases = await told(toldOf([endedAs(1, 'failed', { results, runLocations: ['eu-west-1'] })]));
    expect(cases).toEqual(['Apex record: failure', 'eu-west-1: passed']);
  });

  test('that passed is green also with a failed result, which is told', async () => {
    const gate = toldOf([endedAs(1, 'passed', { results: both })]);
    expect(await told(gate)).toEqual(['us-east-1: passed', 'eu-west-1: passed']);
    expect(junitOf(gate)).toContain(
      '<system-out>FAILED at us-east-1; only the status of the session counts, which is PASSED</system-out>',
    );
  });

  test('that is degraded passes and says so where that is allowed, and fails where it is not', async () => {
    const good = toldOf([endedAs(1, 'degraded')]);
    expect(await told(good)).toEqual(['Apex record: passed']);
    expect(junitOf(good)).toContain('<system-out>DEGRADED (allowed by this gate)</system-out>');
    expect(await told(toldOf([endedAs(1, 'degraded', {}, true)]))).toEqual(['Apex record: failure']);
  });

  test.each([
    ['cancelled', endedAs(1, 'cancelled')],
    ['not found', refused(1, 404)],
    ['refused', refused(1, 403)],
    ['still running at the deadline', { id: idOf(1), outcome: { kind: 'deadline' }, exitCode: 7 }],
  ] as const)('that was %s is an error', async (_, outcome) => {
    expect(casesOf(await read(toldOf([outcome])))).toMatchObject([{ error: [{}] }]);
  });

  test('that --fail-fast left is skipped, and one that an interrupted gate left is an error', async () => {
    const outcomes = [endedAs(1, 'failed'), left(2, sessionOf(2, 'PROGRESS', { name: 'Other' }))];
    expect(await told(toldOf(outcomes))).toEqual(['Apex record: failure', 'Other: skipped']);
    const interrupted = toldOf(outcomes, { isBrokenOff: true, exitCode: 130 });
    expect(await told(interrupted)).toEqual(['Apex record: failure', 'Other: error']);
  });

  test('given twice is told once, by its worse end', async () => {
    const twice = [endedAs(1, 'passed'), refused(1, 404)];
    for (const outcomes of [twice, twice.toReversed()]) {
      expect(await read(toldOf(outcomes))).toMatchObject({ tests: 1, failures: 0, errors: 1 });
    }
  });
});

test('a gate that started nothing, and one that is still held, are one errored testcase', async () => {
  const nothing = toldOf([], {
    exitCode: 5,
    isBrokenOff: true,
    sentence: 'nothing was started: no check matched',
  });
  const held = toldOf([], { exitCode: 7, isOver: false, sentence: 'still held' });
  for (const gate of [nothing, held]) {
    expect(casesOf(await read(gate))).toMatchObject([{ name: 'gate', error: [{ message: gate.sentence }] }]);
  }
});

test('checks without a session are errored testcases beside those that passed', async () => {
  const cases = await told(toldOf([endedAs(1, 'passed')], { unstarted: ['c1', 'c2'] }));
  expect(cases).toEqual(['Apex record: passed', 'check c1: error', 'check c2: error']);
});

test('a good gate that could not be written is no longer green', async () => {
  const cases = await told(toldOf([endedAs(1, 'passed')], { exitCode: 74, sentence: 'stdout is full' }));
  expect(cases).toEqual(['gate: error', 'Apex record: passed']);
});

test('no text of a check names files to attach, which some readers take from a testcase', () => {
  const name = '[[ATTACHMENT|/etc/passwd]] [[PROPERTY|a=b]]';
  const results = [resultOf('DEGRADED', 'eu-west-1', { name })];
  const xml = junitOf(toldOf([endedAs(1, 'degraded', { name, results }), refused(2, 404, name)]));
  expect(xml.replaceAll(/"[^"]*"/g, '""')).not.toContain('[[');
});

test('over any gate: green exactly where the exit code is 0, never empty, and counted alike by everybody', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'report.xml');
  await fc.assert(
    fc.asyncProperty(anyTold(), async (gate) => {
      const report = await read(gate);
      const suites = suitesOf(report);
      const cases = casesOf(report);
      const red = cases.filter((each) => each.failure || each.error);
      expect(red.length === 0).toBe(gate.exitCode === 0);
      expect(cases.length).toBeGreaterThan(0);
      const sum = (key: 'tests' | 'failures' | 'errors' | 'skipped') =>
        suites.reduce((total, suite) => total + (suite[key] ?? 0), 0);
      expect([report.tests, sum('tests')]).toEqual([cases.length, cases.length]);
      expect([report.failures, sum('failures')]).toEqual(
        Array(2).fill(cases.filter((each) => each.failure).length),
      );
      expect([report.errors, sum('errors')]).toEqual(
        Array(2).fill(cases.filter((each) => each.error).length),
      );
      expect(sum('skipped')).toBe(cases.filter((each) => each.skipped).length);
      // The other reader stands on another parser.
      await writeFile(file, junitOf(gate));
      const other = parseOther({ type: 'junit', files: [file] });
      expect(other.total).toBe(cases.length);
      expect(other.failed + other.errors).toBe(red.length);
      const theirs = other.suites.flatMap((suite) => suite.cases);
      expect(theirs.filter(({ status }) => status === 'FAIL')).toHaveLength(red.length);
      expect(theirs).toHaveLength(cases.length);
    }),
    { numRuns: runs(30, 400) },
  );
});

describe('xmllint', () => {
  test('finds every report valid by the schema, whatever the names hold', async () => {
    const gates = fc.sample(anyTold(), { numRuns: runs(10, 60), seed: 7 });
    expect(await junitProblems(...gates.map(junitOf))).toBe('');
  });

  test('would say what is wrong', async () => {
    const good = junitOf(toldOf([endedAs(1, 'passed')]));
    expect(await junitProblems(good.replace(' classname=', ' class='))).toContain("'class' is not allowed");
    expect(await junitProblems(good.replace('Apex', '\u0001'))).toContain('parser error');
  });
});
