/** The bounds of the evaluations of network checks, each on both sides. */
import { describe, expect, it } from 'vitest';
import { complete } from '../../src/runners/assertions/observed.ts';
import type { Assertion } from '../../src/runners/core/assertion.ts';
import type { RunOutcome } from '../../src/runners/core/runner.ts';
import type { HttpExchange } from '../../src/runners/http/types.ts';
import { urlEvaluation } from '../../src/runners/http/url-evaluation.ts';
import { icmpEvaluation, type PacketLossLimits } from '../../src/runners/icmp/evaluation.ts';
import type { FaultData } from '../../src/runners/network/fault.ts';
import { sslEvaluation } from '../../src/runners/ssl/evaluation.ts';
import { tcpDataEvaluation, tcpEvaluation } from '../../src/runners/tcp/evaluation.ts';

const REFUSED: FaultData = { reason: 'refused', code: 'ECONNREFUSED', isNetwork: true, message: 'refused' };
const LATE: FaultData = { reason: 'timeout', code: 'ETIMEDOUT', isNetwork: true, message: 'late' };
const ONE_ASSERTION: readonly Assertion[] = [
  { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '1000' },
];
const NO_ANSWER = 'no answer, so the assertion of the check fails';

const summarize = ({ hasFailures, isDegraded }: RunOutcome): string =>
  hasFailures ? 'failed' : isDegraded ? 'degraded' : 'passed';

describe('an ICMP check', () => {
  const evaluate = (packetLoss: number, check: PacketLossLimits & { shouldFail?: boolean } = {}) =>
    icmpEvaluation.run({
      ...{ check, assertions: [], fault: undefined, details: {} },
      statistics: {
        ...{ packetsSent: 100, packetsReceived: 100 - packetLoss, packetLoss },
        latency: { min: 1, avg: 2, max: 3, stdDev: 1, jitter: 1 },
      },
    });

  it.each<[number, PacketLossLimits, string]>([
    [1, {}, 'passed'],
    [99, {}, 'passed'],
    [0, { maxPacketLossThreshold: 0 }, 'passed'],
    [1, { maxPacketLossThreshold: 0 }, 'failed'],
    [19, { maxPacketLossThreshold: 20 }, 'passed'],
    [20, { maxPacketLossThreshold: 20 }, 'failed'],
    [0, { degradedPacketLossThreshold: 0 }, 'passed'],
    [1, { degradedPacketLossThreshold: 0 }, 'degraded'],
    [9, { degradedPacketLossThreshold: 10 }, 'passed'],
    [10, { degradedPacketLossThreshold: 10 }, 'degraded'],
    [20, { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 }, 'failed'],
  ])('that loses %d %% under %j has %s', (loss, limits, expected) => {
    expect(summarize(evaluate(loss, limits))).toBe(expected);
  });

  it('that must fail passes without a reply, if its assertion about the loss holds', () => {
    const latency = { min: null, avg: null, max: null, stdDev: null, jitter: null };
    const outcome = icmpEvaluation.run({
      check: { shouldFail: true },
      assertions: [{ source: 'PACKET_LOSS', comparison: 'EQUALS', target: '100' }],
      statistics: { packetsSent: 1, packetsReceived: 0, packetLoss: 100, latency },
      fault: LATE,
      details: {},
    });
    expect(outcome).toMatchObject({ hasFailures: false, errors: [] });
  });

  it('that fails is not degraded as well', () => {
    const limits = { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 };
    expect(evaluate(20, limits)).toMatchObject({ hasFailures: true, isDegraded: false });
  });

  it('names the limit that it exceeds, also if it must fail', () => {
    expect(evaluate(20, { maxPacketLossThreshold: 20 }).errors).toEqual([
      '20 % of the packets were lost, the limit is 20 %',
    ]);
    expect(evaluate(20, { maxPacketLossThreshold: 20, shouldFail: true }).errors).toHaveLength(2);
  });

  it('without a reply exceeds every limit of the response time, and no assertion holds', () => {
    const latency = { min: null, avg: null, max: null, stdDev: null, jitter: null };
    const silent = { packetsSent: 1, packetsReceived: 0, packetLoss: 100, latency };
    const run = (statistics: typeof silent | undefined, check: object) =>
      icmpEvaluation.run({ check, assertions: ONE_ASSERTION, fault: LATE, statistics, details: {} });
    expect(run(silent, { maxResponseTime: 10 })).toMatchObject({ overMaxResponseTime: true });
    expect(run(undefined, { maxResponseTime: 10 })).toMatchObject({ overMaxResponseTime: false });
    expect(run(undefined, { shouldFail: true }).errors).toEqual([`${NO_ANSWER}: late`]);
    expect(evaluate(1, {}).isUnanswered).toBeUndefined();
    const lost = { shouldFail: true, degradedPacketLossThreshold: 1 };
    const unsent = { check: lost, assertions: [], fault: LATE, statistics: undefined, details: {} };
    expect(summarize(icmpEvaluation.run(unsent))).toBe('passed');
  });
});

