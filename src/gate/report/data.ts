/** Builds the data of a report: every text is sanitized and bounded, every session has its outcome. */

import { EXIT } from '../../base/exits.ts';
import { isUrl } from '../../base/parse-url.ts';
import { sanitizeLine } from '../../terminal/index.ts';
import { NO_VERDICT } from '../format/reason.ts';
import type { Row } from '../format/rows.ts';
import { contradictionOf, durationOf, statusOf, tookOf } from '../format/session.ts';
import type { Counts, SuiteSummary } from '../format/suite.ts';
import type { SessionKind } from '../wait/verdict.ts';
import type { GateOutcome } from '../wait/wait-for-sessions.ts';

/**
 * How a session counts. `failed`: it ended with a bad verdict; `error`: it has no verdict or was cancelled; `skipped`: it was
 * not awaited after the bad verdict of another session.
 */
export type SessionOutcome = 'failed' | 'error' | 'skipped' | 'good';

/** A result, or the placeholder for a missing one. */
export interface ResultData {
  readonly id: string | null;
  readonly name: string | null;
  readonly location: string | null;
  /** The status of the API, or NOT_FOUND, REFUSED, UNKNOWN. */
  readonly result: string;
  /** Whether it makes the gate fail. */
  readonly isBad: boolean;
  readonly error: string | null;
  /** Milliseconds. */
  readonly responseTime: number | null;
  readonly link: string | null;
  /** Tests and counts of a suite; null for other results. */
  readonly suite: { readonly counts: Counts; readonly tests: readonly TestData[] } | null;
}

/** One test of a suite. */
export interface TestData {
  readonly title: string;
  readonly status: string;
  /** Milliseconds. */
  readonly took: number | null;
  /** The error line by line; empty without an error. */
  readonly error: readonly string[];
}

export interface SessionData {
  readonly id: string;
  readonly name: string | null;
  readonly checkId: string | null;
  readonly status: string;
  /** The verdict; null without one. */
  readonly verdict: string | null;
  readonly outcome: SessionOutcome;
  /** Why there is no verdict, or the error of the session. */
  readonly error: string | null;
  /** How its results contradict its status; null if they do not. */
  readonly contradiction: string | null;
  readonly startedAt: string | null;
  /** Milliseconds. */
  readonly timeElapsed: number | null;
  readonly link: string | null;
  readonly results: readonly ResultData[];
}

export interface ReportData {
  readonly version: string;
  readonly noun: SessionKind['noun'];
  readonly isOver: boolean;
  readonly exitCode: number;
  /** `passed` for exit code 0 and nothing else. */
  readonly verdict: 'passed' | 'failed' | 'cancelled' | 'unknown';
  readonly sentence: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly tookMs: number;
  /** Failures first, otherwise in the requested order. */
  readonly sessions: readonly SessionData[];
  readonly unstarted: readonly string[];
}

/** Maximum lengths of texts, in UTF-16 units. */
const MAX_NAME = 200;
const MAX_WORD = 100;
const MAX_MESSAGE = 1000;
const MAX_LINK = 1000;
/** Maximum number of error lines of a test. */
const MAX_LINES = 30;

/** Sanitizes a text to one line of at most `most` units. */
function clip(text: string, most: number): string {
  // Cuts the text before sanitizing, too, so that megabytes are not scanned.
  const line = sanitizeLine(text.slice(0, 8 * most)).trim();
  if (line.length <= most && text.length <= 8 * most) return line;
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

type Hide = (text: string) => string;

/** Creates the sanitizers of a report; `hide` removes keys. */
function cleaner(hide: Hide) {
  const line = (text: unknown, most: number): string | null => {
    const clean = typeof text === 'string' ? clip(hide(text), most) : '';
    return clean === '' ? null : clean;
  };
  /** Returns a link only if it is safe to open: http(s), without credentials. */
  const link = (text: unknown): string | null => {
    if (typeof text !== 'string' || !isUrl(text)) return null;
    const { protocol, username, password, href } = new URL(text);
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
    return isPlain && href.length <= MAX_LINK && hide(href) === href ? href : null;
  };
  return { line, link };
}
type Cleaner = ReturnType<typeof cleaner>;

const instantOf = (value: unknown): string | null => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};

function sessionOutcome({ outcome, exitCode }: GateOutcome, isBrokenOff: boolean): SessionOutcome {
  if (exitCode === 0) return 'good';
  if (outcome.kind === 'ended') return outcome.verdict === 'cancelled' ? 'error' : 'failed';
  return outcome.kind === 'left' && !isBrokenOff ? 'skipped' : 'error';
}

/** Returns why a session has no verdict; undefined if it has one. */
function noVerdictReason({ outcome }: GateOutcome, isBrokenOff: boolean): string | undefined {
  switch (outcome.kind) {
    case 'ended':
      return undefined;
    case 'refused':
      return outcome.error.message;
    case 'fault':
      return `unreachable at the deadline; the verdict is unknown: ${outcome.error.message}`;
    case 'deadline':
    case 'unread':
      return `${NO_VERDICT[outcome.kind]}; the verdict is unknown`;
    case 'left':
      return isBrokenOff
        ? 'the gate was interrupted; the verdict is unknown'
        : 'not awaited after the first failure';
    default:
      return outcome satisfies never;
  }
}

