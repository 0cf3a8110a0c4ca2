/** Lays out help: paragraphs, and rows of two columns under a heading, wrapped to the terminal width. */
import { fold } from '../../terminal/fold.ts';
import type { Styles, Terminal } from '../../terminal/index.ts';

/** A row of help: a flag, argument or command, and its description. */
export type Row = readonly [left: string, right: string];

/** Lines longer than this are hard to read. */
const MAX_WIDTH = 110;
/** The maximum share of the left column; a longer entry gets a separate line. */
const LEFT_SHARE = 0.4;
const MIN_LEFT = 4;
const MIN_RIGHT = 20;

const NO_BREAK_SPACE = '\u00a0';
const TRAILING_SPACES = /\u00a0+$/;

const withoutBreaks = (text: string): string => text.replaceAll(' ', NO_BREAK_SPACE);

/** Joins texts with two spaces, so that no line breaks within a text. */
export const joinUnbroken = (texts: readonly string[]): string =>
  texts.map((text) => withoutBreaks(`${text} `)).join(' ');

/** Returns the width of help in columns. */
export const helpWidth = (terminal: Terminal): number =>
  Math.min(terminal.stdoutIsTTY ? terminal.width : 80, MAX_WIDTH);

/** Formats a heading and its rows. */
export const formatSection = (heading: string, rows: readonly Row[], styles: Styles, width: number): string =>
  `${styles.bold(`${heading}:`)}\n${formatRows(rows, width)}`;

/** Formats rows in two indented columns; a left entry that is too wide gets a separate line. */
export function formatRows(rows: readonly Row[], width: number): string {
  const maxLeft = Math.floor(width * LEFT_SHARE);
  const fitting = rows.map(([typed]) => typed.length).filter((length) => length <= maxLeft);
  const left = fitting.length > 0 ? Math.max(...fitting) : MIN_LEFT;
  const lines = rows.flatMap(([typed, does]) => {
    const [first = '', ...more] = wrap(does, Math.max(MIN_RIGHT, width - left - 4));
    const indent = ' '.repeat(left + 4);
    const start =
      typed.length <= left ? [`  ${typed.padEnd(left)}  ${first}`] : [`  ${typed}`, `${indent}${first}`];
    return [...start, ...more.map((line) => `${indent}${line}`)];
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Wraps a text between words and indents each line. */
export const formatParagraph = (text: string, width: number, indent = 0): string =>
  wrap(text, width - indent)
    .map((line) => ' '.repeat(indent) + line)
    .join('\n');

/** Joins the paragraphs of a page. */
export const joinParagraphs = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;

const MEASURE = {
  width: (text: string) => text.replace(TRAILING_SPACES, '').length,
  letters: (text: string) => text,
  breaksAll: false,
};

const wrap = (text: string, width: number): string[] =>
  fold(text.replaceAll('\n', ' '), width, MEASURE).map((line) =>
    line.replaceAll(NO_BREAK_SPACE, ' ').trimEnd(),
  );

/** A command line with its description. */
export interface ExampleLine {
  readonly line: string;
  readonly does: string;
}

/** Capitalizes the first letter of a text. */
export const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Formats command lines, each below its description; the lines are never wrapped, so that users can copy them. */
export const formatExamples = (lines: readonly ExampleLine[], styles: Styles, width: number): string =>
  lines
    .map(({ line, does }) => {
      const comment = wrap(sentenceCase(does), width - 4).map((part) => `  ${styles.dim(`# ${part}`)}`);
      return [...comment, `  ${line}`].join('\n');
    })
    .join('\n\n');
