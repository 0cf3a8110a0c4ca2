/** Lays out a card for a person: fitted to the width, nothing in it that could drive a terminal. */

import { bounded } from '../bounded.ts';
import { cellOf, headOf, type Showing } from '../cells.ts';
import { heading, NOTHING } from '../columns.ts';
import { type Entry, layoutEntries } from '../entries.ts';
import { fold } from '../fold.ts';
import { sanitizeBlock, sanitizeLine } from '../sanitize.ts';
import { type Canvas, GAP, layoutTable } from '../table.ts';
import { MARKS, paint, statusTone } from '../tone.ts';
import type { Branch, Card, Fact, Pointer, Section, Title } from './card.ts';

export interface CardCanvas extends Canvas {
  /** For whom it is `plain` no lines are drawn, and no marks. */
  readonly showing: Showing;
}

/** The lines of a card. */
export function layoutCard({ title, sections }: Card, canvas: CardCanvas): readonly string[] {
  // What tables had no room for may be told below them.
  const shown = new Set<string>();
  const blocks = sections.map((section) => {
    const lines = layoutSection(section, canvas, shown);
    return section.heading === undefined || lines.length === 0
      ? lines
      : [canvas.styles.bold(sanitizeLine(section.heading)), ...lines];
  });
  return [layoutTitle(title, canvas), ...blocks]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function layoutSection(section: Section, canvas: CardCanvas, shown: Set<string>): readonly string[] {
  switch (section.kind) {
    case 'facts':
      return layoutFacts(section.facts, canvas);
    case 'table': {
      if (section.rows.length === 0) return [];
      const rows = section.rows.map((row) =>
        section.columns.map(({ kind }, index) => cellOf(row[index], kind, 'list', canvas.showing)),
      );
      const { lines, hidden } = layoutTable(section.columns.map(headOf), rows, canvas);
      for (const column of section.columns.map(heading)) if (!hidden.includes(column)) shown.add(column);
      return lines;
    }
    case 'tree':
      return layoutTree(section.branches, canvas);
    case 'text': {
      const lines = foldProse(bounded(sanitizeBlock(section.text).trim()), canvas.width, canvas);
      if (lines.every((line) => line === '')) return [];
      return lines.map((line) => (line === '' ? '' : paint(line, section.tone, canvas.styles)));
    }
    case 'pointers':
      return layoutPointers(
        section.pointers.filter(({ unless }) => unless === undefined || !shown.has(unless)),
        canvas,
      );
    default:
      return section satisfies never;
  }
}

/** Lines that are longer are hard to read, however wide the window is. */
const MOST_COLUMNS = 100;

const foldProse = (text: string, room: number, { measure }: CardCanvas): readonly string[] =>
  room === Number.POSITIVE_INFINITY
    ? text.split('\n')
    : fold(text.replaceAll('\t', '    '), Math.min(room, MOST_COLUMNS), { ...measure, breaksAll: false });

const oneLine = (text: string): string => bounded(sanitizeLine(text).trim());

/** The API's states are far shorter. */
const LONGEST_STATE = 24;

function layoutTitle({ text, state, tone, aside }: Title, canvas: CardCanvas): readonly string[] {
  const { measure, styles, showing } = canvas;
  const word = measure.cut(oneLine(state ?? ''), LONGEST_STATE);
  const meaning = tone ?? statusTone(state);
  const mark = meaning === undefined || showing.plain ? '' : `${MARKS[meaning]} `;
  const lead = word === '' ? '' : `${mark}${word}${GAP}`;
  const indent = measure.width(lead);
  const lines = withAside({ text, aside }, canvas.width - indent, canvas, styles.bold);
  const told = lead === '' ? '' : styles.bold(paint(lead.trimEnd(), meaning, styles));
  const [first = '', ...rest] = lines;
  const start = lead === '' || first === '' ? told + first : told + GAP + first;
  return [start, ...rest.map((line) => ' '.repeat(indent) + line)];
}

/** A text, and faintly behind it what else is to be said; below it where there is no room. */
function withAside(
  { text, aside }: { readonly text: string; readonly aside?: string | undefined },
  room: number,
  canvas: CardCanvas,
  style: (text: string) => string,
): readonly string[] {
  const { measure, styles } = canvas;
  const lines = foldProse(oneLine(text), room, canvas);
  const styled = lines.map((line) => (line === '' ? '' : style(line)));
  const said = oneLine(aside ?? '');
  if (said === '') return styled;
  const last = lines.at(-1) ?? '';
  return measure.width(last) + GAP.length + measure.width(said) <= room
    ? [...styled.slice(0, -1), `${styled.at(-1)}${last === '' ? '' : GAP}${styles.dim(said)}`]
    : [...styled, ...foldProse(said, room, canvas).map((line) => styles.dim(line))];
}

function layoutFacts(its: readonly Fact[], canvas: CardCanvas): readonly string[] {
  const entries = its.map(({ label, value, kind, tone }): Entry => {
    const cell = cellOf(value, kind, 'item', canvas.showing);
    return { label: sanitizeLine(label), kind, ...cell, tone: tone ?? cell.tone };
  });
  return layoutEntries(entries, canvas);
}

/** What stands before a branch, and before what follows it: its further lines, and its own branches. */
interface Twigs {
  readonly branch: string;
  readonly after: string;
}
const DRAWN: readonly [among: Twigs, last: Twigs] = [
  { branch: '├─ ', after: '│  ' },
  { branch: '└─ ', after: '   ' },
];
const PLAIN: Twigs = { branch: '  ', after: '  ' };

function layoutTree(branches: readonly Branch[], canvas: CardCanvas, before = ''): readonly string[] {
  return branches.flatMap((branch, index) => {
    const isLast = index === branches.length - 1;
    const twigs = canvas.showing.plain ? PLAIN : DRAWN[isLast ? 1 : 0];
    const below = before + twigs.after;
    // Further lines stand beside the twigs that lead to the branches below.
    const hanging = below + (branch.branches?.length && !canvas.showing.plain ? DRAWN[0].after : '   ');
    const style = (text: string): string => paint(text, branch.tone, canvas.styles);
    const [first = '', ...rest] = withAside(
      { ...branch, text: oneLine(branch.text) || NOTHING },
      canvas.width - hanging.length,
      canvas,
      style,
    );
    return [
      before + twigs.branch + first,
      ...rest.map((line) => hanging + line),
      ...layoutTree(branch.branches ?? [], canvas, below),
    ];
  });
}

/** A label and a line each; all lines below their labels where one finds no room beside its own. */
function layoutPointers(pointers: readonly Pointer[], canvas: CardCanvas): readonly string[] {
  const { measure, styles, width } = canvas;
  const its = pointers.map(({ label, line }) => ({ label: sanitizeLine(label), line: sanitizeLine(line) }));
  const indent = Math.max(0, ...its.map(({ label }) => measure.width(label)));
  const isNarrow = its.some(({ line }) => indent + GAP.length + measure.width(line) > width);
  return its.flatMap(({ label, line }) =>
    isNarrow
      ? [styles.bold(label), GAP + line]
      : [styles.bold(label) + ' '.repeat(indent - measure.width(label)) + GAP + line],
  );
}
