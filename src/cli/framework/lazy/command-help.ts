/** Formats the help of a command: usage and examples first, then its flags in groups. */
import type { Help, Command as Program } from 'commander';
import { EXIT } from '../../../base/exits.ts';
import type { Styles, Terminal } from '../../../terminal/index.ts';
import { idFormOf } from '../arguments.ts';
import {
  allGlobalOptions,
  type CommandSpec,
  type Flag,
  formatFlag,
  MAX_PLACEHOLDER_KEYS,
  successorOf,
  usageWords,
} from '../command-spec.ts';
import {
  formatExamples,
  formatParagraph,
  formatSection,
  helpWidth,
  joinParagraphs,
  joinUnbroken,
  type Row,
} from '../help-layout.ts';
import { kebabCase } from '../request-fields.ts';
import type { Command, ExitMeaning } from '../types.ts';

/** The maximum number of examples; the man page has all. */
const MAX_EXAMPLES = 3;

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

const formatNamesOnly = (heading: string, flags: readonly Flag[], styles: Styles, width: number): string =>
  [
    styles.bold(`${heading}:`),
    formatParagraph(joinUnbroken(flags.map(formatFlag)), width, 2),
    styles.dim(formatParagraph('For details, see --example or the man page.', width, 2)),
  ].join('\n');

/** Flags under a heading. */
export interface HelpSection {
  readonly heading: string;
  readonly flags: readonly Flag[];
  /** Whether help only names the flags, because there are many and few users need them. */
  readonly isNamesOnly: boolean;
}

const LESS_COMMON = 'Less common flags';
const MAX_LESS_COMMON_ROWS = 6;

/** Returns whether the service requires the field and the command does not set it. */
const isRequired = ({ flag, field }: Flag): boolean =>
  field?.isAlwaysRequired === true && !field.isFilled && flag === field.flag;

/** Returns whether a flag is deprecated, or its value also comes from the command or other flags. */
const isLessCommon = ({ option, field }: Flag): boolean =>
  option.deprecated !== undefined || field?.isFilled === true;

/**
 * Returns the flags of a command without the global flags: required flags first, then its own options, then fields in the
 * command's groups, then flags of the request body.
 */
export function helpSectionsOf(command: Command, spec: CommandSpec): readonly HelpSection[] {
  const named = Object.entries(command.flags?.groups ?? {});
  const fields = spec.flags.filter(({ group }) => group === 'body' || group === 'query');
  const pathOf = ({ field }: Flag): string => field?.path.join('.') ?? '';
  const inGroup = (flag: Flag): number => named.findIndex(([, paths]) => paths.includes(pathOf(flag)));
  const required = fields.filter((flag) => isRequired(flag));
  const rest = fields
    .filter((flag) => !required.includes(flag))
    .toSorted((a, b) => Number(isLessCommon(a)) - Number(isLessCommon(b)));
  const own = (group: Flag['group']) => spec.flags.filter((flag) => flag.group === group);
  const others = (part: 'body' | 'query') => rest.filter((flag) => flag.group === part && inGroup(flag) < 0);
  const sections = [
    { heading: 'Required flags', flags: required },
    { heading: 'Flags', flags: own('options') },
    ...named.map(([heading, paths]) => ({
      heading,
      flags: paths.flatMap((path) => rest.filter((flag) => pathOf(flag) === path)),
    })),
    { heading: named.length > 0 ? LESS_COMMON : 'Request fields', flags: others('body') },
    { heading: 'Query parameters', flags: others('query') },
    { heading: 'Request body', flags: own('input') },
  ];
  return sections
    .filter(({ flags }) => flags.length > 0)
    .map((section) => ({
      ...section,
      isNamesOnly: section.heading === LESS_COMMON && section.flags.length > MAX_LESS_COMMON_ROWS,
    }));
}

/** Long lists of values that a topic shows: the first value, the topic, and an example. */
const VALUE_TOPICS: readonly (readonly [first: string, topic: string, example: string])[] = [
  ['us-east-1', 'locations', 'eu-west-1'],
];

/** Returns a flag with its default, bounds and allowed values; `short` points to a topic instead of a long list. */
export function flagRow(flag: Flag, form: 'short' | 'whole' = 'whole'): Row {
  const { option, field } = flag;
  const notes = [
    ...(option.deprecated === undefined
      ? []
      : [`deprecated${option.deprecated ? `: use --${kebabCase(option.deprecated)}` : ''}`]),
    ...(form === 'whole' && isRequired(flag) ? ['required'] : []),
    ...(option.allowed && !option.placeholder?.includes('|') ? [allowedText(option.allowed, form)] : []),
    ...keysOf(flag),
    ...boundsOf(flag),
    ...(option.default === undefined ? [] : [`default ${option.default}`]),
    ...(field?.kind === 'assertions' && form === 'short' ? ['sonde help assertions'] : []),
  ];
  const own = flag.flag === field?.flag ? notes : [];
  const text =
    own.length > 0 ? `${option.summary} (${own.join('; ')})` : `${option.summary}${formatNotes(flag)}`;
  return [formatFlag(flag), text];
}

