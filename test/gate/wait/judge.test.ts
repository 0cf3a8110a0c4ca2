/** What a gate believes of an ended session: its status and its final results together. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSession } from '../../../src/gate/wait/judge.ts';
import { checkSessions, exitCodeOf, type SessionBody, testSessions } from '../../../src/gate/wait/verdict.ts';
import { idOf, sessionWith } from '../outcomes.ts';

type Body = Record<string, unknown> & { readonly results: Record<string, unknown>[] };

const good = (status = 'PASSED'): Body =>
  structuredClone(sessionWith(1, status, [{ at: 'eu-west-1' }, { at: 'us-east-1' }])) as unknown as Body;
/** A session with its first result changed. */
const withResult = (more: object): object => {
  const session = good();
  return { ...session, results: [{ ...session.results[0], ...more }, session.results[1]] };
};
const goodTest = (more: object = {}): object => ({
  testSessionId: idOf(1),
  status: 'PASSED',
  results: good().results,
  ...more,
});

/** The exit code of a gate that is answered so for ever: 6 for what it cannot believe. */
function codeOf(body: unknown, started?: object, kind = checkSessions): number {
  const reading = judgeSession(kind, idOf(1), body, started as SessionBody | undefined);
  if (reading.kind === 'ended') return exitCodeOf(reading.verdict, false);
  return reading.kind === 'unusable' ? 6 : 7;
}

describe('a session that says PASSED', () => {
  it.each<[what: string, code: number, body: object]>([
    ['a failed result', 1, withResult({ hasFailures: true })],
    ['a monitor error', 1, withResult({ hasErrors: true })],
    ['a failed result by its status', 1, withResult({ status: 'FAILED' })],
    ['an aborted result', 8, withResult({ aborted: true })],
    ['a cancelled result', 8, withResult({ isCancelled: true })],
    ['a result that still runs', 6, withResult({ status: 'RUNNING' })],
    ['a flag that is a text', 6, withResult({ hasFailures: 'false' })],
    ['a flag that is a number', 6, withResult({ aborted: 0 })],
    ['a result of another check', 6, withResult({ checkId: idOf(7) })],
    [
      'only attempts',
      6,
      { ...good(), results: good().results.map((each) => ({ ...each, resultType: 'ATTEMPT' })) },
    ],
    ['a location without a result', 6, { ...good(), results: good().results.slice(1) }],
    ['the same result twice', 6, { ...good(), results: [good().results[0], good().results[0]] }],
    ['no results', 6, { ...good(), results: undefined }],
    ['an empty list of results', 6, { ...good(), results: [], runLocations: [] }],
    ['a text as results', 6, { ...good(), results: 'none' }],
    ['an object as results', 6, { ...good(), results: {} }],
    ['null as a result', 6, { ...good(), results: [...good().results, null] }],
    ['no end', 6, { ...good(), stoppedAt: null }],
    ['an end that is no time', 6, { ...good(), stoppedAt: 'soon' }],
    ['no locations', 6, { ...good(), runLocations: undefined }],
    ['no check', 6, { ...good(), checkId: undefined }],
    ['the status of an error', 6, { ...good(), statusCode: 500 }],
    ['an error', 6, { ...good(), error: 'Internal Server Error' }],
  ])('is not believed with %s', (_, code, body) => {
    expect(codeOf(body)).toBe(code);
    expect(codeOf({ ...body, status: 'DEGRADED' })).toBe(code);
  });

  it.each<[what: string, body: object]>([
    ['whole results', good()],
    [
      'a failed attempt before a good result',
      {
        ...good(),
        results: [
          { ...good().results[0], checkResultId: idOf(9), hasFailures: true, resultType: 'ATTEMPT' },
          ...good().results,
        ],
      },
    ],
    ['results without optional fields', { ...good(), results: [{}, {}] }],
    ['flags that are null', withResult({ hasFailures: null, isCancelled: null })],
    ['results of more locations than planned', { ...good(), runLocations: ['eu-west-1'] }],
    ['locations that are named otherwise', withResult({ runLocation: 'Ireland' })],
    ['a retry in the location of another run', withResult({ runLocation: 'us-east-1' })],
    ['the check in another case', withResult({ checkId: idOf(1001).toUpperCase() })],
    ['a degraded result', withResult({ isDegraded: true })],
    ['unknown fields, and no error', { ...good(), error: null, statusCode: 200, errors: ['a'] }],
  ])('is believed with %s', (_, body) => expect(codeOf(body)).toBe(0));

  it('counts as degraded if a result is', () => {
    const reading = judgeSession(checkSessions, idOf(1), withResult({ isDegraded: true }), undefined);
    expect(reading).toMatchObject({ kind: 'ended', verdict: 'degraded' });
  });

  it('is not believed if the start said otherwise', () => {
    expect(codeOf(good(), { checkId: idOf(1001), status: 'STARTED' })).toBe(0);
    expect(codeOf(good(), { checkId: idOf(7), status: 'STARTED' })).toBe(6);
    expect(codeOf(good(), { checkId: idOf(1001), status: 'FAILED' })).toBe(6);
  });

  it('as a test session', () => {
    const code = (more: object) => codeOf(goodTest(more), undefined, testSessions);
    expect(code({})).toBe(0);
    expect(code({ stoppedAt: null })).toBe(0);
    expect(code({ results: [] })).toBe(6);
    // The specification does not require them.
    expect(code({ results: undefined })).toBe(0);
    expect(code({ results: null })).toBe(6);
    for (const bad of [{ hasErrors: true }, { hasFailures: true }, { status: 'FAILED' }])
      expect(code({ results: [...good().results, bad] })).toBe(1);
    for (const bad of [{ status: 'CANCELLED' }, { aborted: true }])
      expect(code({ results: [...good().results, bad] })).toBe(8);
  });

  it('names the contradiction', () => {
    expect(judgeSession(checkSessions, idOf(1), withResult({ hasFailures: true }), undefined)).toMatchObject({
      contradiction: 'the status of the session is PASSED, but a result says otherwise',
    });
    expect(judgeSession(checkSessions, idOf(1), { ...good(), stoppedAt: null }, undefined)).toMatchObject({
      why: 'the response says PASSED, but it has no time of its end (stoppedAt)',
    });
  });
});

