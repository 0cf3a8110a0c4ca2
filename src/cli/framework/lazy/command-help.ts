/** The help of a command: usage and examples first, then its flags in groups; fitted to the width. */
import type { Styles, Terminal } from '../../../terminal/index.ts';
import { type Flag, type Shape, spelling } from '../command-spec.ts';
import { GLOBALS_LINE } from '../global-flags-help.ts';
import { paragraph, type Row, section, spaced, typedLines, widthOf } from '../help-layout.ts';
import { argumentRows, exitRows, flagRow, leadOf, sectionsOf, usageOf } from '../help-sections.ts';
import type { Command } from '../types.ts';

/** The maximum number of examples; the man page has them all. */
const MOST_EXAMPLES = 3;

/** The help of a command, as it is printed. */
export async function helpOf(command: Command, shape: Shape, terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = widthOf(terminal);
  const rows = (heading: string, each: readonly Row[]): string[] =>
    each.length > 0 ? [section(heading, each, styles, width)] : [];
  const { endpoint, exits = [] } = command;
  const examples = command.examples
    .slice(0, MOST_EXAMPLES)
    .map(({ line, does }) => ({ line: `sonde ${line}`, does }));
  const last = [
    GLOBALS_LINE,
    ...(exits.length > 0 ? [] : ['Exit codes: sonde help exit-codes']),
    ...(endpoint ? [`Calls ${endpoint.method} ${endpoint.path}.`] : []),
  ];
  return [
    paragraph(leadOf(command), width),
    `${styles.bold('Usage:')} ${usageOf(command, shape)}`,
    ...(examples.length > 0 ? [`${styles.bold('Examples:')}\n${typedLines(examples, styles, width)}`] : []),
    ...(command.description ? [paragraph(command.description, width)] : []),
    ...rows('Arguments', argumentRows(shape)),
    ...sectionsOf(command, shape).flatMap(({ heading, flags, isAside }) =>
      isAside
        ? [aside(heading, flags, styles, width)]
        : rows(
            heading,
            flags.map((flag) => flagRow(flag, 'short')),
          ),
    ),
    ...rows('Exit codes (all: sonde help exit-codes)', exits.length > 0 ? exitRows({ exits }) : []),
    last.map((line) => styles.dim(paragraph(line, width))).join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Flags that are only named. */
const aside = (heading: string, flags: readonly Flag[], styles: Styles, width: number): string =>
  [
    styles.bold(`${heading}:`),
    paragraph(spaced(flags.map(spelling)), width, 2),
    styles.dim(paragraph('For details, see --example or the man page.', width, 2)),
  ].join('\n');
