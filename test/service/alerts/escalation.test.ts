/** The escalation: readable scenarios, and any course of events against a model that looks at every minute. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Escalation,
  type EscalationState,
  escalate,
  NO_LIMIT,
  type RunVerdict,
  type Silence,
  WELL,
} from '../../../src/service/alerts/escalation.ts';

const MINUTE = 60_000;
const runs = (n: number, amount = 0, minutes = 5): Escalation => ({
  ...{ by: { runs: n }, reminders: { amount, intervalMs: minutes * MINUTE } },
});
const time = (minutesFailing: number, amount = 0, minutes = 5): Escalation => ({
  ...{ by: { ms: minutesFailing * MINUTE }, reminders: { amount, intervalMs: minutes * MINUTE } },
});

type Told = { readonly minute: number; readonly kind: string; readonly isSilent: boolean };

/** The escalation as the service drives it: what is due is done at its instant, between the runs. */
class Driver {
  readonly told: Told[] = [];
  readonly #escalation: Escalation;
  state: EscalationState = WELL;
  silence: Silence = 'none';
  minute = 0;

  constructor(escalation: Escalation) {
    this.#escalation = escalation;
  }

  #step(event: Parameters<typeof escalate>[1]): void {
    const { state, alerts } = escalate(this.state, event, this.#escalation, this.silence);
    this.state = state;
    for (const { kind, isSilent, at } of alerts) {
      expect(at).toBe(event.at);
      this.told.push({ minute: this.minute, kind: kind.replace('ALERT_', ''), isSilent });
    }
  }

  #due(until: number): void {
    for (let { dueAt } = this.state; dueAt !== null && dueAt <= until * MINUTE; { dueAt } = this.state) {
      this.minute = Math.max(this.minute, dueAt / MINUTE);
      this.#step({ type: 'due', at: this.minute * MINUTE });
    }
  }

  wait(minutes: number): void {
    const until = this.minute + minutes;
    this.#due(until);
    this.minute = until;
  }

  run(verdict: RunVerdict): void {
    this.#step({ type: 'run', verdict, at: this.minute * MINUTE });
    this.#due(this.minute);
  }
}

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
      'no reminders in a window, later turns remain',
      runs(1, 2, 3),
      'f w..... n........',
      [...['1 FAILURE', '7 FAILURE_REMAIN', '10 FAILURE_REMAIN']],
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
  ])('%s', (_, escalation, written, told) => expect(course(escalation, written)).toEqual(told));
});

/**
 * The rules of docs/gaps.md once more, without instants that are waited for: it looks at every minute, and derives what is
 * in a row from all the runs there were.
 */
class Model {
  readonly told: Told[] = [];
  readonly #escalation: Escalation;
  minute = 0;
  silence: Silence = 'none';
  /** Runs that count, since all was well. */
  #runs: { verdict: RunVerdict; minute: number }[] = [];
  #level = 0;
  #reminder: number | undefined;
  #reminded = 0;
  /** Nothing is due before another run. */
  #sleeps = false;
  #escalationSleeps = false;

  constructor(escalation: Escalation) {
    this.#escalation = escalation;
  }

