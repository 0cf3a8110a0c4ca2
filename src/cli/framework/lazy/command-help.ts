/** Formats the help of a command: usage and examples first, then its flags in groups. */
import type { Help, Command as Program } from 'commander';
import type { Styles, Terminal } from '../../../terminal/index.ts';
import { type CommandSpec, type Flag, formatFlag } from '../command-spec.ts';
import {
  formatExamples,
  formatParagraph,
  formatSection,
  helpWidth,
  joinParagraphs,
  joinUnbroken,
  type Row,
} from '../help-layout.ts';
import { argumentRows, exitRows, flagRow, formatLead, helpSectionsOf } from '../help-sections.ts';
import type { Command } from '../types.ts';

/** The maximum number of examples; the man page has all. */
const MAX_EXAMPLES = 3;

/** The line that points to the global flags. */
const GLOBAL_FLAGS_HINT = 'Global flags, such as --json, --profile and --yes: sonde help options';

/** Returns the help of a command, which commander assembles from the declared command and our layout. */
export async function formatCommandHelp(
  program: Program,
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
  const formatHelp: Help['formatHelp'] = (declared, helper) =>
    joinParagraphs([
      formatParagraph(formatLead(command), width),
      `${styles.bold('Usage:')} ${helper.commandUsage(declared)}`,
      ...(examples.length > 0
        ? [`${styles.bold('Examples:')}\n${formatExamples(examples, styles, width)}`]
        : []),
      ...(declared.description() ? [formatParagraph(declared.description(), width)] : []),
      ...rows('Arguments', argumentRows(spec)),
      ...helpSectionsOf(command, spec).flatMap(({ heading, flags, isNamesOnly }) =>
        isNamesOnly
          ? [formatNamesOnly(heading, flags, styles, width)]
          : rows(
              heading,
              flags.map((flag) => flagRow(flag, 'short')),
            ),
      ),
    ]);
  const parts: string[] = [];
  program
    .configureOutput({ writeOut: (text) => void parts.push(text), getOutHasColors: () => true })
    .configureHelp({ formatHelp })
    .addHelpText(
      'after',
      [
        '',
        ...rows('Exit codes (all: sonde help exit-codes)', exits.length > 0 ? exitRows({ exits }) : []).map(
          (section) => `${section}\n`,
        ),
        ...last.map((line) => styles.dim(formatParagraph(line, width))),
      ].join('\n'),
    )
    .outputHelp();
  return parts.join('');
}

/** Formats flags by name only. */
const formatNamesOnly = (heading: string, flags: readonly Flag[], styles: Styles, width: number): string =>
  [
    styles.bold(`${heading}:`),
    formatParagraph(joinUnbroken(flags.map(formatFlag)), width, 2),
    styles.dim(formatParagraph('For details, see --example or the man page.', width, 2)),
  ].join('\n');
