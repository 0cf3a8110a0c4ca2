/** What a report tells, as plain data: every text cleaned and bounded, every session with what it counts as. */
import { EXIT } from '../../base/exits.ts';
import { sanitizeLine } from '../../terminal/index.ts';
import type { Row } from '../format/rows.ts';
import { durationOf, statusOf, tookOf } from '../format/session.ts';
import type { Counts, ToldSuite } from '../format/suite.ts';
import type { Told } from '../snapshot.ts';
import type { GateOutcome } from '../wait/gate.ts';

/**
 * What a session counts as. `failed` was seen to end badly; `error` has no verdict or a cancelled one; `skipped` was no
 * longer waited for after another's bad verdict.
 */
export type Standing = 'failed' | 'error' | 'skipped' | 'good';

/** A result, or what stands for one where there is none. */
export interface ResultFacts {
  readonly id: string | null;
  readonly name: string | null;
  readonly location: string | null;
  /** The API's word, or NOT_FOUND, REFUSED, UNKNOWN. */
  readonly result: string;
  /** Whether it keeps the gate from being green. */
  readonly isBad: boolean;
  readonly error: string | null;
  /** Milliseconds. */
  readonly responseTime: number | null;
  readonly link: string | null;
  /** Of a suite: its tests, and how many came to what; null: it is none. */
  readonly suite: { readonly counts: Counts; readonly tests: readonly TestFacts[] } | null;
}

/** One test of a suite. */
export interface TestFacts {
  readonly title: string;
  readonly status: string;
  /** Milliseconds. */
  readonly took: number | null;
  /** What went wrong, line by line; empty where nothing did. */
  readonly error: readonly string[];
}

export interface SessionFacts {
  readonly id: string;
  readonly name: string | null;
  readonly checkId: string | null;
  readonly status: string;
  /** How it was seen to end; null where it was not. */
  readonly verdict: string | null;
  readonly standing: Standing;
  /** Why there is no verdict. */
  readonly error: string | null;
  readonly startedAt: string | null;
  /** Milliseconds. */
  readonly timeElapsed: number | null;
  readonly link: string | null;
  readonly results: readonly ResultFacts[];
}

export interface Facts {
  readonly version: string;
  readonly noun: string;
  readonly isOver: boolean;
  readonly exitCode: number;
  /** `passed` for exit code 0 and nothing else. */
  readonly verdict: 'passed' | 'failed' | 'cancelled' | 'unknown';
  readonly sentence: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly tookMs: number;
  /** What went wrong first, else in the order given. */
  readonly sessions: readonly SessionFacts[];
  readonly unstarted: readonly string[];
}

/** How long texts may be, in UTF-16 units. */
const NAME = 200;
const WORD = 100;
const MESSAGE = 1000;
const LINK = 1000;
/** Of what a test of a suite says. */
const MOST_LINES = 30;

/** A foreign text as one line of at most so many units, without what could drive or deceive its reader. */
function clip(text: string, most: number): string {
  // Cut before it is cleaned, too: nobody needs megabytes to be searched.
  const line = sanitizeLine(text.slice(0, 8 * most)).trim();
  if (line.length <= most && text.length <= 8 * most) return line;
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

type Hide = (text: string) => string;

/** The cleaning of one report: `hide` takes keys out. */
function cleaner(hide: Hide) {
  const line = (text: unknown, most: number): string | null => {
    const clean = typeof text === 'string' ? clip(hide(text), most) : '';
    return clean === '' ? null : clean;
  };
  /** Only what a browser may open without a thought. */
  const link = (text: unknown): string | null => {
    if (typeof text !== 'string' || !URL.canParse(text)) return null;
    const { protocol, username, password, href } = new URL(text);
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
    return isPlain && href.length <= LINK && hide(href) === href ? href : null;
  };
  return { line, link };
}
type Cleaner = ReturnType<typeof cleaner>;

const instantOf = (value: unknown): string | null => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};

function standingOf({ outcome, exitCode }: GateOutcome, isBrokenOff: boolean): Standing {
  if (exitCode === 0) return 'good';
  if (outcome.kind === 'ended') return outcome.verdict === 'cancelled' ? 'error' : 'failed';
  return outcome.kind === 'left' && !isBrokenOff ? 'skipped' : 'error';
}

/** Why a session has no verdict; undefined where it has one. */
function whyNone({ outcome }: GateOutcome, isBrokenOff: boolean): string | undefined {
  switch (outcome.kind) {
    case 'ended':
      return undefined;
    case 'refused':
      return outcome.error.message;
    case 'fault':
      return `unreachable at the deadline; the verdict is unknown: ${outcome.error.message}`;
    case 'deadline':
      return 'still running at the deadline; the verdict is unknown';
    case 'left':
      return isBrokenOff
        ? 'the gate was interrupted; the verdict is unknown'
        : 'not awaited after the first failure';
    default:
      return outcome satisfies never;
  }
}

