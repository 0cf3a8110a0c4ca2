/** What a person watches while the gate waits: a line a session, what looks bad first, and the others counted. */
import { shortId } from '../../base/short-id.ts';
import {
  type Cell,
  duration,
  type LiveCanvas,
  type LiveLine,
  layoutRows,
  paint,
  statusTone,
  type TableColumn,
  type Tone,
} from '../../terminal/index.ts';
import { locationsText } from '../format/lines.ts';
import { afterState, reasonOf } from '../format/reason.ts';
import { statusOf, tookOf } from '../format/session.ts';
import { outlookOf, type Watched } from '../format/watched.ts';
import { firstLine, shortName } from '../text.ts';
import { survey } from './survey.ts';

/** However large the window is, nobody reads more at a glance. */
const MOST_LINES = 20;
/** Rows of the window that are left to what was said above. */
const SPARE_ROWS = 4;
/** A mark and the blank after it. */
const MARK = 2;

const column = (heading: string, priority: number, more: Partial<TableColumn> = {}): TableColumn => ({
  ...{ heading, priority, kind: undefined, align: 'left', minWidth: 12 },
  ...more,
});
/** The mark tells the state, too, so that in a narrow window the name stays to the last. */
const COLUMNS: readonly TableColumn[] = [
  column('name', 100, { minWidth: 28 }),
  column('id', 20, { kind: 'id' }),
  column('state', 90, { kind: 'status' }),
  column('detail', 40, { minWidth: 16 }),
  column('elapsed', 60, { kind: 'duration', align: 'right' }),
];

/** Whole seconds, so that it moves once a second. */
const seconds = (ms: number): string => (ms < 1000 ? '0s' : duration(Math.floor(ms / 1000) * 1000));

/** All cells of a session's line but the last. They change only when something is known anew. */
function cellsOf(id: string, watched: Watched): readonly Cell[] {
  const { outcome, session } = watched;
  const name = typeof session?.name === 'string' ? shortName(session.name) || undefined : undefined;
  const state = outcome ? statusOf(outcome) : (session?.status ?? 'waiting');
  const reason = reasonOf(watched);
  // The reason first: where there is little room it is what must be read.
  const parts = [reason && afterState(state, reason), outcome ? '' : locationsText(session)];
  return [
    { text: name ?? firstLine(id) ?? '', tone: undefined },
    { text: name === undefined ? '' : `(${shortId(id)})`, tone: 'faint' },
    { text: firstLine(state) ?? '', tone: statusTone(state) ?? (outcome ? 'bad' : 'faint') },
    { text: parts.filter(Boolean).join(', '), tone: 'faint' },
  ];
}

function elapsedText({ outcome }: Watched, waitedMs: number): string {
  if (!outcome) return seconds(waitedMs);
  const elapsed = tookOf(outcome);
  return elapsed === undefined ? '' : duration(elapsed);
}

const MARKS: Readonly<Record<'bad' | 'doubtful', readonly [string, Tone]>> = {
  bad: ['✗', 'bad'],
  doubtful: ['!', 'poor'],
};

/** Draws the sessions as they are after `waitedMs` of waiting. */
export type GateView = (
  watched: ReadonlyMap<string, Watched>,
  waitedMs: number,
  canvas: LiveCanvas,
) => readonly LiveLine[];

/** Makes a view that remembers what it made of the sessions that it showed, so that ten drawings a second cost little. */
export function createView(): GateView {
  const made = new WeakMap<Watched, readonly Cell[]>();
  const cells = (id: string, watched: Watched): readonly Cell[] => {
    const known = made.get(watched) ?? cellsOf(id, watched);
    made.set(watched, known);
    return known;
  };
  return (watched, waitedMs, canvas) => {
    const { turning, styles, measure } = canvas;
    const most = Math.max(1, Math.min(MOST_LINES, canvas.rows - SPARE_ROWS));
    const all = survey(watched, most);
    // The line that counts the others takes the place of one session.
    const { told, others } = all.others.length === 0 ? all : survey(watched, most - 1);
    const width = canvas.width - MARK;
    const rows = told.map(([id, each]) => [
      ...cells(id, each),
      { text: elapsedText(each, waitedMs), tone: 'faint' as const },
    ]);
    const texts = layoutRows(COLUMNS, rows, { ...canvas, width, from: MARK });
    const goesOn = paint(turning, 'busy', styles);
    const lines = told.map(([, each], index): LiveLine => {
      const outlook = outlookOf(each);
      const [mark, tone] = outlook === 'bad' || outlook === 'doubtful' ? MARKS[outlook] : [];
      return { mark: mark ? paint(mark, tone, styles) : goesOn, text: texts[index] ?? '' };
    });
    if (others.length === 0) return lines;
    return [...lines, { mark: goesOn, text: paint(measure.cut(others.join(', '), width), 'faint', styles) }];
  };
}
