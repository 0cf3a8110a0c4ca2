/** The help of a command: usage, its options in groups, examples, exit codes; fitted to the width. */
import type { Styles, Terminal } from '../../src/terminal/index.ts';
import { kebab } from './fields.ts';
import { type Flag, type Group, type Shape, spelling, successorOf } from './shape.ts';
import type { Command } from './types.ts';

/** A row of help: what is typed, and what it does. */
export type Row = readonly [left: string, right: string];

const HEADINGS: Readonly<Record<Group, string>> = {
  options: 'Options',
  body: 'Fields',
  query: 'Query',
  input: 'Input',
  output: 'Output',
  global: 'Global options',
};

/** Wider than this, lines are hard to read. */
const MOST_COLUMNS = 110;

/** The help of a command, as it is printed. */
export async function helpOf(command: Command, shape: Shape, terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = Math.min(terminal.stdoutIsTTY ? terminal.width : 80, MOST_COLUMNS);
  const words = wordsOf(shape);
  const groups = (Object.keys(HEADINGS) as Group[]).flatMap((group) => {
    const rows = flagsOf(shape, group).map(flagRow);
    return rows.length > 0 ? [section(HEADINGS[group], rows, styles, width)] : [];
  });
  const [endpoint] = command.endpoint ? [command.endpoint] : [];
  return [
    paragraph(`${command.summary}.${deprecation(command)}`, width),
    ...(command.description ? [paragraph(command.description, width)] : []),
    `${styles.bold('Usage:')} ${usageOf(command, shape)}`,
    ...(words.length > 0
      ? [
          section(
            'Arguments',
            shape.arguments.map(([, { summary }], index): Row => [words[index] ?? '', summary]),
            styles,
            width,
          ),
        ]
      : []),
    ...groups,
    `${styles.bold('Examples:')}\n${command.examples.map(({ line, does }) => `  # ${does}\n  sonde ${line}`).join('\n\n')}`,
    section('Exit codes', exitRows(command), styles, width),
    ...(endpoint ? [styles.dim(paragraph(`Calls ${endpoint.method} ${endpoint.path}.`, width))] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** The arguments as usage names them. */
const wordsOf = (shape: Shape): readonly string[] =>
  shape.arguments.map(([key, { placeholder, required, variadic }]) => {
    const word = `${placeholder ?? kebab(key)}${variadic ? '…' : ''}`;
    return required ? `<${word}>` : `[${word}]`;
  });

/** The line that says how a command is typed. */
export const usageOf = (command: Pick<Command, 'name'>, shape: Shape): string =>
  ['sonde', command.name, ...wordsOf(shape), '[options]'].join(' ');

function deprecation(command: Command): string {
  const instead = command.deprecated ?? successorOf(command, command.endpoint);
  return instead === undefined ? '' : ` Deprecated: use ${instead}.`;
}

const COMMON_EXITS: readonly (readonly [number, string])[] = [
  [0, 'done'],
  [2, 'wrong usage or invalid input; nothing was sent'],
  [3, 'the API refused the request'],
  [4, 'no credentials, or not allowed'],
  [5, 'not found'],
  [6, 'the service could not be reached or kept failing'],
];

function exitRows({ exits = [], endpoint }: Command): Row[] {
  const common = COMMON_EXITS.filter(([code]) => endpoint !== undefined || code === 0 || code === 2);
  const all = new Map([...common, ...exits]);
  return [...all].sort(([a], [b]) => a - b).map(([code, meaning]): Row => [String(code), meaning]);
}

/** The flags of a group: what must be given first, then what the command gave a name of its own, then the rest. */
export function flagsOf(shape: Shape, group: Group): readonly Flag[] {
  const rank = ({ field }: Flag): number => {
    if (!field || field.schema.deprecated) return 2;
    if (field.required && !field.filled) return 0;
    return field.path.length > 1 ? 1 : 2;
  };
  return shape.flags.filter((flag) => flag.group === group).toSorted((a, b) => rank(a) - rank(b));
}

/** A flag with its default, its bounds and what it may be. */
export function flagRow(flag: Flag): Row {
  const { option, field } = flag;
  const notes = [
    ...(option.deprecated === undefined
      ? []
      : [`deprecated${option.deprecated ? `: use --${kebab(option.deprecated)}` : ''}`]),
    ...(field?.required && !field.filled ? ['required'] : []),
    ...(option.allowed && !option.placeholder?.includes('|') ? [`one of ${option.allowed.join(', ')}`] : []),
    ...boundsOf(flag),
    ...(option.standard === undefined ? [] : [`default ${option.standard}`]),
  ];
  const own = flag.flag === field?.flag ? notes : [];
  return [spelling(flag), `${option.summary}${own.length > 0 ? ` (${own.join('; ')})` : standardNote(flag)}`];
}

const standardNote = ({ option, field }: Flag): string =>
  field || option.standard === undefined ? '' : ` (default ${option.standard})`;

function boundsOf({ field }: Flag): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems } = field?.schema ?? {};
  const unit = field?.schema['x-unit'] ? ` ${field.schema['x-unit']}` : '';
  return [
    ...range(minimum, maximum, unit),
    ...(minLength === undefined && maxLength === undefined ? [] : range(minLength, maxLength, ' characters')),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ];
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from !== undefined && to !== undefined) return [`${from} to ${to}${unit}`];
  if (from !== undefined) return [`at least ${from}${unit}`];
  return to === undefined ? [] : [`at most ${to}${unit}`];
}

/** A heading and its rows in two columns; what is too wide on the left gets a line of its own. */
export function section(heading: string, rows: readonly Row[], styles: Styles, width: number): string {
  const widest = Math.max(...rows.map(([left]) => left.length));
  const left = Math.min(widest, Math.floor(width * 0.4));
  const lines = rows.flatMap(([typed, does]) => {
    const wrapped = wrap(does, Math.max(20, width - left - 4));
    const [first = '', ...more] = wrapped;
    const indent = ' '.repeat(left + 4);
    const start =
      typed.length <= left ? [`  ${typed.padEnd(left)}  ${first}`] : [`  ${typed}`, `${indent}${first}`];
    return [...start, ...more.map((line) => `${indent}${line}`)];
  });
  return `${styles.bold(`${heading}:`)}\n${lines.map((line) => line.trimEnd()).join('\n')}`;
}

/** A text broken between words. */
export const paragraph = (text: string, width: number): string => wrap(text, width).join('\n');

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    const joined = line === '' ? word : `${line} ${word}`;
    if (joined.length <= width || line === '') lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