  #row(isIn: (verdict: RunVerdict) => boolean) {
    const last = this.#runs.findLastIndex(({ verdict }) => !isIn(verdict));
    return this.#runs.slice(last + 1);
  }

  #reached(isIn: (verdict: RunVerdict) => boolean): boolean {
    const row = this.#row(isIn);
    const [first] = row;
    if (first === undefined) return false;
    const { by } = this.#escalation;
    return 'runs' in by ? row.length >= by.runs : (this.minute - first.minute) * MINUTE >= by.ms;
  }

  /** 0 well, 1 degraded, 2 failing: what ought to be told now. */
  #worse(): number {
    const last = this.#runs.at(-1)?.verdict;
    if (last === 'failed' && this.#level < 2 && this.#reached((verdict) => verdict === 'failed')) return 2;
    if (last === 'degraded' && this.#level < 1 && this.#reached((verdict) => verdict !== 'passed')) return 1;
    return this.#level;
  }

  #tell(kind: string, isSilent = false): void {
    this.told.push({ minute: this.minute, kind, isSilent });
  }

  #move(level: number, isSilent = false): void {
    const names = ['', 'DEGRADED', 'FAILURE'];
    const [from, to] = [names[this.#level] ?? '', names[level] ?? ''];
    this.#tell(from === '' ? to : `${from}_${to}`, isSilent);
    this.#level = level;
    this.#remind();
    this.#reminded = 0;
  }

  #remind(): void {
    this.#reminder = this.minute + this.#escalation.reminders.intervalMs / MINUTE;
  }

  #isReminderDue(): boolean {
    const { amount } = this.#escalation.reminders;
    const isWanted = amount === NO_LIMIT || this.#reminded < amount;
    return this.#level > 0 && isWanted && this.#reminder !== undefined && this.#reminder <= this.minute;
  }

  #look(): void {
    if (this.#sleeps) return;
    const isEscalating =
      'ms' in this.#escalation.by && !this.#escalationSleeps && this.#worse() > this.#level;
    const isReminding = this.#isReminderDue();
    if (!isEscalating && !isReminding) return;
    if (this.silence === 'none') {
      if (isEscalating) this.#move(this.#worse());
      else {
        this.#tell(this.#level === 2 ? 'FAILURE_REMAIN' : 'DEGRADED_REMAIN');
        this.#reminded += 1;
        this.#remind();
      }
    } else if (this.silence === 'window') {
      if (isEscalating) this.#escalationSleeps = true;
      if (isReminding) this.#remind();
    } else this.#sleeps = true;
  }

  wait(minutes: number): void {
    for (let passed = 0; passed < minutes; passed += 1) {
      this.minute += 1;
      this.#look();
    }
  }

  run(verdict: RunVerdict): void {
    if (this.silence !== 'window' && this.silence !== 'inactive') this.#count(verdict);
    this.#look();
  }

  #count(verdict: RunVerdict): void {
    const isMuted = this.silence === 'muted';
    this.#sleeps = false;
    this.#escalationSleeps = false;
    this.#runs.push({ verdict, minute: this.minute });
    if (verdict === 'passed') {
      if (this.#level > 0) this.#tell(this.#level === 2 ? 'RECOVERY' : 'DEGRADED_RECOVERY', isMuted);
      this.#level = 0;
      this.#runs = [];
    } else if (verdict === 'degraded' && this.#level === 2) this.#move(1, isMuted);
    else if (!isMuted && this.#worse() > this.#level) this.#move(this.#worse());
  }
}

const escalations = fc.record({
  by: fc.oneof(
    fc.record({ runs: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ ms: fc.constantFrom(5, 10, 15, 30).map((minutes) => minutes * MINUTE) }),
  ),
  reminders: fc.record({
    amount: fc.constantFrom(0, 1, 2, 5, NO_LIMIT),
    intervalMs: fc.constantFrom(1, 2, 3, 5, 10, 30).map((minutes) => minutes * MINUTE),
  }),
});

class Event implements fc.Command<Model, Driver> {
  readonly #words: string;
  readonly #act: (on: Model | Driver) => void;
  constructor(words: string, act: (on: Model | Driver) => void) {
    this.#words = words;
    this.#act = act;
  }
  check = () => true;
  run(model: Model, real: Driver): void {
    this.#act(model);
    this.#act(real);
    expect(real.told).toEqual(model.told);
  }
  toString = () => this.#words;
}

const verdict = fc.constantFrom<RunVerdict>('failed', 'failed', 'degraded', 'passed');
const silences = fc.constantFrom<Silence>('none', 'none', 'muted', 'window', 'inactive');
const events = [
  verdict.map((said) => new Event(said, (on) => on.run(said))),
  fc.integer({ min: 1, max: 40 }).map((minutes) => new Event(`wait ${minutes}`, (on) => on.wait(minutes))),
  silences.map(
    (silence) =>
      new Event(silence, (on) => {
        on.silence = silence;
      }),
  ),
];

const RUNS = Number(process.env.SONDE_TEST_RUNS ?? 300);

it('tells what the model tells, whatever happens', () => {
  fc.assert(
    fc.property(escalations, fc.commands(events, { maxCommands: 60 }), (escalation, commands) => {
      fc.modelRun(() => ({ model: new Model(escalation), real: new Driver(escalation) }), commands);
    }),
    { numRuns: RUNS },
  );
});
