/** The verdict on an API answer, and what its result stores. */
import { describe, expect, it } from 'vitest';
import { type ApiEvidence, apiEvaluation } from '../../../src/runners/api/evaluation.ts';
import { encodeAnswer } from '../../../src/runners/api/response.ts';
import { complete } from '../../../src/runners/assertions/observed.ts';
import type { Header } from '../../../src/runners/http/types.ts';
import type { FaultData } from '../../../src/runners/network/fault.ts';

const evaluate = (changes: Partial<ApiEvidence>) =>
  apiEvaluation.run({
    ...{ check: {}, assertions: [], request: undefined, requestBody: undefined, exchanged: undefined },
    ...{ phases: [], unusable: [], secrets: [] },
    ...changes,
  });

/** The evidence of an answer with a body. */
function answered(
  body: string,
  headers: readonly Header[] = [],
  fault?: FaultData,
  status = 200,
): Partial<ApiEvidence> {
  const head = { status, statusText: '', httpVersion: '1.1', headers, bytes: body.length };
  const exchanged = { hops: [], fault, lacksLocation: false, endpoint: undefined, totalMs: 5 };
  return {
    exchanged: { ...exchanged, answer: head },
    answer: encodeAnswer({ ...head, body: Buffer.from(body) }),
  };
}

const claim = (source: string, comparison: string, target: string, regex = '') => ({
  ...{ source, comparison, target, regex },
});
const TEXT = claim('TEXT_BODY', 'CONTAINS', 'all is well');

it('an answer passes with the assertions that hold for its body', () => {
  expect(evaluate({ ...answered('all is well'), assertions: [TEXT] }).errors).toEqual([]);
  expect(evaluate({ ...answered('down'), assertions: [TEXT] }).errors).toEqual([
    'TEXT_BODY CONTAINS "all is well": was "down"',
  ]);
});

it('an answer that is a fault satisfies no assertion, and its body is not stored', () => {
  const fault: FaultData = {
    reason: 'redirect',
    code: null,
    isNetwork: false,
    message: 'too many redirects',
  };
  const outcome = evaluate({ ...answered('all is well', [], fault), assertions: [TEXT] });
  expect(outcome).toMatchObject({ errors: ['too many redirects'], details: { assertions: [] } });
  expect(outcome.details.response).not.toHaveProperty('body');
  expect(
    evaluate({ ...answered('all is well', [], fault), assertions: [TEXT], check: { shouldFail: true } })
      .errors,
  ).toEqual(['no answer, so the assertion of the check fails: too many redirects']);
});

it('an error that is expected and asserted passes', () => {
  const assertions = [claim('STATUS_CODE', 'EQUALS', '404')];
  const evidence = { ...answered('gone', [], undefined, 404), assertions };
  expect(evaluate({ ...evidence, check: { shouldFail: true } }).errors).toEqual([]);
});

it('a request that cannot be sent fails with the reason, and is neither late nor unanswered', () => {
  const reason = 'the url uses the unknown variable {{TOKEN}}';
  const outcome = evaluate({ check: { maxResponseTime: 10 }, assertions: [TEXT], unusable: [reason] });
  expect(outcome).toMatchObject({ errors: [reason], overMaxResponseTime: false, isNetworkError: false });
  expect(outcome.isUnanswered).toBeUndefined();
});

describe('the stored body', () => {
  it.each([
    [100_000, false],
    [100_001, true],
  ])('of %d characters is cut: %s', (length, isBodyCut) => {
    const { response } = evaluate(answered('x'.repeat(length))).details;
    expect(response).toMatchObject({ body: 'x'.repeat(100_000), isBodyCut });
  });

  it('shows no part of a secret at the cut', () => {
    const { response } = evaluate({
      ...answered(`${'x'.repeat(99_990)}s3cr3t-value`),
      secrets: ['s3cr3t-value'],
    }).details;
    expect(response).toMatchObject({ body: `${'x'.repeat(99_990)}***` });
  });
});

describe('an assertion', () => {
  it('shows no part of a secret or a cookie', () => {
    const secret = 's3cr3t-'.repeat(100);
    const headers: Header[] = [['Set-Cookie', `sid=${secret}; Path=/`]];
    const onHeader = claim('HEADERS', 'CONTAINS', 'nope');
    const outcome = evaluate({
      ...answered(JSON.stringify({ token: secret }), headers),
      secrets: [secret],
      assertions: [
        { ...onHeader, property: 'set-cookie' },
        { ...onHeader, property: 'Set-Cookie', comparison: 'EQUALS', regex: 'sid=(.{30})' },
        { ...onHeader, comparison: 'HAS_KEY', regex: 'sid=(.{30})' },
        { ...onHeader, comparison: 'HAS_KEY' },
        claim('TEXT_BODY', 'EQUALS', 'nope'),
        { ...claim('JSON_BODY', 'EQUALS', 'nope'), property: '$.token' },
      ],
    });
    expect(outcome.errors).toHaveLength(6);
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  });

  it('shows what it captures of the body, though the answer sets a cookie', () => {
    const evidence = answered('version 1.2.3', [['Set-Cookie', 'sid=1']]);
    expect(
      evaluate({ ...evidence, assertions: [claim('TEXT_BODY', 'EQUALS', '2', 'version (\\S+)')] }).errors,
    ).toEqual(['TEXT_BODY EQUALS "2": was "1.2.3"']);
  });

  it('reads the answer that a teardown script changed', () => {
    const response = { status: 200, statusText: 'OK', headers: [], body: complete('all is well') };
    const { exchanged } = answered('down');
    expect(evaluate({ exchanged, response, assertions: [TEXT] }).errors).toEqual([]);
  });
});