it('keeps a bad status whatever the results say, and never ends a session that runs', () => {
  for (const results of [undefined, [], good().results]) {
    expect(codeOf({ ...good('FAILED'), results })).toBe(1);
    expect(codeOf({ ...good('TIMED_OUT'), results })).toBe(1);
    expect(codeOf({ ...good('CANCELLED'), results })).toBe(8);
    expect(codeOf({ ...good('PROGRESS'), results, stoppedAt: null })).toBe(7);
  }
});

const flags = fc.record({
  hasErrors: fc.boolean(),
  hasFailures: fc.boolean(),
  aborted: fc.boolean(),
  isCancelled: fc.boolean(),
  isDegraded: fc.boolean(),
  resultType: fc.constantFrom('FINAL', 'ATTEMPT', null),
  checkId: fc.constantFrom(idOf(1001), idOf(1002)),
});
const anySession = fc.record({
  status: fc.constantFrom('PASSED', 'DEGRADED'),
  stoppedAt: fc.constantFrom('2026-11-21T08:00:12.000Z', '2026-11-21T08:00:12.000Z', null),
  locations: fc.integer({ min: 0, max: 3 }),
  results: fc.array(fc.option(flags, { nil: null, freq: 12 }), { maxLength: 4 }),
});

describe('over any session', () => {
  it('is 0 if and only if every part says that the session ended well', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(anySession, ({ status, stoppedAt, locations, results }) => {
        const finals = results.filter((each) => each !== null && each.resultType !== 'ATTEMPT');
        const isGood =
          stoppedAt !== null &&
          !results.includes(null) &&
          finals.length >= Math.max(1, locations) &&
          finals.every(
            (each) =>
              each !== null &&
              !(each.hasErrors || each.hasFailures || each.aborted || each.isCancelled) &&
              each.checkId === idOf(1001),
          );
        seen.add(isGood);
        const runLocations = Array.from({ length: locations }, (_, index) => `location-${index}`);
        const body = { ...good(status), stoppedAt, runLocations, results };
        expect(codeOf(body) === 0).toBe(isGood);
      }),
      { numRuns: 3_000 },
    );
    expect(seen.size).toBe(2);
  });
});