function resultFacts(row: Row, { line, link }: Cleaner): ResultFacts {
  return {
    id: line(row.resultId, WORD),
    name: line(row.name, NAME),
    location: line(row.runLocation, WORD),
    result: line(row.result, WORD) ?? 'UNKNOWN',
    isBad: row.isBad,
    error: line(row.error, MESSAGE),
    responseTime: durationOf(row.responseTime) ?? null,
    link: link(row.link),
    suite: row.suite === undefined ? null : suiteFacts(row.suite, line),
  };
}

const suiteFacts = ({ counts, tests }: ToldSuite, line: Cleaner['line']): ResultFacts['suite'] => ({
  counts,
  tests: tests.map(({ title, status, took, error }) => ({
    title: line(title, NAME) ?? 'unnamed test',
    status: line(status, WORD) ?? 'unknown',
    took: took ?? null,
    error: (error ?? '')
      .slice(0, 8 * MESSAGE)
      .split(/\r?\n/)
      .slice(0, MOST_LINES)
      .flatMap((each) => line(each, MESSAGE) ?? []),
  })),
});

/** Whether the row only stands for the session, which the report tells of anyhow. */
const isOfSession = (row: Row): boolean => row.resultId === undefined && row.runLocation === undefined;

function sessionFacts(
  outcome: GateOutcome,
  rows: readonly Row[],
  isBrokenOff: boolean,
  clean: Cleaner,
): SessionFacts {
  const { line, link } = clean;
  const { session, kind } = outcome.outcome;
  const [first] = rows;
  const isOf = rows.find(isOfSession);
  const told = line(whyNone(outcome, isBrokenOff), MESSAGE);
  return {
    id: line(outcome.id, WORD) ?? '',
    name: line(session?.name, NAME) ?? line(first?.name, NAME),
    checkId: line(session?.checkId, WORD),
    status: line(statusOf(outcome), WORD) ?? 'UNKNOWN',
    verdict: outcome.outcome.kind === 'ended' ? outcome.outcome.verdict : null,
    standing: standingOf(outcome, isBrokenOff),
    error: kind === 'ended' ? line(isOf?.error, MESSAGE) : told,
    startedAt: instantOf(session?.startedAt),
    timeElapsed: tookOf(outcome) ?? null,
    link: link(session?.checkSessionLink) ?? link(session?.testSessionLink) ?? link(isOf?.link),
    results: rows.filter((row) => !isOfSession(row)).map((row) => resultFacts(row, clean)),
  };
}

const WORST_FIRST: readonly Standing[] = ['failed', 'error', 'skipped', 'good'];

function verdictOf(exitCode: number): Facts['verdict'] {
  if (exitCode === EXIT.done) return 'passed';
  return exitCode === EXIT.badVerdict ? 'failed' : exitCode === EXIT.cancelled ? 'cancelled' : 'unknown';
}

/** What a report tells of a gate. `hide` takes out of a text what must stand nowhere. */
export function factsOf(told: Told, version: string, hide: Hide): Facts {
  const clean = cleaner(hide);
  const rows = new Map<string, Row[]>();
  for (const row of told.rows) {
    const others = rows.get(row.session);
    if (others) others.push(row);
    else rows.set(row.session, [row]);
  }
  // An id that was given twice is told once, by its worse end.
  const outcomes = new Map<string, GateOutcome>();
  for (const outcome of told.outcomes) {
    const before = outcomes.get(outcome.id);
    if (!before || before.exitCode === 0) outcomes.set(outcome.id, outcome);
  }
  const sessions = [...outcomes.values()].map((outcome) =>
    sessionFacts(outcome, rows.get(outcome.id) ?? [], told.isBrokenOff, clean),
  );
  // The worst of the good, and the best of what failed.
  const rank = ({ standing, verdict }: SessionFacts) =>
    WORST_FIRST.indexOf(standing) + ((verdict === 'degraded') === (standing === 'good') ? 0 : 0.5);
  return {
    version,
    noun: told.kind.noun,
    isOver: told.isOver,
    exitCode: told.exitCode,
    verdict: verdictOf(told.exitCode),
    sentence: clean.line(told.sentence, MESSAGE) ?? `The gate exited with code ${told.exitCode}`,
    startedAt: told.startedAt,
    tookMs: Math.max(0, Math.round(told.tookMs)),
    sessions: sessions.toSorted((one, other) => rank(one) - rank(other)),
    unstarted: told.unstarted.map((id) => clean.line(id, WORD) ?? 'no ID'),
  };
}
