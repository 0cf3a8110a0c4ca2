/**
 * Decides when failures become alerts: a pure function from state, event, settings and silence to the next state and
 * its alerts. Instants and durations in ms.
 */
import type { AlertKind } from '../facts/alert-facts.ts';

/** Verdict of one run about its target. */
export type RunVerdict = 'passed' | 'degraded' | 'failed';

export type EscalationEvent =
  | { readonly type: 'run'; readonly verdict: RunVerdict; readonly at: number }
  /** The `dueAt` of the state was reached. */
  | { readonly type: 'due'; readonly at: number };

/** Effective settings, with defaults. */
export interface Escalation {
  readonly by: { readonly runs: number } | { readonly ms: number };
  /** Reminders after an alert; `NO_LIMIT`: as long as the failure lasts. */
  readonly reminders: { readonly amount: number; readonly intervalMs: number };
}

/** The `reminders.amount` that means no limit (docs/gaps.md). */
export const NO_LIMIT = 100_000;

/**
 * Why alerts are not sent. `muted`: improvements update the state without an alert, deteriorations wait for the first
 * run afterwards. `window`: runs in a maintenance window never alert; for due events a window counts if it was open at
 * any time since the last counted run. `inactive`: the check is not running. `dependency`: a check that this one depends
 * on fails; improvements alert, deteriorations wait for the first run afterwards, and reminders are skipped.
 */
export type Silence = 'none' | 'muted' | 'window' | 'inactive' | 'dependency';

type Level = 'well' | 'degraded' | 'failing';

/** Consecutive bad runs, and when the first of them ended. */
interface Streak {
  readonly runs: number;
  readonly since: number;
}

export interface EscalationState {
  /** Level of the last alert. */
  readonly level: Level;
  /** Consecutive failed runs. */
  readonly failed: Streak | null;
  /** Consecutive degraded or failed runs. */
  readonly bad: Streak | null;
  readonly last: RunVerdict;
  /** Whether a failure alert was sent since the last recovery. */
  readonly hasFailed: boolean;
  /** When the first bad run of the current alert ended; null: no current alert. */
  readonly since: number | null;
  /** When the next reminder is due, if the settings have reminders. */
  readonly remindAt: number | null;
  /** Reminders since the last alert. */
  readonly reminders: number;
  /** Whether escalation by time waits for a run because its due time was silenced. */
  readonly missedDue: boolean;
  /** When something is due without a run; null: never. */
  readonly dueAt: number | null;
}

/** An alert to send. If `isSilent`, it only changes the state. */
export interface Alert {
  readonly kind: AlertKind;
  readonly at: number;
  /** When the first bad run ended. */
  readonly since: number;
  readonly isSilent: boolean;
  /** Whether a failure alert was sent since the last recovery: its receivers also get the recovery. */
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

/** Returns whether the state need not be stored. */
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
        const step = applyRunInWindow(state, event.verdict);
        // A due event that waits for a counted run keeps waiting.
        return state.dueAt === null ? step : withDueTime(step, escalation);
      }
      return withDueTime(applyRun(state, event.verdict, event.at, escalation, silence), escalation);
    case 'due':
      return silence === 'none'
        ? withDueTime(applyDueTime(state, event.at, escalation), escalation)
        : { state: skipDueTime(state, event.at, escalation, silence), alerts: [] };
    default:
      return event satisfies never;
  }
}

const extendStreak = (streak: Streak | null, at: number): Streak => ({
  runs: (streak?.runs ?? 0) + 1,
  since: streak?.since ?? at,
});

function applyRun(
  before: EscalationState,
  verdict: RunVerdict,
  at: number,
  escalation: Escalation,
  silence: 'none' | 'muted' | 'dependency',
): Step {
  const isMuted = silence === 'muted';
  const state: EscalationState = {
    ...before,
    last: verdict,
    failed: verdict === 'failed' ? extendStreak(before.failed, at) : null,
    bad: verdict === 'passed' ? null : extendStreak(before.bad, at),
    missedDue: false,
  };
  if (verdict === 'passed') return recover(state, at, isMuted);
  // An improvement needs no threshold.
  if (verdict === 'degraded' && state.level === 'failing')
    return changeLevel(state, 'degraded', at, escalation, isMuted);
  return silence === 'none' ? escalateLevel(state, at, escalation) : { state, alerts: [] };
}

/** Applies a run in a maintenance window: a passed run ends the streak of bad runs, nothing else counts. */
function applyRunInWindow(state: EscalationState, verdict: RunVerdict): Step {
  if (verdict !== 'passed') return { state, alerts: [] };
  return { state: state.level === 'well' ? HEALTHY : { ...state, failed: null, bad: null }, alerts: [] };
}

