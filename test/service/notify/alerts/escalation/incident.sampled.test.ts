/** The incident of a check in any course of events, against the model of its escalation with nothing silenced. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Escalation, RunVerdict } from '../../../../../src/service/notify/alerts/escalation.ts';
import {
  escalateIncident,
  type IncidentState,
  markHeld,
  NO_INCIDENT,
} from '../../../../../src/service/notify/alerts/incident-escalation.ts';
import { runs } from '../../../../support/sampled.ts';
import { MINUTE } from './driver.ts';
import { Model } from './model.ts';

const RUNS = runs(1000, 10_000);
type Event = RunVerdict | 'wait' | 'suppress' | 'allow' | 'deactivate' | 'activate';

/** What is said of the incident, minute by minute: the service as it drives the course. */
function driven(by: Escalation['by'], events: readonly Event[]): string[] {
  const said: string[] = [];
  const escalation = { by, reminders: { amount: 2, intervalMs: MINUTE } };
  let state: IncidentState = NO_INCIDENT;
  let [isOpen, isSuppressed, isInactive] = [false, false, false];
  /** The minutes in which incidents were held back. */
  const suppressed = new Set<number>();
  events.forEach((event, minute) => {
    const at = minute * MINUTE;
    if (event === 'suppress' || event === 'allow') isSuppressed = event === 'suppress';
    if (event === 'activate' || event === 'deactivate') isInactive = event === 'deactivate';
    if (isSuppressed) suppressed.add(minute);
    const step = (given: Parameters<typeof escalateIncident>[1]) => {
      const { state: next, move } = escalateIncident(
        state,
        given,
        escalation,
        isInactive ? 'inactive' : 'none',
      );
      state = next;
      if (move === 'resolve' && isOpen) said.push(`${minute} resolve`);
      if (move === 'resolve') isOpen = false;
      if (move !== 'open') return;
      const since = (state.ranAt ?? at) / MINUTE;
      if ([...suppressed].some((one) => one >= since)) state = markHeld(state);
      else if (!isOpen) {
        said.push(`${minute} open`);
        isOpen = true;
      }
    };
    const { dueAt } = state.escalation;
    if (dueAt !== null && dueAt <= at) step({ type: 'due', at });
    if (isVerdict(event) && !isInactive) step({ type: 'run', verdict: event, at, startedAt: at });
  });
  return said;
}

const isVerdict = (event: Event): event is RunVerdict => ['passed', 'degraded', 'failed'].includes(event);

/** The same by the rules of docs/gaps.md: while the model says that the check fails, a failed run opens what is not held back. */
function expected(by: Escalation['by'], events: readonly Event[]): string[] {
  const said: string[] = [];
  const model = new Model({ by, reminders: { amount: 0, intervalMs: MINUTE } });
  let [isOpen, isSuppressed, isFailing, lastRun] = [false, false, false, Number.POSITIVE_INFINITY];
  let lastSuppressed = Number.NEGATIVE_INFINITY;
  events.forEach((event, minute) => {
    if (event === 'suppress' || event === 'allow') isSuppressed = event === 'suppress';
    if (event === 'activate' || event === 'deactivate')
      model.silence = event === 'deactivate' ? 'inactive' : 'none';
    if (isSuppressed) lastSuppressed = minute;
    const look = (isFailedRun: boolean) => {
      const told = model.told.splice(0).map(({ kind }) => kind);
      const hasRecovered = told.some((kind) => kind.endsWith('RECOVERY'));
      const hasBegun = told.some((kind) => ['FAILURE', 'DEGRADED_FAILURE'].includes(kind));
      if (hasRecovered && isOpen) said.push(`${minute} resolve`);
      if (hasRecovered) isOpen = false;
      if (hasRecovered || told.includes('FAILURE_DEGRADED')) isFailing = false;
      if (hasBegun) isFailing = true;
      const isHeld = lastSuppressed >= lastRun;
      if (isFailing && !isOpen && (hasBegun || isFailedRun) && !isHeld) {
        said.push(`${minute} open`);
        isOpen = true;
      }
    };
    if (minute > 0) model.wait(1);
    look(false);
    if (!isVerdict(event) || model.silence === 'inactive') return;
    lastRun = minute;
    model.run(event);
    look(event === 'failed');
  });
  return said;
}

it('opens and resolves as the model says, whatever happens', () => {
  const by = fc.oneof(
    fc.integer({ min: 1, max: 3 }).map((count) => ({ runs: count })),
    fc.constantFrom(5, 10).map((minutes) => ({ ms: minutes * MINUTE })),
  );
  const events = fc.array(
    fc.constantFrom<Event>(
      ...(['failed', 'failed', 'degraded', 'passed', 'wait', 'wait', 'suppress', 'allow'] as const),
      ...(['deactivate', 'activate', 'activate'] as const),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(by, events, (settings, course) => {
      expect(driven(settings, course)).toEqual(expected(settings, course));
    }),
    { numRuns: RUNS },
  );
});
