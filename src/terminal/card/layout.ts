/** Lays out a card for people, fitted to the width and sanitised. */

import { sanitizeBlock, sanitizeLine } from '../../base/sanitize.ts';
import { type Canvas, type CellOptions, GAP, toCell, toTableColumn } from '../cells.ts';
import { columnHeading, EMPTY_VALUE, truncateValue } from '../columns.ts';
import { fold } from '../fold.ts';
import { type Entry, layoutEntries, layoutTable, MAX_LINE_WIDTH } from '../lazy/table.ts';
import { MARKS, paint, statusTone } from '../tone.ts';
import type { Branch, Card, CopyLine, Fact, Section, Title } from './card.ts';

export interface CardCanvas extends Canvas {
  /** With `plain`, no lines and no marks are drawn. */
  readonly options: CellOptions;
}

/** Returns the lines of a card. */
export function layoutCard({ title, sections }: Card, canvas: CardCanvas): readonly string[] {
  // Values of hidden columns can be shown below their table.
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
        section.columns.map(({ kind }, index) => toCell(row[index], kind, 'list', canvas.options)),
      );
      const { lines, hidden } = layoutTable(section.columns.map(toTableColumn), rows, canvas);
      for (const column of section.columns.map(columnHeading))
        if (!hidden.includes(column)) shown.add(column);
      return lines;
    }
    case 'tree':
      return layoutTree(section.branches, canvas);
    case 'text': {
      const lines = foldProse(truncateValue(sanitizeBlock(section.text).trim()), canvas.width, canvas);
      if (lines.every((line) => line === '')) return [];
      return lines.map((line) => (line === '' ? '' : paint(line, section.tone, canvas.styles)));
    }
    case 'pointers':
      return layoutPointers(
        section.pointers.filter(({ unlessColumn }) => unlessColumn === undefined || !shown.has(unlessColumn)),
        canvas,
      );
    default:
      return section satisfies never;
  }
}

const foldProse = (text: string, room: number, { measure }: CardCanvas): readonly string[] =>
  room === Number.POSITIVE_INFINITY
    ? text.split('\n')
    : fold(text.replaceAll('\t', '    '), Math.min(room, MAX_LINE_WIDTH), { ...measure, breaksAll: false });

/** An answer may lack a text that the contract has. */
const toOneLine = (text: string | null | undefined): string => truncateValue(sanitizeLine(text ?? '').trim());

/** The states in the API are much shorter. */
const MAX_STATE_WIDTH = 24;

function layoutTitle({ text, state, tone, aside }: Title, canvas: CardCanvas): readonly string[] {
  const { measure, styles, options: showing } = canvas;
  const stateText = measure.cut(toOneLine(state ?? ''), MAX_STATE_WIDTH);
  const stateTone = tone ?? statusTone(state);
  const mark = stateTone === undefined || showing.plain ? '' : `${MARKS[stateTone]} `;
  const lead = stateText === '' ? '' : `${mark}${stateText}${GAP}`;
  const indent = measure.width(lead);
  const lines = layoutWithAside({ text, aside }, canvas.width - indent, canvas, styles.bold);
  const styledLead = lead === '' ? '' : styles.bold(paint(lead.trimEnd(), stateTone, styles));
  const [first = '', ...rest] = lines;
  const start = lead === '' || first === '' ? styledLead + first : styledLead + GAP + first;
  return [start, ...rest.map((line) => ' '.repeat(indent) + line)];
}

/** Returns a text followed by a dimmed aside, which is below it if there is no room. */
function layoutWithAside(
  { text, aside }: { readonly text: string; readonly aside?: string | undefined },
  room: number,
  canvas: CardCanvas,
  style: (text: string) => string,
): readonly string[] {
  const { measure, styles } = canvas;
  const lines = foldProse(toOneLine(text), room, canvas);
  const styled = lines.map((line) => (line === '' ? '' : style(line)));
  const asideText = toOneLine(aside ?? '');
  if (asideText === '') return styled;
  const last = lines.at(-1) ?? '';
  return measure.width(last) + GAP.length + measure.width(asideText) <= room
    ? [...styled.slice(0, -1), `${styled.at(-1)}${last === '' ? '' : GAP}${styles.dim(asideText)}`]
    : [...styled, ...foldProse(asideText, room, canvas).map((line) => styles.dim(line))];
}

function layoutFacts(items: readonly Fact[], canvas: CardCanvas): readonly string[] {
  const entries = items.map(({ label, value, kind, tone }): Entry => {
    const cell = toCell(value, kind, 'item', canvas.options);
    return { label: sanitizeLine(label), kind, ...cell, tone: tone ?? cell.tone };
  });
  return layoutEntries(entries, canvas);
}

/** The prefix of a branch, and the prefix of its further lines and its own branches. */
interface BranchLines {
  readonly branch: string;
  readonly after: string;
}
const BOX_LINES: readonly [among: BranchLines, last: BranchLines] = [
  { branch: '├─ ', after: '│  ' },
  { branch: '└─ ', after: '   ' },
];
const PLAIN_LINES: BranchLines = { branch: '  ', after: '  ' };

function layoutTree(branches: readonly Branch[], canvas: CardCanvas, before = ''): readonly string[] {
  return branches.flatMap((branch, index) => {
    const isLast = index === branches.length - 1;
    const treeLines = canvas.options.plain ? PLAIN_LINES : BOX_LINES[isLast ? 1 : 0];
    const below = before + treeLines.after;
    // Further lines stand beside the line that leads to the branches below.
    const hanging = below + (branch.branches?.length && !canvas.options.plain ? BOX_LINES[0].after : '   ');
    const style = (text: string): string => paint(text, branch.tone, canvas.styles);
    const [first = '', ...rest] = layoutWithAside(
      { ...branch, text: toOneLine(branch.text) || EMPTY_VALUE },
      canvas.width - hanging.length,
      canvas,
      style,
    );
    return [
      before + treeLines.branch + first,
      ...rest.map((line) => hanging + line),
      ...layoutTree(branch.branches ?? [], canvas, below),
    ];
  });
}

/** Returns each label with its line, or all lines below their labels if one does not fit beside its label. */
function layoutPointers(pointers: readonly CopyLine[], canvas: CardCanvas): readonly string[] {
  const { measure, styles, width } = canvas;
  const items = pointers.map(({ label, line }) => ({ label: sanitizeLine(label), line: sanitizeLine(line) }));
  const indent = Math.max(0, ...items.map(({ label }) => measure.width(label)));
  const isNarrow = items.some(({ line }) => indent + GAP.length + measure.width(line) > width);
  return isNarrow
    ? items.flatMap(({ label, line }) => [styles.bold(label), GAP + line])
    : layoutEntries(
        items.map(({ label, line }) => ({ label, text: line, kind: 'id' })),
        canvas,
      );
}
