/** What a run in several locations says, and which channels want which alert: tables of every case that matters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALERT_KINDS } from '../../../../src/contract/enumerations.ts';
import { evaluateVerdict, type RunOutcomeFlags } from '../../../../src/service/notify/alerts/escalation.ts';
import { wantsAlert } from '../../../../src/service/notify/facts/alert-facts.ts';

const NOTHING = { hasFailures: false, hasErrors: false, isDegraded: false, isCancelled: false };
/** By a letter each: passed, failed, degraded, an error of ours, cancelled. */
const FINDINGS: Readonly<Record<string, RunOutcomeFlags>> = {
  p: NOTHING,
  f: { ...NOTHING, hasFailures: true },
  d: { ...NOTHING, isDegraded: true },
  e: { ...NOTHING, hasErrors: true },
  c: { ...NOTHING, isCancelled: true },
};
/** `?` is a location that has said nothing. */
const verdict = (said: string, percentage?: number) =>
  evaluateVerdict(
    [...said].flatMap((letter) => FINDINGS[letter] ?? []),
    said.length,
    { enabled: percentage !== undefined, percentage: percentage ?? 10 },
  );

describe('a run', () => {
  it.each<[said: string, percentage: number | undefined, verdict: string | undefined]>([
    ['p', undefined, 'passed'],
    ['f', undefined, 'failed'],
    ['d', undefined, 'degraded'],
    ['e', undefined, undefined],
    ['c', undefined, undefined],
    ['pf', undefined, 'failed'],
    ['ef', undefined, 'failed'],
    // Where one location is in the dark all could be well or not.
    ['pe', undefined, undefined],
    ['de', undefined, undefined],
    ['p?', undefined, undefined],
    ['pd', undefined, 'degraded'],
    // 40 % of three is more than one: two must fail.
    ['fpp', 40, 'passed'],
    ['ffp', 40, 'failed'],
    ['fdp', 40, 'degraded'],
    ['fpp', 10, 'failed'],
    ['ffp', 100, 'passed'],
    ['fff', 100, 'failed'],
    // One that is unknown could turn it, or could not.
    ['fep', 40, undefined],
    ['pep', 40, 'passed'],
    ['pep', 10, undefined],
    ['ffe', 40, 'failed'],
    ['eee', 40, undefined],
  ])('of %s with a threshold of %s %% is %s', (said, percentage, expected) => {
    expect(verdict(said, percentage)).toBe(expected);
  });

  it('says what is unknown neither well nor failed where it could be the other', () => {
    const letters = fc.array(fc.constantFrom('p', 'f', 'd'), { minLength: 1, maxLength: 8 });
    const percentages = fc.constantFrom(undefined, 10, 30, 50, 70, 100);
    fc.assert(
      fc.property(letters, fc.array(fc.boolean()), percentages, (all, hidden, percentage) => {
        const said = all.map((letter, index) => (hidden[index] ? 'e' : letter)).join('');
        const told = verdict(said, percentage);
        const truth = verdict(all.join(''), percentage);
        if (told === 'failed') expect(truth).toBe('failed');
        if (told === 'passed' || told === 'degraded') expect(truth).not.toBe('failed');
      }),
    );
  });
});

describe('a channel', () => {
  /** Which kinds are wanted, without their prefix. */
  const wanted = (sends: string, hasFailed = true) =>
    ALERT_KINDS.filter((kind) =>
      wantsAlert(
        {
          ...{ sendFailure: sends.includes('f'), sendRecovery: sends.includes('r') },
          sendDegraded: sends.includes('d'),
        },
        kind,
        hasFailed,
      ),
    ).map((kind) => kind.replace('ALERT_', ''));
  const FAILURES = ['FAILURE', 'FAILURE_REMAIN', 'DEGRADED_FAILURE', 'LOCATION'];
  const RECOVERIES = ['RECOVERY', 'LOCATION_RECOVERY'];

  it.each<[sends: string, hasFailed: boolean, kinds: string[]]>([
    ['', true, []],
    ['f', true, FAILURES],
    ['d', true, ['FAILURE_DEGRADED', 'DEGRADED', 'DEGRADED_REMAIN']],
    // Who heard of a failure hears of its end, also by way of degradation.
    ['r', true, ['FAILURE_DEGRADED', ...RECOVERIES, 'DEGRADED_RECOVERY']],
    ['r', false, ['FAILURE_DEGRADED', ...RECOVERIES]],
    ['rd', false, ['FAILURE_DEGRADED', ...RECOVERIES, 'DEGRADED', 'DEGRADED_REMAIN', 'DEGRADED_RECOVERY']],
    [
      'frd',
      false,
      ALERT_KINDS.filter((kind) => kind !== 'ALERT_SSL').map((kind) => kind.replace('ALERT_', '')),
    ],
  ])('that sends "%s" (of what failed before: %s) wants its kinds alone', (sends, hasFailed, kinds) => {
    expect(wanted(sends, hasFailed).sort()).toEqual([...kinds].sort());
  });

  it('wants failures and recoveries where it says nothing', () => {
    const kinds = ALERT_KINDS.filter((kind) => wantsAlert({}, kind, false));
    expect(kinds.map((kind) => kind.replace('ALERT_', '')).sort()).toEqual(
      [...FAILURES, 'FAILURE_DEGRADED', ...RECOVERIES].sort(),
    );
  });
});