function allowedText(allowed: readonly string[], form: 'short' | 'whole'): string {
  const [, topic, example] = VALUE_TOPICS.find(([first]) => allowed[0] === first) ?? [];
  return form === 'short' && topic !== undefined
    ? `one of ${allowed.length}, such as ${example}: sonde help ${topic}`
    : `one of ${allowed.join(', ')}`;
}

function formatNotes({ option, field }: Flag): string {
  const notes = [
    ...(field || option.default === undefined ? [] : [formatDefault(option.default)]),
    ...(option.env === undefined ? [] : [`environment variable: ${option.env}`]),
  ];
  return notes.length > 0 ? ` (${notes.join('; ')})` : '';
}

/** Formats a default; a phrase follows a colon. */
const formatDefault = (text: string): string => `default${text.includes(' ') ? ':' : ''} ${text}`;

/** Returns all keys of an object if its placeholder does not show them all. */
function keysOf({ field }: Flag): string[] {
  if (field?.kind !== 'object' && field?.kind !== 'objects') return [];
  const keys = Object.keys((field.schema.items ?? field.schema).properties ?? {});
  return keys.length > MAX_PLACEHOLDER_KEYS && field.schema.maxProperties !== 1
    ? [`keys: ${keys.join(', ')}`]
    : [];
}

function boundsOf({ field }: Flag): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems } = field?.schema ?? {};
  const unit = field?.schema['x-unit'] ? ` ${field.schema['x-unit']}` : '';
  const isOnlyNotEmpty = minLength === 1 && maxLength === undefined;
  return [
    ...range(minimum, maximum, unit),
    ...(isOnlyNotEmpty ? ['not empty'] : range(minLength, maxLength, ' characters')),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ];
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from !== undefined && to !== undefined) return [`${from} to ${to}${unit}`];
  if (from !== undefined) return [`at least ${from}${unit}`];
  return to === undefined ? [] : [`at most ${to}${unit}`];
}

/** Returns a help row for each argument. */
export const argumentRows = (spec: CommandSpec): readonly Row[] => {
  const words = usageWords(spec);
  return spec.arguments.map(([, { summary, of }], index): Row => {
    const form = idFormOf(of);
    return [words[index] ?? '', form ? `${summary}; ${form.help}` : summary];
  });
};

/** Returns a command's summary as a sentence, with its successor if it is deprecated. */
export function formatLead(command: Command): string {
  const instead = command.deprecated ?? successorOf(command, command.endpoint);
  return `${command.summary}.${instead === undefined ? '' : ` Deprecated: use ${instead}.`}`;
}

const COMMON_EXITS: readonly ExitMeaning[] = [
  [EXIT.done, 'success'],
  [EXIT.usage, 'usage error or invalid input; nothing was sent'],
  [EXIT.refused, 'the API rejected the request'],
  [EXIT.credentials, 'missing credentials or access denied'],
  [EXIT.notFound, 'not found'],
  [EXIT.unreachable, 'service unreachable or repeatedly failing'],
];

/** Returns the exit codes of a command: the common ones and its own. */
export function exitRows({ exits = [], endpoint }: Pick<Command, 'exits' | 'endpoint'>): Row[] {
  const common = COMMON_EXITS.filter(
    ([code]) => endpoint !== undefined || code === EXIT.done || code === EXIT.usage,
  );
  const all = new Map([...common, ...exits]);
  const order = (code: ExitMeaning[0]) => (code === 'other' ? Infinity : code);
  return [...all]
    .sort(([a], [b]) => order(a) - order(b))
    .map(([code, meaning]): Row => [String(code), meaning]);
}

const SUBJECTS: readonly (readonly [subject: string, names: readonly string[]])[] = [
  ['Output', ['json', 'output', 'jq', 'fields', 'utc']],
  ['Service', ['profile', 'baseUrl', 'account', 'accountHeader', 'requestTimeout', 'retryBudget', 'trace']],
  ['Interaction', ['yes', 'input', 'quiet', 'color', 'plain']],
];

/** Returns the global flags by subject; flags without a subject come last. */
export function globalFlagsBySubject(): readonly (readonly [subject: string, flags: readonly Flag[]])[] {
  const listed = SUBJECTS.flatMap(([, names]) => names);
  const others = Object.keys(allGlobalOptions).filter((name) => !listed.includes(name));
  return [...SUBJECTS, ['Help', others] as const].map(([subject, names]) => [
    subject,
    names.flatMap((name) => {
      const option = allGlobalOptions[name];
      return option ? [{ flag: kebabCase(name), group: 'global', option } as const] : [];
    }),
  ]);
}
