/** Draws the live view of a gate: one line per session, failures first, and a count of the others. */

import { formatDuration } from '../../base/format-duration.ts';
import { shortId } from '../../base/short-id.ts';
import {
  type Cell,
  type LiveCanvas,
  type LiveLine,
  paint,
  statusTone,
  type TableColumn,
  type Tone,
} from '../../terminal/index.ts';
import { locationsText, outcomeLabel } from '../format/lines.ts';
import { afterState, reasonOf } from '../format/reason.ts';
import { type SessionState, type Severity, severityOf, statusOf, tookOf } from '../format/session.ts';
import { firstLine, shortName } from '../words/text.ts';

/** Maximum number of lines, however large the window is. */
const MOST_LINES = 20;
/** Rows of the window left for earlier output. */
const SPARE_ROWS = 4;
/** Width of a symbol and the space after it. */
const MARK = 2;

const column = (heading: string, priority: number, more: Partial<TableColumn> = {}): TableColumn => ({
  heading,
  priority,
  kind: undefined,
  align: 'left',
  minWidth: 12,
  ...more,
});
/** The symbol also shows the state, so a narrow window drops the name last. */
const COLUMNS: readonly TableColumn[] = [
  column('name', 100, { minWidth: 28 }),
  column('id', 20, { kind: 'id' }),
  column('state', 90, { kind: 'status' }),
  column('detail', 40, { minWidth: 16 }),
  column('elapsed', 60, { kind: 'duration', align: 'right' }),
];

/** Formats whole seconds, so that the text changes once a second. */
const seconds = (ms: number): string => (ms < 1000 ? '0s' : formatDuration(Math.floor(ms / 1000) * 1000));

/** Returns all cells of a line except the elapsed time. They change only with the session. */
function cellsOf(id: string, watched: SessionState): readonly Cell[] {
  const { outcome, session } = watched;
  const name = typeof session?.name === 'string' ? shortName(session.name) || undefined : undefined;
  const state = outcome ? statusOf(outcome) : (session?.status ?? 'waiting');
  const reason = reasonOf(watched);
  // The reason comes first, so that a narrow window shows it.
  const parts = [reason && afterState(state, reason), outcome ? '' : locationsText(session)];
  return [
    { text: name ?? firstLine(id) ?? '', tone: undefined },
    { text: name === undefined ? '' : `(${shortId(id)})`, tone: 'faint' },
    { text: firstLine(state) ?? '', tone: statusTone(state) ?? (outcome ? 'bad' : 'faint') },
    { text: parts.filter(Boolean).join(', '), tone: 'faint' },
  ];
}

function elapsedText({ outcome }: SessionState, waitedMs: number): string {
  if (!outcome) return seconds(waitedMs);
  const elapsed = tookOf(outcome);
  return elapsed === undefined ? '' : formatDuration(elapsed);
}

const MARKS: Readonly<Record<'bad' | 'doubtful', readonly [string, Tone]>> = {
  bad: ['✗', 'bad'],
  doubtful: ['!', 'poor'],
};

/** Draws the sessions after `waitedMs` of waiting. */
export type GateView = (
  watched: ReadonlyMap<string, SessionState>,
  waitedMs: number,
  canvas: LiveCanvas,
) => readonly LiveLine[];

/** Creates a view that lays out its lines only when a text changes, so that ten drawings a second are cheap. */
export function createView(): GateView {
  let lastLayout: { readonly key: string; readonly texts: readonly string[] } | undefined;
  const cache = new WeakMap<SessionState, readonly Cell[]>();
  const cells = (id: string, watched: SessionState): readonly Cell[] => {
    const known = cache.get(watched) ?? cellsOf(id, watched);
    cache.set(watched, known);
    return known;
  };
  return (watched, waitedMs, canvas) => {
    const { spinnerFrame: turning, styles, measure } = canvas;
    const most = Math.max(1, Math.min(MOST_LINES, canvas.rows - SPARE_ROWS));
    const all = selectSessions(watched, most);
    // The line with the counts replaces one session.
    const { shown, others } = all.others.length === 0 ? all : selectSessions(watched, most - 1);
    const width = canvas.width - MARK;
    const rows = shown.map(([id, each]) => [
      ...cells(id, each),
      { text: elapsedText(each, waitedMs), tone: 'faint' as const },
    ]);
    const key = JSON.stringify([width, rows]);
    if (lastLayout?.key !== key) {
      lastLayout = { key, texts: canvas.layoutRows(COLUMNS, rows, { ...canvas, width, startColumn: MARK }) };
    }
    const { texts } = lastLayout;
    const spinner = paint(turning, 'busy', styles);
    const lines = shown.map(([, each], index): LiveLine => {
      const outlook = severityOf(each);
      const [mark, tone] = outlook === 'bad' || outlook === 'doubtful' ? MARKS[outlook] : [];
      return { mark: mark ? paint(mark, tone, styles) : spinner, text: texts[index] ?? '' };
    });
    if (others.length === 0) return lines;
    return [...lines, { mark: spinner, text: paint(measure.cut(others.join(', '), width), 'faint', styles) }];
  };
}

export interface SessionSelection {
  /** The sessions to show, by ID: failed ones first, then running ones, those likely to fail first. */
  readonly shown: readonly (readonly [string, SessionState])[];
  /** Counts of the others: `12 passed`, `3 more failed`, `940 more waiting`. */
  readonly others: readonly string[];
  /** Number of running sessions. */
  readonly left: number;
}

/** Selects at most `most` sessions (at least one). Fast for thousands of sessions. */
export function selectSessions(watched: ReadonlyMap<string, SessionState>, most: number): SessionSelection {
  const picked: Record<Severity, (readonly [string, SessionState])[]> = {
    bad: [],
    doubtful: [],
    running: [],
  };
  const ended = new Map<string, number>();
  let left = 0;
  for (const entry of watched) {
    const [, each] = entry;
    const outlook = severityOf(each);
    if (each.outcome) ended.set(outcomeLabel(each.outcome), (ended.get(outcomeLabel(each.outcome)) ?? 0) + 1);
    else left += 1;
    if (outlook && picked[outlook].length < most) picked[outlook].push(entry);
  }
  const running = [...picked.doubtful, ...picked.running];
  // Reserves a quarter for running sessions, however many have failed.
  const reserved = Math.min(running.length, Math.floor(most / 4));
  const shown = [...picked.bad.slice(0, most - reserved), ...running].slice(0, most);

  let shownLeft = 0;
  const shownEnded = new Map<string, number>();
  for (const [, { outcome }] of shown) {
    if (outcome) shownEnded.set(outcomeLabel(outcome), (shownEnded.get(outcomeLabel(outcome)) ?? 0) + 1);
    else shownLeft += 1;
  }
  const count = (all: number, already: number, word: string): readonly string[] =>
    all > already ? [`${all - already} ${already > 0 ? 'more ' : ''}${word}`] : [];
  const others = [...ended]
    .toSorted(([a], [b]) => GOOD_FIRST.indexOf(b) - GOOD_FIRST.indexOf(a))
    .flatMap(([word, all]) => count(all, shownEnded.get(word) ?? 0, word));
  return { shown, others: [...others, ...count(left, shownLeft, 'waiting')], left };
}

/** Good outcomes come last. */
const GOOD_FIRST = ['degraded', 'passed'];
