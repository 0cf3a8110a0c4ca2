/**
 * When failures become alerts: the whole escalation as one pure function from a state, what happened, the settings and
 * what silences them to the next state and the alerts. Instants and spans in ms.
 */
import type { AlertKind } from './alert-kind.ts';

/** What one run says of its target. */
export type RunVerdict = 'passed' | 'degraded' | 'failed';

export type EscalationEvent =
  | { readonly type: 'run'; readonly verdict: RunVerdict; readonly at: number }
  /** What the state's `dueAt` asked for. */
  | { readonly type: 'due'; readonly at: number };

/** Settings in force, with all defaults filled in. */
export interface Escalation {
  readonly by: { readonly runs: number } | { readonly ms: number };
  /** Reminders after an alert; `NO_LIMIT`: for as long as it lasts. */
  readonly reminders: { readonly amount: number; readonly intervalMs: number };
}

/** The `reminders.amount` that has no end (docs/gaps.md). */
export const NO_LIMIT = 100_000;

/**
 * What keeps alerts from being sent. `muted`: what gets better is taken note of without a word, what gets worse waits for
 * the first run after it. `window` (maintenance): its runs alert of nothing; for what is due one counts that was open since the
 * last run that did. `inactive`: nobody runs the check.
 */
export type Silence = 'none' | 'muted' | 'window' | 'inactive';

type Level = 'well' | 'degraded' | 'failing';

/** Bad runs in a row, and when the first of them ended. */
interface Streak {
  readonly runs: number;
  readonly since: number;
}

export interface EscalationState {
  /** What was last told. */
  readonly level: Level;
  /** Failed runs in a row. */
  readonly failed: Streak | null;
  /** Degraded or failed runs in a row. */
  readonly bad: Streak | null;
  readonly last: RunVerdict;
  /** Whether a failure was told since all was well. */
  readonly hasFailed: boolean;
  /** When the first bad run ended of what is told; null: all is well. */
  readonly since: number | null;
  /** When the next reminder has its turn, where settings want one. */
  readonly remindAt: number | null;
  /** Reminders since the last alert. */
  readonly reminders: number;
  /** Whether escalation by time waits for a run, as its instant fell into a silence. */
  readonly missedDue: boolean;
  /** When something is due though no run comes; null: never. */
  readonly dueAt: number | null;
}

/** An alert that is to be told, or, `isSilent`, only to be taken note of: what it began is over. */
export interface Alert {
  readonly kind: AlertKind;
  readonly at: number;
  /** When the first bad run ended. */
  readonly since: number;
  readonly isSilent: boolean;
  /** Whether a failure was told since all was well: who heard of it wants to hear of its end. */
  readonly hasFailed: boolean;
}

export interface Step {
  readonly state: EscalationState;
  readonly alerts: readonly Alert[];
}

export const HEALTHY: EscalationState = {
  level: 'well',
  failed: null,
  bad: null,
  last: 'passed',
  hasFailed: false,
  since: null,
  remindAt: null,
  reminders: 0,
  missedDue: false,
  dueAt: null,
};

/** Whether there is nothing to remember. */
export const isHealthy = ({ level, bad }: EscalationState): boolean => level === 'well' && bad === null;

export function escalate(
  state: EscalationState,
  event: EscalationEvent,
  escalation: Escalation,
  silence: Silence,
): Step {
  switch (event.type) {
    case 'run':
      if (silence === 'inactive') return { state, alerts: [] };
      if (silence === 'window') {
        const step = ranInWindow(state, event.verdict);
        // What waits for a run that counts goes on waiting.
        return state.dueAt === null ? step : armed(step, escalation);
      }
      return armed(ran(state, event.verdict, event.at, escalation, silence === 'muted'), escalation);
    case 'due':
      return silence === 'none'
        ? armed(onTime(state, event.at, escalation), escalation)
        : { state: passedOver(state, event.at, escalation, silence), alerts: [] };
    default:
      return event satisfies never;
  }
}

const longer = (streak: Streak | null, at: number): Streak => ({
  runs: (streak?.runs ?? 0) + 1,
  since: streak?.since ?? at,
});

/** What a run does. */
function ran(
  before: EscalationState,
  verdict: RunVerdict,
  at: number,
  escalation: Escalation,
  isMuted: boolean,
): Step {
  const state: EscalationState = {
    ...before,
    last: verdict,
    failed: verdict === 'failed' ? longer(before.failed, at) : null,
    bad: verdict === 'passed' ? null : longer(before.bad, at),
    missedDue: false,
  };
  if (verdict === 'passed') return recovered(state, at, isMuted);
  // Better than what was told needs no threshold.
  if (verdict === 'degraded' && state.level === 'failing')
    return told(state, 'degraded', at, escalation, isMuted);
  return isMuted ? { state, alerts: [] } : worsened(state, at, escalation);
}

