/** What a gate tells of a suite's tests: in its rows, its sentence, below the table, and in reports. */
import { expect, test } from 'vitest';
import { rowsOf } from '../../../src/gate/format/rows.ts';
import { summary } from '../../../src/gate/format/sentence.ts';
import { toJunit } from '../../../src/gate/report/junit.ts';
import { toMarkdown } from '../../../src/gate/report/markdown.ts';
import { whyLines } from '../../../src/gate/summary/why.ts';
import { checkSessions, type SessionResult } from '../../../src/gate/wait/verdict.ts';
import { plainStyles } from '../../../src/terminal/index.ts';
import { endedAs, factsOfTold, resultOf, toldOf } from '../report/snapshots.ts';

const one = (title: string, status: string, ...errors: readonly string[]) => ({
  ...{ title, status, durationMs: 20, errors },
});
const LINK = 'https://app.example/1';
const suite = (word: string, counts: object, tests: object[], errors: string[] = []): SessionResult => ({
  ...resultOf(word, 'eu-west-1', { name: 'Shop', checkResultLink: LINK }),
  ...{ errors, playwrightCheckResult: { counts, tests } },
});
const failed = endedAs(1, 'failed', {
  name: 'Shop',
  results: [
    suite(
      'FAILED',
      { passed: 1, failed: 2, flaky: 0, skipped: 1 },
      [
        one('a › opens', 'passed'),
        one('a › closes', 'failed', 'Error: the door\n\n  at a.spec.ts:3'),
        one('b › pays', 'timed-out', 'Test timeout of 30000ms exceeded.'),
        one('b › later', 'skipped'),
      ],
      ['a › closes: Error: the door\n\n  at a.spec.ts:3', 'b › pays: Test timeout of 30000ms exceeded.'],
    ),
  ],
});

test('a suite that failed is told by its counts, and by each test that failed, with one link', () => {
  const rows = rowsOf([failed]);
  expect(rows).toMatchObject([{ name: 'Shop', tests: '2 failed, 1 passed, 1 skipped', isBad: true }]);
  expect(summary(checkSessions, [failed], 1)).toBe('Shop failed at eu-west-1: 2 of 4 tests failed');
  const lines = whyLines(rows, {
    ...{ styles: plainStyles, plain: false, errorsCommand: (id) => id, wrap: (line) => [line] },
  });
  expect(lines).toEqual([
    '✗ Shop at eu-west-1: a › closes: Error: the door',
    '✗ Shop at eu-west-1: b › pays: Test timeout of 30000ms exceeded.',
    `  ${LINK}`,
    '  More: c0ffee00-0000-4000-8000-000000000001',
  ]);
});

test('a suite that passed says how many tests did, and which were flaky or left out', () => {
  const counts = { passed: 11, failed: 0, flaky: 1, skipped: 2 };
  const passed = endedAs(1, 'passed', { name: 'Shop', results: [suite('PASSED', counts, [])] });
  expect(summary(checkSessions, [passed], 1)).toBe(
    'Shop passed at eu-west-1 in 1.2s: 11 tests passed, 1 flaky, 2 skipped',
  );
});

test('JUnit has a testcase for each of its tests, and what a test said line by line', () => {
  const xml = toJunit(factsOfTold(toldOf([failed])));
  expect(xml).toContain('<testsuite name="Shop" tests="4" failures="2" errors="0" skipped="1"');
  expect(xml).toContain('<testcase classname="Shop at eu-west-1" name="a › opens" time="0.020"/>');
  expect(xml).toContain('<failure message="Error: the door" type="FAILED">Error: the door\nat a.spec.ts:3\n');
});

test('Markdown has a line for each that failed', () => {
  const lines = toMarkdown(factsOfTold(toldOf([failed])))
    .split('\n')
    .filter((line) => line.startsWith('| ❌'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('a › closes: Error: the door');
  expect(lines[1]).toContain('b › pays: Test timeout of 30000ms exceeded.');
});

test('a suite that failed though none of its tests did is a failure all the same', () => {
  const counts = { passed: 1, failed: 0, flaky: 0, skipped: 0 };
  const result = suite('FAILED', counts, [one('opens', 'passed')], ['Playwright ended with exit code 1']);
  const outcome = endedAs(1, 'failed', { name: 'Shop', results: [result] });
  expect(summary(checkSessions, [outcome], 1)).toBe('Shop failed at eu-west-1');
  expect(toJunit(factsOfTold(toldOf([outcome])))).toContain(
    '<failure message="FAILED: Playwright ended with exit code 1"',
  );
});

test.each([null, [], 'text', { counts: null }, { counts: { passed: -1, failed: 'two' }, tests: [null, {}] }])(
  'whatever else stands where a suite is told, %j, does no harm',
  (playwrightCheckResult) => {
    const result = { ...resultOf('FAILED', 'eu-west-1'), playwrightCheckResult, errors: [null, 3] };
    const outcome = endedAs(1, 'failed', { name: 'Shop', results: [result as unknown as SessionResult] });
    expect(rowsOf([outcome])).toHaveLength(1);
    expect(toJunit(factsOfTold(toldOf([outcome])))).toContain('failures="1"');
  },
);
