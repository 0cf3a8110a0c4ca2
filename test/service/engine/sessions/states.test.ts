/** The states of sessions: which may follow which, and what a set of results comes to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTerminal,
  nextStatus,
  type SessionEvent,
  type SessionStatus,
  TERMINAL_STATUSES,
  testStatusOf,
  verdictOfResult,
} from '../../../../src/service/engine/sessions/states.ts';

const verdicts = fc.constantFrom('passed', 'degraded', 'failed' as const);
const reports: fc.Arbitrary<SessionEvent> = fc.record({
  type: fc.constant('reported' as const),
  final: fc.boolean(),
  verdict: verdicts,
}) as fc.Arbitrary<SessionEvent>;
const events: fc.Arbitrary<SessionEvent> = fc.oneof(
  { weight: 6, arbitrary: reports },
  fc.constantFrom<SessionEvent>({ type: 'finished' }, { type: 'timed-out' }, { type: 'cancelled' }),
);
const run = (happened: readonly SessionEvent[], from: SessionStatus = 'STARTED') =>
  happened.reduce(nextStatus, from);
const final = (verdict: 'passed' | 'degraded' | 'failed'): SessionEvent => ({
  type: 'reported',
  final: true,
  verdict,
});

describe('the states of a session', () => {
  it('move to PROGRESS when the first run reports, also where it is only an attempt', () => {
    expect(nextStatus('STARTED', { type: 'reported', final: false, verdict: 'failed' })).toBe('PROGRESS');
    expect(nextStatus('STARTED', final('passed'))).toBe('PROGRESS');
  });

  it.each([
    ['failed', 'PROGRESS_FAILED', 'FAILED'],
    ['degraded', 'PROGRESS_DEGRADED', 'DEGRADED'],
    ['passed', 'PROGRESS', 'PASSED'],
  ] as const)('show a final result that %s at once, and at the end', (verdict, during, end) => {
    expect(run([final(verdict)])).toBe(during);
    expect(run([final(verdict), final('passed'), { type: 'finished' }])).toBe(end);
  });

  it('let failed outrank degraded in either order', () => {
    expect(run([final('degraded'), final('failed'), { type: 'finished' }])).toBe('FAILED');
    expect(run([final('failed'), final('degraded'), { type: 'finished' }])).toBe('FAILED');
  });

  it('are never good where nothing was reported', () => {
    expect(run([{ type: 'finished' }])).toBe('FAILED');
  });

  it('take an error of the monitor for failed, never for passed', () => {
    expect(verdictOfResult({ hasErrors: true, hasFailures: false, isDegraded: false })).toBe('failed');
    expect(verdictOfResult({ hasErrors: false, hasFailures: false, isDegraded: true })).toBe('degraded');
  });

  it('never change once terminal, whatever happens', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TERMINAL_STATUSES), fc.array(events), (status, later) => {
        expect(run(later, status)).toBe(status);
      }),
    );
  });

  it('end as the worst final result says, in any order, whatever attempts came before', () => {
    fc.assert(
      fc.property(fc.array(reports), (reported) => {
        const finals = reported.flatMap((event) =>
          event.type === 'reported' && event.final ? [event.verdict] : [],
        );
        const worst = finals.includes('failed')
          ? 'FAILED'
          : finals.includes('degraded')
            ? 'DEGRADED'
            : reported.length === 0
              ? 'FAILED'
              : 'PASSED';
        expect(run([...reported, { type: 'finished' }])).toBe(worst);
      }),
    );
  });

  it('never go back: a bad verdict stays until the end', () => {
    fc.assert(
      fc.property(fc.array(reports), reports, (before, event) => {
        const status = run(before);
        const after = nextStatus(status, event);
        expect(isTerminal(after)).toBe(false);
        if (status === 'PROGRESS_FAILED') expect(after).toBe('PROGRESS_FAILED');
        if (status !== 'STARTED') expect(after).not.toBe('STARTED');
        if (status === 'PROGRESS_DEGRADED') expect(after).toMatch(/^PROGRESS_/);
      }),
    );
  });
});

describe('the state of a test session', () => {
  it('is RUNNING while any of its checks runs, then the worst of them', () => {
    expect(testStatusOf(['PASSED', 'PROGRESS_FAILED'])).toBe('RUNNING');
    expect(testStatusOf(['PASSED', 'DEGRADED'])).toBe('PASSED');
    expect(testStatusOf(['PASSED', 'CANCELLED'])).toBe('CANCELLED');
    expect(testStatusOf(['TIMED_OUT', 'CANCELLED'])).toBe('FAILED');
  });

  it('is never good where no check is left in it', () => {
    expect(testStatusOf([])).toBe('CANCELLED');
  });
});