/** Of runs in a window a good one counts as far as it ends a row of bad ones: those after it are not in a row with them. */
function ranInWindow(state: EscalationState, verdict: RunVerdict): Step {
  if (verdict !== 'passed') return { state, alerts: [] };
  return { state: state.level === 'well' ? HEALTHY : { ...state, failed: null, bad: null }, alerts: [] };
}

/** What an instant does, for which no run was needed. */
function onTime(state: EscalationState, at: number, escalation: Escalation): Step {
  const due = escalationAt(state, escalation);
  if (due !== null && due <= at) {
    const worse = worsened(state, at, escalation);
    if (worse.alerts.length > 0) return worse;
  }
  const reminder = reminderAt(state, escalation);
  if (reminder === null || reminder > at || state.level === 'well') return { state, alerts: [] };
  const kind = state.level === 'failing' ? 'ALERT_FAILURE_REMAIN' : 'ALERT_DEGRADED_REMAIN';
  return {
    state: {
      ...state,
      remindAt: at + escalation.reminders.intervalMs,
      reminders: state.reminders + 1,
    },
    alerts: [alertOf(state, kind, at, false)],
  };
}

/** A worse state is told once its streak is long enough. */
function worsened(state: EscalationState, at: number, escalation: Escalation): Step {
  const reached = (streak: Streak | null): boolean =>
    streak !== null &&
    ('runs' in escalation.by ? streak.runs >= escalation.by.runs : at - streak.since >= escalation.by.ms);
  if (state.last === 'failed' && state.level !== 'failing' && reached(state.failed)) {
    return told(state, 'failing', at, escalation, false);
  }
  if (state.last === 'degraded' && state.level === 'well' && reached(state.bad)) {
    return told(state, 'degraded', at, escalation, false);
  }
  return { state, alerts: [] };
}

function told(
  before: EscalationState,
  level: 'degraded' | 'failing',
  at: number,
  { reminders }: Escalation,
  isSilent: boolean,
): Step {
  const kinds = {
    failing: { well: 'ALERT_FAILURE', degraded: 'ALERT_DEGRADED_FAILURE', failing: 'ALERT_FAILURE_REMAIN' },
    degraded: {
      well: 'ALERT_DEGRADED',
      degraded: 'ALERT_DEGRADED_REMAIN',
      failing: 'ALERT_FAILURE_DEGRADED',
    },
  } as const;
  const state: EscalationState = {
    ...before,
    level,
    remindAt: at + reminders.intervalMs,
    reminders: 0,
    since: before.since ?? before.bad?.since ?? at,
    hasFailed: before.hasFailed || level === 'failing',
  };
  return { state, alerts: [alertOf(state, kinds[level][before.level], at, isSilent)] };
}

function recovered(state: EscalationState, at: number, isSilent: boolean): Step {
  if (state.level === 'well') return { state: HEALTHY, alerts: [] };
  const kind = state.level === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY';
  return { state: HEALTHY, alerts: [alertOf(state, kind, at, isSilent)] };
}

function alertOf(state: EscalationState, kind: AlertKind, at: number, isSilent: boolean): Alert {
  return { kind, at, since: state.since ?? at, isSilent, hasFailed: state.hasFailed };
}

/** An instant that falls into a silence: an escalation waits for a run after it, a reminder for its next turn. */
function passedOver(
  before: EscalationState,
  at: number,
  escalation: Escalation,
  silence: Exclude<Silence, 'none'>,
): EscalationState {
  // Of what nobody runs, and what nobody wants to hear of, nothing is due until a run comes.
  if (silence !== 'window') return { ...before, missedDue: true, dueAt: null };
  const due = escalationAt(before, escalation);
  const { remindAt } = before;
  const state: EscalationState = {
    ...before,
    missedDue: before.missedDue || (due !== null && due <= at),
    remindAt: remindAt !== null && remindAt <= at ? at + escalation.reminders.intervalMs : remindAt,
  };
  return armed({ state, alerts: [] }, escalation).state;
}

function reminderAt({ remindAt, reminders }: EscalationState, escalation: Escalation): number | null {
  const { amount } = escalation.reminders;
  return amount < NO_LIMIT && reminders >= amount ? null : remindAt;
}

function escalationAt(state: EscalationState, { by }: Escalation): number | null {
  const { level, last, failed, bad, missedDue } = state;
  if ('runs' in by || missedDue) return null;
  if (last === 'failed' && level !== 'failing' && failed !== null) return failed.since + by.ms;
  if (last === 'degraded' && level === 'well' && bad !== null) return bad.since + by.ms;
  return null;
}

/** Sets when something is due next. */
function armed({ state, alerts }: Step, escalation: Escalation): Step {
  const instants = [escalationAt(state, escalation), reminderAt(state, escalation)];
  const due = instants.filter((instant) => instant !== null);
  return { state: { ...state, dueAt: due.length === 0 ? null : Math.min(...due) }, alerts };
}
