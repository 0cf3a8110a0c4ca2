/**
 * The rules of docs/gaps.md once more, without instants that are waited for: it looks at every minute, and derives what is
 * in a row from all the runs there were.
 */
import {
  type Escalation,
  NO_LIMIT,
  type RunVerdict,
  type Silence,
} from '../../../../../src/service/notify/alerts/escalation.ts';
import { MINUTE, type Told } from './driver.ts';

export class Model {
  readonly told: Told[] = [];
  readonly #escalation: Escalation;
  minute = 0;
  #silence: Silence = 'none';
  /** A window was open since the last run that counted: nobody knows how the check is. */
  #isUnknown = false;
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

  get silence(): Silence {
    return this.#silence;
  }
  set silence(silence: Silence) {
    this.#silence = silence;
    if (silence === 'window') this.#isUnknown = true;
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
    if (this.silence === 'none' && !this.#isUnknown) {
      if (isEscalating) this.#move(this.#worse());
      else {
        this.#tell(this.#level === 2 ? 'FAILURE_REMAIN' : 'DEGRADED_REMAIN');
        this.#reminded += 1;
        this.#remind();
      }
    } else if (this.silence === 'none' || this.silence === 'window') {
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
    if (this.silence === 'window') {
      if (verdict === 'passed')
        this.#runs = this.#level === 0 ? [] : [...this.#runs, { verdict, minute: this.minute }];
    } else if (this.silence !== 'inactive') this.#count(verdict);
    this.#look();
  }

  #count(verdict: RunVerdict): void {
    const isMuted = this.silence === 'muted';
    this.#sleeps = false;
    this.#escalationSleeps = false;
    this.#isUnknown = false;
    this.#runs.push({ verdict, minute: this.minute });
    if (verdict === 'passed') {
      if (this.#level > 0) this.#tell(this.#level === 2 ? 'RECOVERY' : 'DEGRADED_RECOVERY', isMuted);
      this.#level = 0;
      this.#runs = [];
    } else if (verdict === 'degraded' && this.#level === 2) this.#move(1, isMuted);
    else if (!isMuted && this.#worse() > this.#level) this.#move(this.#worse());
  }
}