function applyDueTime(state: EscalationState, at: number, escalation: Escalation): Step {
  const due = nextEscalationAt(state, escalation);
  if (due !== null && due <= at) {
    const worse = escalateLevel(state, at, escalation);
    if (worse.alerts.length > 0) return worse;
  }
  const reminder = nextReminderAt(state, escalation);
  if (reminder === null || reminder > at || state.level === 'well') return { state, alerts: [] };
  const kind = state.level === 'failing' ? 'ALERT_FAILURE_REMAIN' : 'ALERT_DEGRADED_REMAIN';
  return {
    state: {
      ...state,
      remindAt: at + escalation.reminders.intervalMs,
      reminders: state.reminders + 1,
    },
    alerts: [createAlert(state, kind, at, false)],
  };
}

/** Alerts of a worse level once its streak reaches the threshold. */
function escalateLevel(state: EscalationState, at: number, escalation: Escalation): Step {
  const reached = (streak: Streak | null): boolean =>
    streak !== null &&
    ('runs' in escalation.by ? streak.runs >= escalation.by.runs : at - streak.since >= escalation.by.ms);
  if (state.last === 'failed' && state.level !== 'failing' && reached(state.failed)) {
    return changeLevel(state, 'failing', at, escalation, false);
  }
  if (state.last === 'degraded' && state.level === 'well' && reached(state.bad)) {
    return changeLevel(state, 'degraded', at, escalation, false);
  }
  return { state, alerts: [] };
}

function changeLevel(
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
  return { state, alerts: [createAlert(state, kinds[level][before.level], at, isSilent)] };
}

function recover(state: EscalationState, at: number, isSilent: boolean): Step {
  if (state.level === 'well') return { state: HEALTHY, alerts: [] };
  const kind = state.level === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY';
  return { state: HEALTHY, alerts: [createAlert(state, kind, at, isSilent)] };
}

function createAlert(state: EscalationState, kind: AlertKind, at: number, isSilent: boolean): Alert {
  return { kind, at, since: state.since ?? at, isSilent, hasFailed: state.hasFailed };
}

/** Skips a silenced due time: an escalation waits for the next run, a reminder for its next interval. */
function skipDueTime(
  before: EscalationState,
  at: number,
  escalation: Escalation,
  silence: Exclude<Silence, 'none'>,
): EscalationState {
  // Muted and inactive checks have nothing due until the next run.
  if (silence === 'muted' || silence === 'inactive') return { ...before, missedDue: true, dueAt: null };
  const due = nextEscalationAt(before, escalation);
  const { remindAt } = before;
  const state: EscalationState = {
    ...before,
    missedDue: before.missedDue || (due !== null && due <= at),
    remindAt: remindAt !== null && remindAt <= at ? at + escalation.reminders.intervalMs : remindAt,
  };
  return withDueTime({ state, alerts: [] }, escalation).state;
}

function nextReminderAt({ remindAt, reminders }: EscalationState, escalation: Escalation): number | null {
  const { amount } = escalation.reminders;
  return amount < NO_LIMIT && reminders >= amount ? null : remindAt;
}

function nextEscalationAt(state: EscalationState, { by }: Escalation): number | null {
  const { level, last, failed, bad, missedDue } = state;
  if ('runs' in by || missedDue) return null;
  if (last === 'failed' && level !== 'failing' && failed !== null) return failed.since + by.ms;
  if (last === 'degraded' && level === 'well' && bad !== null) return bad.since + by.ms;
  return null;
}

function withDueTime({ state, alerts }: Step, escalation: Escalation): Step {
  const instants = [nextEscalationAt(state, escalation), nextReminderAt(state, escalation)];
  const due = instants.filter((instant) => instant !== null);
  return { state: { ...state, dueAt: due.length === 0 ? null : Math.min(...due) }, alerts };
}

/** The flags of a final result. */
export interface RunOutcomeFlags {
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly isDegraded: boolean;
  readonly isCancelled: boolean;
}

/** Share of locations that must fail in a parallel run. */
export interface ParallelThreshold {
  readonly enabled: boolean;
  /** 10, 20 … 100. */
  readonly percentage: number;
}

/**
 * Returns the verdict of a run over a number of locations; undefined if it was cancelled, or if locations with a
 * monitor error could change it.
 */
export function evaluateVerdict(
  results: readonly RunOutcomeFlags[],
  locations: number,
  { enabled, percentage }: ParallelThreshold,
): RunVerdict | undefined {
  const known = results.filter(({ hasErrors, isCancelled }) => !hasErrors && !isCancelled);
  const failed = known.filter(({ hasFailures }) => hasFailures).length;
  const unknown = Math.max(0, locations - known.length);
  const needed = enabled ? Math.max(1, Math.ceil((percentage * locations) / 100)) : 1;
  if (failed >= needed) return 'failed';
  if (known.length === 0 || failed + unknown >= needed) return undefined;
  return known.some(({ isDegraded, hasFailures }) => isDegraded && !hasFailures) ? 'degraded' : 'passed';
}
