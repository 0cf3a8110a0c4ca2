/** What there is to tell of a command: its options under headings, its usage, its exit codes; for help, man pages and documents. */
import { EXIT } from '../../base/exits.ts';
import { kebab } from './request-fields.ts';
import { type Flag, KEYS_SHOWN, type Shape, spelling, successorOf } from './command-spec.ts';
import type { Row } from './help-layout.ts';
import { idFormOf } from './name-arguments.ts';
import type { Command } from './types.ts';

/** Options under a heading. */
export interface Section {
  readonly heading: string;
  readonly flags: readonly Flag[];
  /** Whether help only names them: there are many, and few ever need one. */
  readonly isAside: boolean;
}

/** What is under no heading that the command names. */
const SELDOM = 'Less common flags';
/** So many seldom needed options are told of like all others. */
const FEW = 6;

/** Whether a field must be given: the service demands it, and the command doesn't fill it in. */
const isRequired = ({ flag, field }: Flag): boolean =>
  field?.always === true && !field.filled && flag === field.flag;

/** Whether a field is hardly ever given: it is deprecated, or what it holds comes from elsewhere. */
const isSeldom = ({ option, field }: Flag): boolean =>
  option.deprecated !== undefined || field?.filled === true;

/**
 * The options of a command besides those that every command has: what must be given first, then its own, then the fields in
 * the groups that the command names, then what reads and shows a body.
 */
export function sectionsOf(command: Command, shape: Shape): readonly Section[] {
  const named = Object.entries(command.flags?.groups ?? {});
  const fields = shape.flags.filter(({ group }) => group === 'body' || group === 'query');
  const pathOf = ({ field }: Flag): string => field?.path.join('.') ?? '';
  const inGroup = (flag: Flag): number => named.findIndex(([, paths]) => paths.includes(pathOf(flag)));
  const required = fields.filter((flag) => isRequired(flag));
  const rest = fields
    .filter((flag) => !required.includes(flag))
    .toSorted((a, b) => Number(isSeldom(a)) - Number(isSeldom(b)));
  const own = (group: Flag['group']) => shape.flags.filter((flag) => flag.group === group);
  const others = (part: 'body' | 'query') => rest.filter((flag) => flag.group === part && inGroup(flag) < 0);
  const sections = [
    { heading: 'Required flags', flags: required },
    { heading: 'Flags', flags: own('options') },
    ...named.map(([heading, paths]) => ({
      heading,
      flags: paths.flatMap((path) => rest.filter((flag) => pathOf(flag) === path)),
    })),
    { heading: named.length > 0 ? SELDOM : 'Request fields', flags: others('body') },
    { heading: 'Query parameters', flags: others('query') },
    { heading: 'Request body', flags: own('input') },
  ];
  return sections
    .filter(({ flags }) => flags.length > 0)
    .map((section) => ({ ...section, isAside: section.heading === SELDOM && section.flags.length > FEW }));
}

/** Values of which there are so many that a topic lists them: the first of them, and the topic. */
const LISTED: readonly (readonly [first: string, topic: string, example: string])[] = [
  ['us-east-1', 'locations', 'eu-west-1'],
];

/** A flag with its default, its bounds and what it may be; `short` points to a topic where that lists many values. */
export function flagRow(flag: Flag, form: 'short' | 'whole' = 'whole'): Row {
  const { option, field } = flag;
  const notes = [
    ...(option.deprecated === undefined
      ? []
      : [`deprecated${option.deprecated ? `: use --${kebab(option.deprecated)}` : ''}`]),
    ...(form === 'whole' && isRequired(flag) ? ['required'] : []),
    ...(option.allowed && !option.placeholder?.includes('|') ? [allowedText(option.allowed, form)] : []),
    ...keysOf(flag),
    ...boundsOf(flag),
    ...(option.standard === undefined ? [] : [`default ${option.standard}`]),
    ...(field?.kind === 'assertions' && form === 'short' ? ['sonde help assertions'] : []),
  ];
  const own = flag.flag === field?.flag ? notes : [];
  const text =
    own.length > 0 ? `${option.summary} (${own.join('; ')})` : `${option.summary}${plainNote(flag)}`;
  return [spelling(flag), text];
}

function allowedText(allowed: readonly string[], form: 'short' | 'whole'): string {
  const [, topic, example] = LISTED.find(([first]) => allowed[0] === first) ?? [];
  return form === 'short' && topic !== undefined
    ? `one of ${allowed.length}, such as ${example}: sonde help ${topic}`
    : `one of ${allowed.join(', ')}`;
}

function plainNote({ option, field }: Flag): string {
  const notes = [
    ...(field || option.standard === undefined ? [] : [`default ${option.standard}`]),
    ...(option.env === undefined ? [] : [`environment variable: ${option.env}`]),
  ];
  return notes.length > 0 ? ` (${notes.join('; ')})` : '';
}

/** Lists the keys of an object that its placeholder does not show. */
function keysOf({ field }: Flag): string[] {
  if (field?.kind !== 'object' && field?.kind !== 'objects') return [];
  const keys = Object.keys((field.schema.items ?? field.schema).properties ?? {});
  return keys.length > KEYS_SHOWN && field.schema.maxProperties !== 1 ? [`keys: ${keys.join(', ')}`] : [];
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

/** The arguments as usage names them. */
export const wordsOf = (shape: Shape): readonly string[] =>
  shape.arguments.map(([key, { placeholder, required, variadic }]) => {
    const word = `${placeholder ?? kebab(key)}${variadic ? '…' : ''}`;
    return required ? `<${word}>` : `[${word}]`;
  });

/** The arguments, and what help says of each. */
export const argumentRows = (shape: Shape): readonly Row[] => {
  const words = wordsOf(shape);
  return shape.arguments.map(([, { summary, of }], index): Row => {
    const form = idFormOf(of);
    return [words[index] ?? '', form ? `${summary}; ${form.also}` : summary];
  });
};

/** The line that says how a command is typed. */
export const usageOf = (command: Pick<Command, 'name'>, shape: Shape): string =>
  ['sonde', command.name, ...wordsOf(shape), '[flags]'].join(' ');

/** What a command is for, as a sentence, and what to use instead where it is deprecated. */
export function leadOf(command: Command): string {
  const instead = command.deprecated ?? successorOf(command, command.endpoint);
  return `${command.summary}.${instead === undefined ? '' : ` Deprecated: use ${instead}.`}`;
}

const COMMON_EXITS: readonly (readonly [number, string])[] = [
  [EXIT.done, 'success'],
  [EXIT.usage, 'usage error or invalid input; nothing was sent'],
  [EXIT.refused, 'the API rejected the request'],
  [EXIT.credentials, 'missing credentials or access denied'],
  [EXIT.notFound, 'not found'],
  [EXIT.unreachable, 'service unreachable or repeatedly failing'],
];

/** The exit codes of a command: those that go without saying, and its own. */
export function exitRows({ exits = [], endpoint }: Pick<Command, 'exits' | 'endpoint'>): Row[] {
  const common = COMMON_EXITS.filter(
    ([code]) => endpoint !== undefined || code === EXIT.done || code === EXIT.usage,
  );
  const all = new Map([...common, ...exits]);
  return [...all].sort(([a], [b]) => a - b).map(([code, meaning]): Row => [String(code), meaning]);
}
