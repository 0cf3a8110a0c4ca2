/** The escalation in readable scenarios. */
import { describe, expect, it } from 'vitest';
import { type Escalation, NO_LIMIT } from '../../../../../src/service/notify/alerts/escalation.ts';
import { Driver, MINUTE } from './driver.ts';

const runs = (n: number, amount = 0, minutes = 5): Escalation => ({
  ...{ by: { runs: n }, reminders: { amount, intervalMs: minutes * MINUTE } },
});
const time = (minutesFailing: number, amount = 0, minutes = 5): Escalation => ({
  ...{ by: { ms: minutesFailing * MINUTE }, reminders: { amount, intervalMs: minutes * MINUTE } },
});

/** `f` failed, `d` degraded, `p` passed, a minute apart; `m`, `w`, `i` and `n` set the silence; `.` waits a minute. */
function course(escalation: Escalation, written: string): string[] {
  const driver = new Driver(escalation);
  const verdicts = { f: 'failed', d: 'degraded', p: 'passed' } as const;
  const silences = { m: 'muted', w: 'window', i: 'inactive', n: 'none' } as const;
  for (const letter of written.replaceAll(' ', '')) {
    if (letter in silences) driver.silence = silences[letter as keyof typeof silences];
    else {
      driver.wait(1);
      if (letter !== '.') driver.run(verdicts[letter as keyof typeof verdicts]);
    }
  }
  return driver.told.map(({ minute, kind, isSilent }) => `${minute} ${kind}${isSilent ? ' (silent)' : ''}`);
}

describe('by runs', () => {
  it.each<[what: string, escalation: Escalation, course: string, told: string[]]>([
    ['a first failure alerts, the next do not', runs(1), 'pfff', ['2 FAILURE']],
    ['so many in a row are needed', runs(3), 'ffpfff', ['6 FAILURE']],
    ['a degraded run in between is no failed one', runs(2), 'fdfdff', ['2 DEGRADED', '6 DEGRADED_FAILURE']],
    ['a recovery needs no threshold', runs(2), 'ffp', ['2 FAILURE', '3 RECOVERY']],
    ['what never alerted does not recover', runs(2), 'fpfp', []],
    ['degraded, and well again', runs(1), 'dp', ['1 DEGRADED', '2 DEGRADED_RECOVERY']],
    [
      'degraded, failing, degraded, well',
      runs(1),
      'dfdp',
      [...['1 DEGRADED', '2 DEGRADED_FAILURE', '3 FAILURE_DEGRADED', '4 DEGRADED_RECOVERY']],
    ],
    [
      'failing, degraded, failing again',
      runs(1),
      'fdf',
      ['1 FAILURE', '2 FAILURE_DEGRADED', '3 DEGRADED_FAILURE'],
    ],
    ['reminders, so many', runs(1, 2, 2), 'f.......', ['1 FAILURE', '3 FAILURE_REMAIN', '5 FAILURE_REMAIN']],
    [
      'reminders count anew from each alert',
      runs(1, 1, 2),
      'd..f...',
      [...['1 DEGRADED', '3 DEGRADED_REMAIN', '4 DEGRADED_FAILURE', '6 FAILURE_REMAIN']],
    ],
    [
      'reminders without a limit',
      runs(1, NO_LIMIT, 1),
      'f...p..',
      [
        ...[
          '1 FAILURE',
          '2 FAILURE_REMAIN',
          '3 FAILURE_REMAIN',
          '4 FAILURE_REMAIN',
          '5 FAILURE_REMAIN',
          '5 RECOVERY',
        ],
      ],
    ],
  ])('%s', (_, escalation, written, told) => expect(course(escalation, written)).toEqual(told));
});

describe('by time', () => {
  it.each<[what: string, escalation: Escalation, course: string, told: string[]]>([
    ['alerts at its minute, though no run comes', time(5), 'f........', ['6 FAILURE']],
    ['alerts not where it passed in time', time(5), 'f...p....', []],
    ['counts from the first failed run of the row', time(5), 'f..f..f', ['6 FAILURE']],
    ['counts anew after a good run', time(5), 'ffpf......', ['9 FAILURE']],
    ['and reminds from then on', time(5, 1, 2), 'f.........', ['6 FAILURE', '8 FAILURE_REMAIN']],
  ])('%s', (_, escalation, written, told) => expect(course(escalation, written)).toEqual(told));
});

describe('silence', () => {
  it.each<[what: string, escalation: Escalation, course: string, told: string[]]>([
    ['runs in a window count for nothing', runs(2), 'f wffff n f', ['6 FAILURE']],
    ['a failure in a window alerts by a run after it only', runs(1), 'wf...n...f', ['8 FAILURE']],
    ['no late alert after a window', time(5), 'f..w......n.....', []],
    ['but the first failed run after it', time(5), 'f..w......n..f', ['12 FAILURE']],
    [
      'a recovery in a window is told by the first good run after it',
      runs(1),
      'f wpp n.p',
      ['1 FAILURE', '5 RECOVERY'],
    ],
    [
      'no reminders in a window nor before a run after it, later turns remain',
      runs(1, 2, 3),
      'f w..... n...f.......',
      [...['1 FAILURE', '13 FAILURE_REMAIN', '16 FAILURE_REMAIN']],
    ],
    [
      'what fell due after a window waits for a run after it, too',
      time(5),
      'f w.. n........ f',
      ['12 FAILURE'],
    ],
    ['a good run in a window ends a row', runs(2), 'f wp n f f', ['4 FAILURE']],
    ['a bad one in a window neither ends nor lengthens it', runs(2), 'f wf n f', ['3 FAILURE']],
    [
      'what got worse while muted waits for a run, also where a reminder is due',
      runs(1, 1, 2),
      'd m f n . f',
      [...['1 DEGRADED', '3 DEGRADED_REMAIN', '4 DEGRADED_FAILURE']],
    ],
    ['muted, nothing is sent; then the next failed run is', runs(2), 'm ffff n . f', ['6 FAILURE']],
    [
      'muted, a recovery is only taken note of',
      runs(1),
      'f m p n p f',
      [...['1 FAILURE', '2 RECOVERY (silent)', '4 FAILURE']],
    ],
    [
      'muted, a failure that only degrades is taken note of',
      runs(1),
      'f m d n p',
      [...['1 FAILURE', '2 FAILURE_DEGRADED (silent)', '3 DEGRADED_RECOVERY']],
    ],
    ['what nobody runs reminds of nothing', runs(1, NO_LIMIT, 1), 'f i.....n....', ['1 FAILURE']],
    [
      'what waits for a run that counts, as nobody ran the check, waits over a run in a window, too',
      time(5, NO_LIMIT, 1),
      'f..... i. wf nf',
      [...['6 FAILURE', '9 FAILURE_REMAIN']],
    ],
  ])('%s', (_, escalation, written, told) => expect(course(escalation, written)).toEqual(told));
});