function resultData(row: Row, { line, link }: Cleaner): ResultData {
  return {
    id: line(row.resultId, MAX_WORD),
    name: line(row.name, MAX_NAME),
    location: line(row.runLocation, MAX_WORD),
    result: line(row.result, MAX_WORD) ?? 'UNKNOWN',
    isBad: row.isBad,
    error: line(row.error, MAX_MESSAGE),
    responseTime: durationOf(row.responseTime) ?? null,
    link: link(row.link),
    suite: row.suite === undefined ? null : suiteData(row.suite, line),
  };
}

const suiteData = ({ counts, tests }: SuiteSummary, line: Cleaner['line']): ResultData['suite'] => ({
  counts,
  tests: tests.map(({ title, status, took, error }) => ({
    title: line(title, MAX_NAME) ?? 'unnamed test',
    status: line(status, MAX_WORD) ?? 'unknown',
    took: took ?? null,
    error: (error ?? '')
      .slice(0, 8 * MAX_MESSAGE)
      .split(/\r?\n/)
      .slice(0, MAX_LINES)
      .flatMap((each) => line(each, MAX_MESSAGE) ?? []),
  })),
});

/** Whether the row stands for the session itself, which the report contains anyway. */
const isOfSession = (row: Row): boolean => row.resultId === undefined && row.runLocation === undefined;

function sessionData(
  outcome: GateOutcome,
  rows: readonly Row[],
  isBrokenOff: boolean,
  clean: Cleaner,
): SessionData {
  const { line, link } = clean;
  const { session, kind } = outcome.outcome;
  const [first] = rows;
  const isOf = rows.find(isOfSession);
  const reason = line(noVerdictReason(outcome, isBrokenOff), MAX_MESSAGE);
  return {
    id: line(outcome.id, MAX_WORD) ?? '',
    name: line(session?.name, MAX_NAME) ?? line(first?.name, MAX_NAME),
    checkId: line(session?.checkId, MAX_WORD),
    status: line(statusOf(outcome), MAX_WORD) ?? 'UNKNOWN',
    verdict: outcome.outcome.kind === 'ended' ? outcome.outcome.verdict : null,
    outcome: sessionOutcome(outcome, isBrokenOff),
    error: kind === 'ended' ? line(isOf?.error ?? contradictionOf(outcome), MAX_MESSAGE) : reason,
    contradiction: line(contradictionOf(outcome), MAX_MESSAGE),
    startedAt: instantOf(session?.startedAt),
    timeElapsed: tookOf(outcome) ?? null,
    link: link(session?.checkSessionLink) ?? link(session?.testSessionLink) ?? link(isOf?.link),
    results: rows.filter((row) => !isOfSession(row)).map((row) => resultData(row, clean)),
  };
}

const WORST_FIRST: readonly SessionOutcome[] = ['failed', 'error', 'skipped', 'good'];

function verdictOf(exitCode: number): ReportData['verdict'] {
  if (exitCode === EXIT.done) return 'passed';
  return exitCode === EXIT.badVerdict ? 'failed' : exitCode === EXIT.cancelled ? 'cancelled' : 'unknown';
}

/** Returns the data of a report. `hide` removes keys from a text. */
export function reportData(snapshot: GateSnapshot, version: string, hide: Hide): ReportData {
  const clean = cleaner(hide);
  const rows = new Map<string, Row[]>();
  for (const row of snapshot.rows) {
    const others = rows.get(row.session);
    if (others) others.push(row);
    else rows.set(row.session, [row]);
  }
  // A repeated ID appears once, with its worse outcome.
  const outcomes = new Map<string, GateOutcome>();
  for (const outcome of snapshot.outcomes) {
    const before = outcomes.get(outcome.id);
    if (!before || before.exitCode === 0) outcomes.set(outcome.id, outcome);
  }
  const sessions = [...outcomes.values()].map((outcome) =>
    sessionData(outcome, rows.get(outcome.id) ?? [], snapshot.isBrokenOff, clean),
  );
  // A degraded session is the worst of the good ones, and the best of the failed ones.
  const rank = ({ outcome, verdict }: SessionData) =>
    WORST_FIRST.indexOf(outcome) + ((verdict === 'degraded') === (outcome === 'good') ? 0 : 0.5);
  return {
    version,
    noun: snapshot.kind.noun,
    isOver: snapshot.isOver,
    exitCode: snapshot.exitCode,
    verdict: verdictOf(snapshot.exitCode),
    sentence: clean.line(snapshot.sentence, MAX_MESSAGE) ?? `The gate exited with code ${snapshot.exitCode}`,
    startedAt: snapshot.startedAt,
    tookMs: Math.max(0, Math.round(snapshot.tookMs)),
    sessions: sessions.toSorted((one, other) => rank(one) - rank(other)),
    unstarted: snapshot.unstarted.map((id) => clean.line(id, MAX_WORD) ?? 'no ID'),
  };
}

/** A gate that ended, was interrupted, or has not started. */
export interface GateSnapshot {
  readonly kind: SessionKind;
  /** False only in the report written before the start. A gate that is killed leaves that report, never a green one. */
  readonly isOver: boolean;
  /** Whether a signal, a rejected request or a bug ended the gate before its sessions. Outcomes of kind `left` then have no verdict. */
  readonly isBrokenOff: boolean;
  readonly exitCode: number;
  /** One sentence that summarises the gate. */
  readonly sentence: string;
  readonly outcomes: readonly GateOutcome[];
  /** One row per session and location, failures first. */
  readonly rows: readonly Row[];
  /** IDs of checks that should have run and have no session. */
  readonly unstarted: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly tookMs: number;
}
