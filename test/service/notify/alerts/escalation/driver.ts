/** The escalation as the service drives it, on minutes that a test counts. */
import { expect } from 'vitest';
import {
  type Escalation,
  type EscalationState,
  escalate,
  HEALTHY,
  isHealthy,
  type RunVerdict,
  type Silence,
} from '../../../../../src/service/notify/alerts/escalation.ts';

export const MINUTE = 60_000;

/** In minutes; nothing is due more often than each minute. */
const LONGEST_WAIT = 100;

/** What was told, without its prefix. */
export type Told = { readonly minute: number; readonly kind: string; readonly isSilent: boolean };

/** What is due is done at its instant, between the runs. */
export class Driver {
  readonly told: Told[] = [];
  readonly #escalation: Escalation;
  state: EscalationState = HEALTHY;
  minute = 0;
  #silence: Silence = 'none';
  /** Whether a window was open since the last run that counted. */
  #wasWindow = false;

  constructor(escalation: Escalation) {
    this.#escalation = escalation;
  }

  get silence(): Silence {
    return this.#silence;
  }
  set silence(silence: Silence) {
    this.#silence = silence;
    this.#wasWindow ||= silence === 'window';
  }

  #step(event: Parameters<typeof escalate>[1]): void {
    if (event.type === 'run' && this.silence !== 'window' && this.silence !== 'inactive')
      this.#wasWindow = false;
    const silence = this.silence === 'none' && this.#wasWindow ? 'window' : this.silence;
    const { state, alerts } = escalate(this.state, event, this.#escalation, silence);
    this.state = isHealthy(state) ? HEALTHY : state;
    for (const { kind, isSilent, at } of alerts) {
      expect(at).toBe(event.at);
      this.told.push({ minute: this.minute, kind: kind.replace('ALERT_', ''), isSilent });
    }
  }

  #due(until: number): void {
    let turns = 0;
    for (let { dueAt } = this.state; dueAt !== null && dueAt <= until * MINUTE; { dueAt } = this.state) {
      this.minute = Math.max(this.minute, dueAt / MINUTE);
      turns += 1;
      if (turns > LONGEST_WAIT) throw new Error(`what is due at minute ${this.minute} stays due`);
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
