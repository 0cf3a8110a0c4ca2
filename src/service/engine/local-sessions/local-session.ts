/** Keeps the state of one session in memory: its status, its results and its next attempt. */
import { createWakeSignal, type WakeSignal } from '../../../base/wake-signal.ts';
import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { Report } from '../../../worker/port.ts';
import { NO_LINKS } from '../sessions/capability.ts';
import type { PlannedSession } from '../sessions/plan-session.ts';
import { toStartedSession } from '../sessions/responses.ts';
import { planRetry } from '../sessions/retries.ts';
import { isTerminal, nextStatus, type SessionStatus, verdictOfResult } from '../sessions/states.ts';
import type { CheckSession } from '../sessions/types.ts';

/** A check session as the API shows it. Its results have the fields of raw results, too. */
export type LocalSessionBody = Omit<CheckSession, 'results'> & { readonly results: readonly LocalResult[] };

export type LocalResult = CheckSession['results'][number] & {
  readonly startedAt: string;
  readonly stoppedAt: string;
  readonly responseTime: number | null;
  readonly overMaxResponseTime: boolean;
  readonly attempts: number;
  readonly errors: readonly string[];
  /** Details in the field of the check type, such as `dnsCheckResult`. */
  readonly [details: string]: unknown;
};

/** The next attempt of a session. */
export interface LocalAttempt {
  /** 0 for the first. */
  readonly number: number;
  readonly location: string;
  /** Earliest start, in ms since the epoch. */
  readonly notBefore: number;
  /** Start of the first attempt; undefined for the first. */
  readonly firstStartedAt: number | undefined;
}

export class LocalSession {
  readonly id: string;
  readonly plan: PlannedSession<string>['plan'];
  readonly checkType: string;
  readonly timeoutMs: number;
  readonly changed: WakeSignal = createWakeSignal();
  isCancelled = false;
  readonly #planned: PlannedSession<string>;
  readonly #results: LocalResult[] = [];
  #status: SessionStatus = 'STARTED';
  #stoppedAt: number | null = null;

  constructor(planned: PlannedSession<string>) {
    this.#planned = planned;
    this.id = planned.session.id;
    this.plan = planned.plan;
    this.checkType = planned.session.check_type;
    this.timeoutMs = planned.runs[0]?.timeout_ms ?? 0;
  }

  get name(): string {
    return this.#planned.session.check_name;
  }

  get hasEnded(): boolean {
    return isTerminal(this.#status);
  }

  /** Whether the session waits for others of its group. */
  get isHeld(): boolean {
    return this.#planned.runs[0]?.state === 'HELD';
  }

  get batch(): string | null {
    return this.#planned.session.batch_id;
  }

  firstAttempt(): LocalAttempt {
    const [run] = this.#planned.runs;
    return { number: 0, location: run?.location ?? '', notBefore: 0, firstStartedAt: undefined };
  }

  /** Records the report of an attempt. Returns its retry, or undefined if it was the last; then the session has ended. */
  record(attempt: LocalAttempt, report: Report, id: string, now: number): LocalAttempt | undefined {
    const firstStartedAt = attempt.firstStartedAt ?? report.startedAt;
    const mayRetry =
      !this.isCancelled &&
      !report.isCancelled &&
      report.mayRetry !== false &&
      (report.hasFailures || report.hasErrors);
    const retry = mayRetry
      ? planRetry(
          this.plan.retry,
          { ...report, firstStartedAt, attempt: attempt.number, location: attempt.location, receivedAt: now },
          this.plan.elsewhere,
        )
      : undefined;
    this.#results.push(this.#toResult(attempt, report, id, retry === undefined));
    if (!report.isCancelled) {
      const verdict = verdictOfResult(report);
      this.#status = nextStatus(this.#status, { type: 'reported', final: retry === undefined, verdict });
    }
    if (retry === undefined) this.end(now);
    this.changed.wake();
    return retry && { ...retry, number: attempt.number + 1, firstStartedAt };
  }

  /** Ends the session. Without a result it has failed or was cancelled. */
  end(now: number): void {
    if (this.hasEnded) return;
    this.#status = nextStatus(this.#status, { type: this.isCancelled ? 'cancelled' : 'finished' });
    this.#stoppedAt = now;
    this.changed.wake();
  }

  body(now: number): LocalSessionBody {
    const row = { ...this.#planned.session, status: this.#status, stopped_at: this.#stoppedAt };
    return { ...toStartedSession(row, now, NO_LINKS), results: [...this.#results] };
  }

  #toResult(attempt: LocalAttempt, report: Report, id: string, isFinal: boolean): LocalResult {
    const { check_id: checkId, check_type: checkType } = this.#planned.session;
    const { hasErrors, hasFailures, isDegraded, overMaxResponseTime, isCancelled } = report;
    return {
      checkResultId: id,
      checkId,
      name: this.name,
      checkType: checkType as CheckSession['checkType'],
      runLocation: attempt.location,
      resultType: isFinal ? 'FINAL' : 'ATTEMPT',
      hasErrors,
      hasFailures,
      isDegraded,
      isCancelled,
      aborted: false,
      overMaxResponseTime,
      startedAt: new Date(report.startedAt).toISOString(),
      stoppedAt: new Date(report.stoppedAt).toISOString(),
      responseTime: report.responseTime,
      attempts: attempt.number,
      errors: report.errors,
      ...(isCheckType(checkType) ? { [CHECK_TYPES[checkType].resultField]: report.details } : {}),
    };
  }
}
