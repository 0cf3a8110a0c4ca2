/** How help is laid out: paragraphs, and rows of two columns under a heading, fitted to the width. */
import type { Styles, Terminal } from '../../terminal/index.ts';

/** A row of help: what is typed, and what it does. */
export type Row = readonly [left: string, right: string];

/** Wider than this, lines are hard to read. */
const MOST_COLUMNS = 110;
/** The part of the width that the left column may take; what is wider gets a line of its own. */
const LEFT_SHARE = 0.4;
/** Where nothing fits on the left, the right column stands this far in. */
const LEAST_LEFT = 4;
/** The right column is never narrower than this. */
const LEAST_RIGHT = 20;

/** Within one of these a line is never broken: it stands for a space. */
const HELD = '\u00a0';
const ENDING = /\u00a0+$/;

/** A text that is not broken between its words. */
const held = (text: string): string => text.replaceAll(' ', HELD);

/** Texts with two spaces between them, none of which is broken. */
export const spaced = (texts: readonly string[]): string => texts.map((text) => held(`${text} `)).join(' ');

/** The columns that help is fitted to. */
export const widthOf = (terminal: Terminal): number =>
  Math.min(terminal.stdoutIsTTY ? terminal.width : 80, MOST_COLUMNS);

/** A heading and its rows. */
export const section = (heading: string, rows: readonly Row[], styles: Styles, width: number): string =>
  `${styles.bold(`${heading}:`)}\n${columns(rows, width)}`;

/** Rows in two columns, indented; what is too wide on the left gets a line of its own. */
export function columns(rows: readonly Row[], width: number): string {
  const most = Math.floor(width * LEFT_SHARE);
  const fitting = rows.map(([typed]) => typed.length).filter((length) => length <= most);
  const left = fitting.length > 0 ? Math.max(...fitting) : LEAST_LEFT;
  const lines = rows.flatMap(([typed, does]) => {
    const [first = '', ...more] = wrap(does, Math.max(LEAST_RIGHT, width - left - 4));
    const indent = ' '.repeat(left + 4);
    const start =
      typed.length <= left ? [`  ${typed.padEnd(left)}  ${first}`] : [`  ${typed}`, `${indent}${first}`];
    return [...start, ...more.map((line) => `${indent}${line}`)];
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** A text broken between words, each line after an indent. */
export const paragraph = (text: string, width: number, indent = 0): string =>
  wrap(text, width - indent)
    .map((line) => ' '.repeat(indent) + line)
    .join('\n');

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(/[ \n]+/)) {
    const line = lines.at(-1) ?? '';
    const joined = line === '' ? word : `${line} ${word}`;
    if (joined.replace(ENDING, '').length <= width || line === '') lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll(HELD, ' ').trimEnd());
}

/** A line that can be typed, with what it does. */
export interface TypedLine {
  readonly line: string;
  readonly does: string;
}

/** Returns a text with a capital at its start. */
export const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Lines as they are typed, each under what it does; never broken, so that they can be copied. */
export const typedLines = (lines: readonly TypedLine[], styles: Styles, width: number): string =>
  lines
    .map(({ line, does }) => {
      const comment = wrap(sentenceCase(does), width - 4).map((part) => `  ${styles.dim(`# ${part}`)}`);
      return [...comment, `  ${line}`].join('\n');
    })
    .join('\n\n');
