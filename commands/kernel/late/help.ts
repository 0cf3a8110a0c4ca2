/** The help of a command: usage, its options in groups, examples, exit codes; fitted to the width. */
import type { Styles, Terminal } from '../../../src/terminal/index.ts';
import { EVERYWHERE, EVERYWHERE_NOTE, everywhereRows } from '../everywhere.ts';
import { paragraph, type Row, section, spaced, typedLines, widthOf } from '../layout.ts';
import { argumentRows, exitRows, flagRow, leadOf, sectionsOf, usageOf } from '../sections.ts';
import { type Flag, type Shape, spelling } from '../shape.ts';
import type { Command } from '../types.ts';

/** The help of a command, as it is printed. */
export async function helpOf(command: Command, shape: Shape, terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = widthOf(terminal);
  const told = (heading: string, rows: readonly Row[]): string[] =>
    rows.length > 0 ? [section(heading, rows, styles, width)] : [];
  const { endpoint } = command;
  const examples = command.examples.map(({ line, does }) => ({ line: `sonde ${line}`, does }));
  return [
    paragraph(leadOf(command), width),
    ...(command.description ? [paragraph(command.description, width)] : []),
    `${styles.bold('Usage:')} ${usageOf(command, shape)}`,
    ...told('Arguments', argumentRows(shape)),
    ...sectionsOf(command, shape).flatMap(({ heading, flags, isAside }) =>
      isAside
        ? [aside(heading, flags, styles, width)]
        : told(
            heading,
            flags.map((flag) => flagRow(flag, 'short')),
          ),
    ),
    `${section(EVERYWHERE, everywhereRows(), styles, width)}\n${styles.dim(paragraph(EVERYWHERE_NOTE, width, 2))}`,
    `${section('Exit codes', exitRows(command), styles, width)}\n${styles.dim(paragraph('sonde help exit-codes tells of each.', width, 2))}`,
    `${styles.bold('Examples:')}\n${typedLines(examples, styles, width)}`,
    ...(endpoint ? [styles.dim(paragraph(`Calls ${endpoint.method} ${endpoint.path}.`, width))] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Options that are only named. */
const aside = (heading: string, flags: readonly Flag[], styles: Styles, width: number): string =>
  [
    styles.bold(`${heading}:`),
    paragraph(spaced(flags.map(spelling)), width, 2),
    styles.dim(paragraph('--example tells of each.', width, 2)),
  ].join('\n');
