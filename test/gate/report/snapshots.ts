/** Gates as reports are told of them: made of outcomes as the gate makes them. */
import fc from 'fast-check';
import { combinedExitCode, NetworkError } from '../../../src/base/errors.ts';
import type { CheckSessionResult } from '../../../src/contract/resources/session.ts';
import { rowsOf } from '../../../src/gate/format/rows.ts';
import type { GateSnapshot } from '../../../src/gate/report/data.ts';
import { type ReportData, reportData } from '../../../src/gate/report/data.ts';
import { checkSessions, type SessionBody, type Verdict } from '../../../src/gate/wait/verdict.ts';
import type { GateOutcome } from '../../../src/gate/wait/wait-for-sessions.ts';
import { unicodeText } from '../../support/characters.ts';
import { atDeadline, ended, idOf, left, refused } from '../outcomes.ts';

const STARTED_AT = Date.UTC(2026, 10, 21, 8);

/** A gate that is over; its exit code and rows follow from its outcomes unless they are given. */
export function toldOf(outcomes: readonly GateOutcome[], more: Partial<GateSnapshot> = {}): GateSnapshot {
  const { unstarted = [] } = more;
  return {
    kind: checkSessions,
    isOver: true,
    isBrokenOff: false,
    exitCode: combinedExitCode([...outcomes.map(({ exitCode }) => exitCode), ...unstarted.map(() => 5)]),
    sentence: 'The gate in a sentence',
    outcomes,
    rows: rowsOf(outcomes),
    unstarted,
    startedAt: STARTED_AT,
    tookMs: 12_345,
    ...more,
  };
}

export const factsOfTold = (told: GateSnapshot): ReportData => reportData(told, '1.2.3', (text) => text);

type Result = Partial<CheckSessionResult>;

/** A result, by the word that the table shows of it. */
export const resultOf = (word: string, runLocation: string, more: Result = {}): CheckSessionResult => ({
  checkResultId: `result-${runLocation}`,
  runLocation,
  hasErrors: word === 'ERROR',
  hasFailures: word === 'FAILED',
  isDegraded: word === 'DEGRADED',
  isCancelled: word === 'CANCELLED',
  aborted: false,
  resultType: 'FINAL',
  ...more,
});

const STATUSES: Readonly<Record<Verdict, string>> = {
  passed: 'PASSED',
  failed: 'FAILED',
  degraded: 'DEGRADED',
  'timed out': 'TIMED_OUT',
  cancelled: 'CANCELLED',
};

export const sessionOf = (number: number, status: string, more: Partial<SessionBody> = {}): SessionBody => ({
  checkSessionId: idOf(number),
  status,
  name: 'Apex record',
  checkId: 'c0ffee00-0000-4000-8000-000000000001',
  startedAt: '2026-11-21T08:00:01.000Z',
  timeElapsed: 1234,
  ...more,
});

/** A session that was seen to end so. */
export const endedAs = (
  number: number,
  verdict: Verdict,
  more: Partial<SessionBody> = {},
  failOnDegraded = false,
): GateOutcome => ended(sessionOf(number, STATUSES[verdict], more), failOnDegraded);

/** Characters that mean something to some reader, beside any others. */
const NASTY = [
  '\u0000',
  '\u0008',
  '\u001b[31m',
  '\u0085',
  '\u202e',
  '\ud800',
  '\udc00',
  '\ufffe',
  '\uffff',
  '😀',
  ']]>',
  '<![CDATA[',
  '&amp;',
  '<b>',
  '"',
  "'",
  '|',
  '`',
  '\\',
  '\n',
  '\r',
  '\t',
  '[[ATTACHMENT|/etc/passwd]]',
  '::error::',
  '##[error]',
  '@octocat',
  '![x](http://evil.test/x.png)',
  '[x](javascript:alert(1))',
];
export const nastyText = (): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...NASTY), unicodeText({ maxLength: 5 })), { maxLength: 6 })
    .map((parts) => parts.join(''));

/** What a suite found, be it consistent or not. */
const anySuite = () =>
  fc.record({
    counts: fc.record({ passed: fc.nat(3), failed: fc.nat(3), flaky: fc.nat(3), skipped: fc.nat(3) }),
    tests: fc.array(
      fc.record({
        title: nastyText(),
        status: fc.oneof(fc.constantFrom('passed', 'failed', 'timed-out', 'skipped'), nastyText()),
        durationMs: fc.nat(),
        errors: fc.array(nastyText(), { maxLength: 2 }),
      }),
      { maxLength: 3 },
    ),
  });

