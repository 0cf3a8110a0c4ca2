/** Computes the difference between two YAML texts, line by line. */
import { structuredPatch } from 'diff';
import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { sanitizeBlock } from '../../../base/sanitize.ts';
import type { Styles } from '../../../terminal/index.ts';
import { wide } from '../../../terminal/lazy/width.ts';

export interface DiffLine {
  /** `path`: the path of the lines below. `folded`: the number of omitted lines. */
  readonly kind: 'added' | 'removed' | 'same' | 'path' | 'folded';
  /** Without the sign; sanitised. */
  readonly text: string;
  /** The part that differs from the corresponding line, if only a part does. */
  readonly changed?: readonly [from: number, to: number];
}

/** Context lines around a change. */
const CONTEXT = 3;

/** Returns the lines that differ, with context lines and paths. */
export function diffYaml(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: CONTEXT });
  // Parsing costs more than the rest, and most differences begin at the top.
  let finder: ReturnType<typeof pathFinder> | undefined;
  const pathAt = (line: number): string => {
    if (line <= 1) return '';
    finder ??= pathFinder(after);
    return finder(line);
  };
  return hunks.flatMap(({ lines, newStart }, index): DiffLine[] => {
    const path = pathAt(newStart);
    const isTop = path === '' && index === 0;
    return [
      ...(isTop ? [] : [{ kind: 'path', text: path === '' ? '@@' : `@@ ${path} @@` } as const]),
      ...markChanges(lines.filter((line) => !line.startsWith('\\')).map(toLine)),
    ];
  });
}

function toLine(line: string): DiffLine {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: sanitizeBlock(line.slice(1)) };
}

/** Returns a function that finds the path around a line: `cards[0].services`; empty at the top level. */
function pathFinder(text: string): (line: number) => string {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const entries: { readonly line: number; readonly around: string; readonly path: string }[] = [];
  const visit = (node: unknown, path: string): void => {
    if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const own = `${path}[${index}]`;
        note(item, path, own);
        visit(item, own);
      }
    } else if (isMap(node)) {
      for (const pair of node.items) {
        if (!isPair(pair) || !isScalar(pair.key)) continue;
        const own = path === '' ? String(pair.key.value) : `${path}.${pair.key.value}`;
        note(pair.key, path, own);
        visit(pair.value, own);
      }
    }
  };
  const note = (node: unknown, around: string, path: string): void => {
    const start = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0];
    if (start !== undefined) entries.push({ line: counter.linePos(start).line, around, path });
  };
  visit(document.contents, '');
  return (line) => {
    const here = entries.find((place) => place.line === line);
    // No node begins inside a multi-line text: the path is that of the text.
    return sanitizeBlock(here ? here.around : (entries.findLast((place) => place.line < line)?.path ?? ''));
  };
}

/** Marks the changed part of corresponding lines, if most of the value is unchanged. */
function markChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const result = [...lines];
  for (let start = 0; start < lines.length; ) {
    const removed = runLength(lines, start, 'removed');
    const added = runLength(lines, start + removed, 'added');
    const middle = start + removed;
    const free = new Set(Array.from({ length: added }, (_, index) => middle + index));
    for (let index = start; index < middle; index++) {
      const old = lines[index];
      const match =
        old &&
        [...free].find((at) => isReplacement(old, lines[at], removed === added && at - index === removed));
      const fresh = match === undefined ? undefined : lines[match];
      if (!old || !fresh || match === undefined) continue;
      free.delete(match);
      const marks = changedParts(old.text, fresh.text);
      if (!marks) continue;
      result[index] = { ...old, changed: marks[0] };
      result[match] = { ...fresh, changed: marks[1] };
    }
    start += Math.max(1, removed + added);
  }
  return result;
}

/** Whether a line replaces another: both have the same key, or are at the same position of a text. */
function isReplacement(old: DiffLine, fresh: DiffLine | undefined, isOpposite: boolean): boolean {
  if (!fresh) return false;
  const [one, other] = [old, fresh].map(({ text }) => KEY.exec(text)?.[0]);
  return one === other && (isOpposite || (one ?? '').trimEnd().endsWith(':'));
}

function runLength(lines: readonly DiffLine[], start: number, kind: DiffLine['kind']): number {
  let length = 0;
  while (lines[start + length]?.kind === kind) length += 1;
  return length;
}

const KEY = /^ *(?:- )*(?:[\w-]+: ?)?/;
const WORD_OR_MARK = /[\p{L}\p{N}_]+|[\s\S]/gu;
const CHARACTER = /[\s\S]/gu;
/** Longer lines always get a mark, however much of them changed. */
const LONG_LINE = 300;

type Part = readonly [from: number, to: number];

/** Returns the parts that differ: whole words, or characters in a long line. Undefined: too little of a short line is equal. */
function changedParts(old: string, fresh: string): readonly [Part, Part] | undefined {
  const isLong = Math.max(old.length, fresh.length) > LONG_LINE;
  const [one, other] = [old, fresh].map((text) => text.match(isLong ? CHARACTER : WORD_OR_MARK) ?? []);
  if (!one || !other) return undefined;
  let head = 0;
  while (head < Math.min(one.length, other.length) && one[head] === other[head]) head += 1;
  let tail = 0;
  const most = Math.min(one.length, other.length) - head;
  while (tail < most && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const lengthOf = (words: readonly string[]) => words.reduce((sum, word) => sum + word.length, 0);
  const from = lengthOf(one.slice(0, head));
  const end = lengthOf(one.slice(one.length - tail));
  const key = KEY.exec(old)?.[0].length ?? 0;
  const unchanged = Math.max(0, from - key) + end;
  if (!isLong && unchanged * 2 < Math.max(old.length, fresh.length) - key) return undefined;
  return [
    [from, old.length - end],
    [from, fresh.length - end],
  ];
}

interface DiffLayout {
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