describe('an SSL check', () => {
  const DAY = 86_400_000;
  const now = Date.parse('2026-03-01T00:00:00Z');
  const evaluate = (leftMs: number | undefined, more: object = {}) =>
    sslEvaluation.run({
      ...{ check: {}, assertions: [], fault: undefined, response: undefined, problems: [] },
      ...{ alertDaysBeforeExpiry: 20, now, notes: [], details: {} },
      ...(leftMs === undefined ? {} : { expiry: { certificate: 'the certificate a', at: now + leftMs } }),
      ...more,
    });

  it.each([
    [undefined, 'passed'],
    [20 * DAY + 1, 'passed'],
    [20 * DAY, 'degraded'],
    [1, 'degraded'],
    // The problems of the certificate report its expiry.
    [0, 'passed'],
  ])('whose certificate expires in %d ms has %s', (leftMs, expected) => {
    expect(summarize(evaluate(leftMs))).toBe(expected);
  });

  it.each([
    [DAY, 'on 2026-03-02, in 1 day'],
    [DAY - 1, 'on 2026-03-01, in less than a day'],
    [2 * DAY + 1, 'on 2026-03-03, in 2 days'],
  ])('names %d ms %s', (leftMs, words) => {
    const { notes } = evaluate(leftMs).details as { readonly notes: readonly string[] };
    expect(notes).toEqual([`the certificate a expires ${words} (degraded from 20 days)`]);
  });

  it('without a handshake exceeds limits only if it was late, and no assertion holds', () => {
    const limit = { check: { maxResponseTime: 10 } };
    expect(evaluate(undefined, { ...limit, fault: LATE }).overMaxResponseTime).toBe(true);
    expect(evaluate(undefined, { ...limit, fault: REFUSED }).overMaxResponseTime).toBe(false);
    const mustFail = { check: { shouldFail: true }, assertions: ONE_ASSERTION, fault: REFUSED };
    expect(evaluate(undefined, mustFail).errors).toEqual([`${NO_ANSWER}: refused`]);
  });

  it('that must fail passes with a bad certificate, if its assertions hold', () => {
    const outcome = evaluate(undefined, {
      check: { shouldFail: true },
      assertions: ONE_ASSERTION,
      response: { handshakeTimeMs: 5 },
      problems: ['it expired'],
    });
    expect(outcome).toMatchObject({ hasFailures: false, errors: [] });
  });

  it('that fails is not degraded as well', () => {
    expect(evaluate(DAY, { problems: ['it is for another name'] })).toMatchObject({
      ...{ isDegraded: false, errors: ['it is for another name'] },
    });
  });
});

