/** Formats the output of `sonde` and `sonde <noun>`: first steps, commands in groups, and further help. */
import type { Terminal } from '../../terminal/index.ts';
import {
  type ExampleLine,
  formatExamples,
  formatParagraph,
  formatSection,
  helpWidth,
  joinParagraphs,
  type Row,
} from '../framework/help-layout.ts';
import { manifest } from '../generated/manifest.ts';
import { GROUPS, LAST_GROUP, NOUNS, nounNames, summaryOf } from './nouns.ts';
import { topicNames } from './topics.ts';

/** The first commands of a new user. */
export const FIRST_STEPS: readonly ExampleLine[] = [
  { line: 'sonde quickstart', does: 'Try checks and the gate without an account' },
  { line: 'sonde login', does: 'Sign in to a monitoring service' },
  { line: 'sonde checks run --tag smoke', does: 'Run checks; exit 0 only if all passed' },
];

/** Returns the nouns of each group; the last group has all other nouns. */
export function nounGroups(): readonly (readonly [group: string, nouns: readonly string[]])[] {
  const existing = nounNames();
  const named = Object.values(GROUPS).flat();
  const groups = Object.entries(GROUPS).map(
    ([group, nouns]) => [group, nouns.filter((noun) => existing.includes(noun))] as const,
  );
  const last = [LAST_GROUP, existing.filter((noun) => !named.includes(noun))] as const;
  return [...groups, last].filter(([, nouns]) => nouns.length > 0);
}

/** Returns the overview of all commands. */
export async function formatOverview(terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = helpWidth(terminal);
  const widest = Math.max(...nounNames().map((noun) => noun.length));
  const pad = (rows: readonly Row[]): readonly Row[] =>
    rows.map(([left, right]) => [left.padEnd(widest), right]);
  return joinParagraphs([
    `${formatParagraph('Manage synthetic monitoring checks and gate releases from the command line.', width)}\n` +
      `${styles.bold('Usage:')} sonde <command> [flags] (global flags: sonde help options)`,
    formatSection(
      'Get started',
      FIRST_STEPS.map(({ line, does }): Row => [line, does]),
      styles,
      width,
    ),
    ...nounGroups().map(([group, nouns]) =>
      formatSection(group, pad(nouns.map((noun) => [noun, summaryOf(noun)])), styles, width),
    ),
    `${styles.bold('Help topics (sonde help <topic>):')}\n${formatParagraph(topicNames.join(', '), width, 2)}`,
  ]);
}

/** Returns the help of a noun: its commands. */
export async function formatNounHelp(noun: string, terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = helpWidth(terminal);
  const rows = manifest
    .filter(({ name }) => name.startsWith(`${noun} `))
    .map(({ name, summary }): Row => [name.slice(noun.length + 1), summary]);
  const { summary, examples = [] } = NOUNS[noun] ?? {};
  return joinParagraphs([
    ...(summary === undefined ? [] : [formatParagraph(`${summary}.`, width)]),
    `${styles.bold('Usage:')} sonde ${noun} <command> [flags]`,
    formatSection('Commands', rows, styles, width),
    ...(examples.length > 0
      ? [`${styles.bold('Examples:')}\n${formatExamples(examples, styles, width)}`]
      : []),
    formatParagraph(`For a command, run: sonde ${noun} <command> --help`, width),
  ]);
}