const anyResult = (): fc.Arbitrary<CheckSessionResult> =>
  fc
    .record({
      word: fc.constantFrom('PASSED', 'FAILED', 'ERROR', 'DEGRADED', 'CANCELLED'),
      location: fc.oneof(fc.constantFrom('eu-west-1', 'us-east-1', 'ap-south-1'), nastyText()),
      name: fc.option(nastyText(), { nil: undefined }),
      resultType: fc.constantFrom('FINAL' as const, 'ATTEMPT' as const),
      suite: fc.option(anySuite(), { nil: undefined }),
      errors: fc.option(fc.array(nastyText(), { maxLength: 3 }), { nil: undefined }),
    })
    .map(({ word, location, name, resultType, suite, errors }) => ({
      ...resultOf(word, location, { resultType, ...(name === undefined ? {} : { name }) }),
      ...(suite === undefined ? {} : { playwrightCheckResult: suite }),
      ...(errors === undefined ? {} : { errors }),
    }));

const anyBody = (): fc.Arbitrary<Partial<SessionBody>> =>
  fc.record({
    name: nastyText(),
    results: fc.array(anyResult(), { maxLength: 4 }),
    runLocations: fc.constantFrom([], ['eu-west-1'], ['eu-west-1', 'us-east-1', 'ap-south-1']),
    timeElapsed: fc.oneof(fc.nat(), fc.constant(Number.NaN), fc.constant(-1)),
    checkSessionLink: fc.oneof(nastyText(), fc.webUrl()),
  });

function anyOutcome(number: number, failOnDegraded: boolean, failFast: boolean): fc.Arbitrary<GateOutcome> {
  const verdicts = Object.keys(STATUSES) as Verdict[];
  const running = anyBody().map((body) => sessionOf(number, 'PROGRESS', body));
  const session = fc.option(running, { nil: undefined });
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(endedAs(number, 'passed')) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...verdicts), anyBody())
        .map(([verdict, body]) => endedAs(number, verdict, body, failOnDegraded)),
    },
    fc
      .tuple(fc.constantFrom(400, 401, 404), nastyText())
      .map(([status, message]) => refused(number, status, message)),
    session.map((seen) => atDeadline(number, seen)),
    fc.tuple(session, nastyText()).map(
      ([seen, message]): GateOutcome => ({
        id: idOf(number),
        outcome: { kind: 'fault', error: new NetworkError(message), session: seen },
        exitCode: 6,
      }),
    ),
    ...(failFast ? [session.map((seen) => left(number, seen))] : []),
  );
}

/** Gates of every kind of end. Under `--fail-fast` some are left, but only beside a bad verdict. */
export const anyTold = (): fc.Arbitrary<GateSnapshot> =>
  fc
    .record({ failOnDegraded: fc.boolean(), failFast: fc.boolean(), size: fc.nat(5) })
    .chain(({ failOnDegraded, failFast, size }) =>
      fc.record({
        outcomes: fc.tuple(
          ...Array.from({ length: size }, (_, n) => anyOutcome(n, failOnDegraded, failFast)),
        ),
        unstarted: fc.array(nastyText(), { maxLength: 2 }),
        sentence: nastyText(),
        end: fc.constantFrom('over', 'over', 'over', 'unwritten', 'broken off', 'not begun'),
        code: fc.constantFrom(129, 130, 143, 70, 4, 5, 6, 2),
      }),
    )
    .map(({ outcomes, unstarted, sentence, end, code }) => {
      if (end === 'not begun') return toldOf([], { isOver: false, exitCode: 7, sentence });
      if (end === 'broken off') return toldOf(outcomes, { isBrokenOff: true, exitCode: code, sentence });
      const told = toldOf(outcomes, { unstarted, sentence });
      // A gate without a session is a fault of ours.
      if (outcomes.length === 0 && unstarted.length === 0) return { ...told, exitCode: 70 };
      return end === 'unwritten' && told.exitCode === 0 ? { ...told, exitCode: 74 } : told;
    });