describe('a TCP check', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const contains = (target: string): Assertion => ({
    source: 'RESPONSE_DATA',
    comparison: 'CONTAINS',
    target,
  });
  const evaluate = (assertions: readonly Assertion[], more: object = {}) =>
    tcpEvaluation.run({
      ...{ check: {}, assertions, response: complete(base64('abc')), silence: undefined },
      ...{ fault: undefined, total: 12, details: {} },
      ...more,
    });

  it('explains silence only where an assertion on the data fails', () => {
    const silent = { response: complete(''), silence: 'it sent nothing' };
    expect(evaluate([...ONE_ASSERTION, contains('x')], silent).errors[0]).toBe('it sent nothing');
    expect(evaluate([...ONE_ASSERTION, contains('')], silent).errors).toEqual([]);
    const slow = { source: 'RESPONSE_TIME', comparison: 'GREATER_THAN', target: '100' };
    expect(evaluate([slow, contains('')], silent).errors).toEqual([
      'RESPONSE_TIME GREATER_THAN "100": was 12 ms',
    ]);
  });

  it('without a connection exceeds limits only if it was late, and no assertion holds', () => {
    const check = { maxResponseTime: 10_000 };
    expect(evaluate([], { check, fault: LATE }).overMaxResponseTime).toBe(true);
    expect(evaluate([], { check, fault: REFUSED }).overMaxResponseTime).toBe(false);
    const mustFail = { check: { shouldFail: true }, fault: REFUSED };
    expect(evaluate(ONE_ASSERTION, mustFail).errors).toEqual([`${NO_ANSWER}: refused`]);
  });

  it('that must fail does not call an answer missing that was only empty', () => {
    const silent = { check: { shouldFail: true }, response: complete(''), silence: 'it sent nothing' };
    expect(evaluate([contains('x')], silent).errors).toEqual(['RESPONSE_DATA CONTAINS "x": was ""']);
  });

  it('waits until all assertions hold', () => {
    const holds = (...targets: readonly string[]) =>
      tcpDataEvaluation.run({ assertions: targets.map(contains), response: base64('abc') });
    expect([holds('a', 'c'), holds('a', 'x'), holds('x')]).toEqual([true, false, false]);
  });

  it('finds text in every reading of bytes that are not UTF-8, and refutes none by another', () => {
    const response = complete(Buffer.from('St\xf6rung', 'latin1').toString('base64'));
    const claim = (comparison: string, target: string, regex = '') =>
      summarize(evaluate([{ source: 'RESPONSE_DATA', comparison, target, regex }], { response }));
    expect(claim('CONTAINS', 'Störung')).toBe('passed');
    expect(claim('NOT_CONTAINS', 'Störung')).toBe('failed');
    expect(claim('EQUALS', 'Störung')).toBe('passed');
    expect(claim('EQUALS', 'ö', 'St(.)rung')).toBe('passed');
    expect(claim('NOT_EQUALS', 'ö', 'St(.)rung')).toBe('failed');
    expect(claim('EQUALS', 'ö', '(ö)')).toBe('passed');
  });
});

it('a TCP check finds text in UTF-16, at even and at odd positions', () => {
  for (const bytes of [
    Buffer.from('Login failed', 'utf16le'),
    Buffer.from('Login failed', 'utf16le').swap16(),
    Buffer.concat([Buffer.of(5), Buffer.from('Login failed', 'utf16le')]),
    Buffer.concat([Buffer.of(5), Buffer.from('Login failed', 'utf16le').swap16()]),
  ]) {
    const outcome = tcpEvaluation.run({
      ...{ check: {}, silence: undefined, fault: undefined, total: 12, details: {} },
      assertions: [{ source: 'RESPONSE_DATA', comparison: 'NOT_CONTAINS', target: 'Login failed' }],
      response: complete(bytes.toString('base64')),
    });
    expect(outcome.hasFailures).toBe(true);
  }
});

it('a URL check evaluates no assertion on an answer that is a fault', () => {
  const answer = { status: 302, statusText: '', httpVersion: '1.1', headers: [], bytes: 0 };
  const fault: FaultData = { reason: 'redirect', code: null, isNetwork: false, message: 'too many' };
  const outcome = urlEvaluation.run({
    ...{ check: {}, secrets: [] },
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '302' }],
    request: { url: 'http://a.test/', method: 'GET', headers: [] },
    exchanged: { hops: [], answer, fault, endpoint: undefined, totalMs: 5 } as unknown as HttpExchange<never>,
  });
  expect(outcome).toMatchObject({ hasFailures: true, errors: ['too many'], details: { assertions: [] } });
});
