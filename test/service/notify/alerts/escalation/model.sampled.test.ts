/** The escalation in any course of events, against a model that looks at every minute. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  NO_LIMIT,
  type RunVerdict,
  type Silence,
} from '../../../../../src/service/notify/alerts/escalation.ts';
import { runs } from '../../../../support/sampled.ts';
import { Driver, MINUTE } from './driver.ts';
import { Model } from './model.ts';

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

const RUNS = runs(2000, 20_000);

it('tells what the model tells, whatever happens', () => {
  fc.assert(
    fc.property(escalations, fc.commands(events, { maxCommands: 60 }), (escalation, commands) => {
      fc.modelRun(() => ({ model: new Model(escalation), real: new Driver(escalation) }), commands);
    }),
    { numRuns: RUNS },
  );
});
