/** Formats the help of a command: usage and examples first, then its flags in groups. */
import type { Styles, Terminal } from '../../../terminal/index.ts';
import { type CommandSpec, type Flag, formatFlag } from '../command-spec.ts';
import {
  formatExamples,
  formatParagraph,
  formatSection,
  helpWidth,
  joinUnbroken,
  type Row,
} from '../help-layout.ts';
import {
  argumentRows,
  exitRows,
  flagRow,
  formatLead,
  formatUsage,
  helpSectionsOf,
} from '../help-sections.ts';
import type { Command } from '../types.ts';

/** The maximum number of examples; the man page has all. */
const MAX_EXAMPLES = 3;

/** The line that points to the global flags. */
const GLOBAL_FLAGS_HINT = 'Global flags, such as --json, --profile and --yes: sonde help options';

/** Returns the help of a command. */
export async function formatCommandHelp(
  command: Command,
  spec: CommandSpec,
  terminal: Terminal,
): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = helpWidth(terminal);
  const rows = (heading: string, each: readonly Row[]): string[] =>
    each.length > 0 ? [formatSection(heading, each, styles, width)] : [];
  const { endpoint, exits = [] } = command;
  const examples = command.examples
    .slice(0, MAX_EXAMPLES)
    .map(({ line, does }) => ({ line: `sonde ${line}`, does }));
  const last = [
    GLOBAL_FLAGS_HINT,
    ...(exits.length > 0 ? [] : ['Exit codes: sonde help exit-codes']),
    ...(endpoint ? [`Calls ${endpoint.method} ${endpoint.path}.`] : []),
  ];
  return [
    formatParagraph(formatLead(command), width),
    `${styles.bold('Usage:')} ${formatUsage(command, spec)}`,
    ...(examples.length > 0
      ? [`${styles.bold('Examples:')}\n${formatExamples(examples, styles, width)}`]
      : []),
    ...(command.description ? [formatParagraph(command.description, width)] : []),
    ...rows('Arguments', argumentRows(spec)),
    ...helpSectionsOf(command, spec).flatMap(({ heading, flags, isNamesOnly }) =>
      isNamesOnly
        ? [formatNamesOnly(heading, flags, styles, width)]
        : rows(
            heading,
            flags.map((flag) => flagRow(flag, 'short')),
          ),
    ),
    ...rows('Exit codes (all: sonde help exit-codes)', exits.length > 0 ? exitRows({ exits }) : []),
    last.map((line) => styles.dim(formatParagraph(line, width))).join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Formats flags by name only. */
const formatNamesOnly = (heading: string, flags: readonly Flag[], styles: Styles, width: number): string =>
  [
    styles.bold(`${heading}:`),
    formatParagraph(joinUnbroken(flags.map(formatFlag)), width, 2),
    styles.dim(formatParagraph('For details, see --example or the man page.', width, 2)),
  ].join('\n');
