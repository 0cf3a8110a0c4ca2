/** The escalation as the service drives it, on minutes that a test counts. */
import { expect } from 'vitest';
import {
  type Escalation,
  type EscalationState,
  escalate,
  type RunVerdict,
  type Silence,
  WELL,
} from '../../../../src/service/alerts/escalation.ts';

export const MINUTE = 60_000;

/** In minutes; nothing is due more often than each minute. */
const LONGEST_WAIT = 100;

/** What was told, without its prefix. */
export type Told = { readonly minute: number; readonly kind: string; readonly isSilent: boolean };

/** What is due is done at its instant, between the runs. */
export class Driver {
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
