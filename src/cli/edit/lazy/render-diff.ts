/** Renders a difference for a terminal, with wrapped lines and limits on its length. */

import { sanitizeBlock } from '../../../base/sanitize.ts';
import type { Styles } from '../../../terminal/index.ts';
import { wide } from '../../../terminal/lazy/width.ts';
import type { DiffLine } from './diff.ts';

export interface DiffLayout {
  /** Columns of the terminal. Undefined: a file or pipe, where nothing is wrapped or omitted. */
  readonly width: number | undefined;
  readonly styles: Styles;
  /** No decoration, for screen readers. */
  readonly plain: boolean;
}

/** The middle of a longer run of one kind is folded; SHOWN_OF_RUN lines remain on each side. */
const MAX_RUN = 30;
const SHOWN_OF_RUN = 10;
const MAX_LINES = 400;
/** A longer line is cut to the characters around its change. */
const MAX_LINE_LENGTH = 600;
const AROUND_CHANGE = 200;

const SIGNS = { added: '+', removed: '-', same: ' ' } as const;
const LABELS = { added: 'added', removed: 'removed', same: 'unchanged' } as const;

/** Returns the text, with a line break after each row. */
export function renderDiff(lines: readonly DiffLine[], window: DiffLayout): string {
  const { width, plain } = window;
  const continuation = plain ? CONTINUED_PLAIN : CONTINUED;
  const shown = width === undefined ? lines : limitLines(foldRuns(lines).map(shorten));
  return shown
    .flatMap((line) =>
      wrap(line, width).map((row, index) => `${style(line, row, index > 0 ? continuation : '', window)}\n`),
    )
    .join('');
}

const foldedLine = (count: number, what: string): DiffLine => ({
  kind: 'folded',
  text: `@@ ${count.toLocaleString('en')} more ${what} @@`,
});

/** Folds the middle of long runs. */
function foldRuns(lines: readonly DiffLine[]): readonly DiffLine[] {
  const result: DiffLine[] = [];
  for (let start = 0; start < lines.length; ) {
    const kind = lines[start]?.kind;
    let end = start + 1;
    while (lines[end]?.kind === kind) end += 1;
    const run = lines.slice(start, end);
    if (run.length <= MAX_RUN || kind === undefined || kind === 'path' || kind === 'folded') {
      result.push(...run);
    } else {
      const count = run.length - 2 * SHOWN_OF_RUN;
      result.push(
        ...run.slice(0, SHOWN_OF_RUN),
        foldedLine(count, `lines ${LABELS[kind]}`),
        ...run.slice(-SHOWN_OF_RUN),
      );
    }
    start = end;
  }
  return result;
}

function limitLines(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), foldedLine(lines.length - MAX_LINES, 'lines of the difference')];
}

/** Cuts a long line to its key and its change. */
function shorten(line: DiffLine): DiffLine {
  const { text, changed } = line;
  if (text.length <= MAX_LINE_LENGTH || line.kind === 'path' || line.kind === 'folded') return line;
  const left = (count: number) => `…(${count.toLocaleString('en')} characters)…`;
  const [from, to] = changed ?? [0, 0];
  const start = changed ? Math.max(0, from - AROUND_CHANGE) : 0;
  const end = Math.min(text.length, start + 2 * AROUND_CHANGE + Math.min(to - from, AROUND_CHANGE));
  const head = start > 0 ? (/^ *(?:- )*(?:[\w-]+: ?)?/.exec(text)?.[0] ?? '').slice(0, start) : '';
  const before = start > head.length ? `${head}${left(start - head.length)}` : head;
  const after = end < text.length ? left(text.length - end) : '';
  const shift = before.length - start;
  return {
    kind: line.kind,
    text: `${before}${sanitizeBlock(text.slice(start, end))}${after}`,
    ...(changed ? { changed: [from + shift, Math.min(to, end) + shift] as const } : {}),
  };
}

interface Row {
  readonly text: string;
  /** The offset in the line. */
  readonly at: number;
}

const graphemes = new Intl.Segmenter();
const TAB = 8;

/** Wraps a line into rows. Continuation rows are marked, so that none looks like a separate line. */
function wrap({ kind, text }: DiffLine, width: number | undefined): readonly Row[] {
  if (width === undefined || kind === 'path' || kind === 'folded') return [{ text, at: 0 }];
  const room = Math.max(20, width - 1);
  if (text.length * 2 <= room) return [{ text, at: 0 }];
  const rows: Row[] = [];
  let [row, used, at] = ['', 0, 0];
  for (const { segment, index } of graphemes.segment(text)) {
    const columns = segment === '\t' ? TAB : wide.width(segment);
    if (used + columns > room - (rows.length > 0 ? CONTINUED.length : 0)) {
      const blank = row.lastIndexOf(' ') + 1;
      // Break between words, unless that leaves most of the row empty.
      const end = blank * 2 > row.length ? blank : row.length;
      rows.push({ text: row.slice(0, end), at });
      row = row.slice(end);
      [used, at] = [wide.width(row), index - row.length];
    }
    row += segment;
    used += columns;
  }
  return [...rows, { text: row, at }];
}

/** The mark after the sign of a continuation row. */
const CONTINUED = '  ↳ ';
const CONTINUED_PLAIN = '    ';

function style(line: DiffLine, { text, at }: Row, goesOn: string, { styles }: DiffLayout): string {
  switch (line.kind) {
    case 'path':
    case 'folded':
      return styles.cyan(text);
    case 'same':
    case 'added':
    case 'removed': {
      const lead = `${SIGNS[line.kind]}${goesOn}`;
      const tone = line.kind === 'same' ? unstyled : line.kind === 'added' ? styles.green : styles.red;
      const [from, to] = (line.changed ?? [0, 0]).map((offset) =>
        Math.min(Math.max(0, offset - at), text.length),
      );
      if (from === undefined || to === undefined || from === to) return tone(`${lead}${text}`);
      const marked = styles.underline(text.slice(from, to));
      return tone(`${lead}${text.slice(0, from)}${marked}${text.slice(to)}`);
    }
    default:
      return line.kind satisfies never;
  }
}

const unstyled = (text: string): string => text;
