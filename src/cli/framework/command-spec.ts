/** The whole surface of a command: every argument and option it takes, from its own words, its endpoint and the kernel. */
import type { Endpoint } from '../../contract/index.ts';
import { type Field, fieldsOfAll, kebab } from './request-fields.ts';
import { globalOptions, outputOptions } from './global-flags.ts';
import { type Argument, flag, type Option, text, texts } from './options.ts';
import type { Command } from './types.ts';

/** Under which heading help lists an option. */
export type Group = 'options' | 'query' | 'body' | 'input' | 'output' | 'global';

/** One option as it is typed. */
export interface Flag {
  /** Without dashes: `degraded-response-time`. */
  readonly flag: string;
  readonly group: Group;
  readonly option: Option<unknown>;
  /** The field it fills, where it fills one. */
  readonly field?: Field;
}

export interface Shape {
  readonly arguments: readonly (readonly [key: string, argument: Argument<unknown>])[];
  readonly flags: readonly Flag[];
  readonly fields: readonly Field[];
}

/** What the kernel adds for endpoints with a body, for changing ones, and for paged lists. */
const kernelOptions = {
  file: text('YAML or JSON file with the request body; - for stdin; flags override it', {
    short: 'f',
    placeholder: 'file',
  }),
  set: texts('Value of any body field, by its path; repeatable', { placeholder: 'path=value' }),
  example: flag('Print an example body with all fields, defaults and limits'),
  dryRun: flag('Print the request without sending it'),
  all: flag('Fetch all pages'),
  envFile: texts('File of variables, one KEY=VALUE per line', { placeholder: 'file' }),
} satisfies Record<string, Option<unknown>>;

/** The endpoints that a command's flags are read off: its own, and those that its options choose instead. */
export function endpointsOf(command: Command): readonly Endpoint[] {
  return [...(command.endpoint ? [command.endpoint] : []), ...Object.values(command.instead ?? {})];
}

/** What to use instead of a deprecated endpoint, with the option of this command that does. Undefined: it is not deprecated. */
export function successorOf(command: Command, endpoint: Endpoint | undefined): string | undefined {
  const successor = endpoint?.deprecated;
  const [option] =
    Object.entries(command.instead ?? {}).find(([, { method, path }]) => `${method} ${path}` === successor) ??
    [];
  return option === undefined ? successor : `${successor} (--${kebab(option)})`;
}

const optionOfField = ({ kind, schema, flag: name }: Field): Option<unknown> => ({
  takes: kind === 'switch' ? 'nothing' : kind === 'scalar' ? 'one' : 'many',
  summary: schema.description ?? name,
  negative: kind === 'switch' ? 'also' : undefined,
  placeholder: placeholderOf(kind, schema),
  standard: standardOf(schema.default),
  allowed: (schema.enum ?? schema.items?.enum)?.map(String),
  deprecated: schema.deprecated ? (schema['x-instead'] ?? '') : undefined,
  read: (given) => given,
});

/** The number of keys that a placeholder shows; the text of the flag lists all where there are more. */
export const KEYS_SHOWN = 2;

function placeholderOf(kind: Field['kind'], schema: Field['schema']): string {
  const types = [schema.type ?? []].flat();
  switch (kind) {
    case 'switch':
      return '';
    case 'list':
      return 'value,…';
    case 'ids':
      return 'id,…';
    case 'object':
    case 'objects':
      return placeholderOfKeys(schema.items ?? schema);
    case 'variables':
      return 'KEY[=VALUE]';
    case 'pairs':
      return 'KEY=VALUE';
    case 'assertions':
      return 'SOURCE COMPARISON target';
    case 'scalar':
      if (types.includes('number') || types.includes('integer')) return 'number';
      if (schema.format === 'date' || schema.format === 'date-time') return 'date';
      return schema.format === 'uuid' ? 'uuid' : 'text';
    default:
      return kind satisfies never;
  }
}

/** Shows the first keys of an object: `type=…,baseBackoffSeconds=…,…`; all of them where only one may be set: `gt|lt=value`. */
function placeholderOfKeys({ properties = {}, maxProperties }: Field['schema']): string {
  const keys = Object.keys(properties);
  if (keys.length === 0) return 'json';
  if (maxProperties === 1) return `${keys.join('|')}=value`;
  const shown = keys.slice(0, KEYS_SHOWN).map((key) => `${key}=…`);
  return [...shown, ...(keys.length > KEYS_SHOWN ? ['…'] : [])].join(',');
}

const standardOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** Everything that a command takes. Throws where two options have one name: a mistake of the command's author. */
export function shapeOf(command: Command): Shape {
  const endpoints = endpointsOf(command);
  // A change names only what changes: no single field is required.
  const isUpdate = command.name.endsWith(' update');
  const fields = fieldsOfAll(endpoints, command.flags).map((field) =>
    isUpdate ? { ...field, always: false } : field,
  );
  const hasBody = command.flags?.body !== 'own' && endpoints.some(({ body }) => body !== undefined);
  const changes = endpoints.some(({ method }) => method !== 'GET');
  const paged = endpoints.some(({ paging }) => paging !== undefined);
  const own = Object.entries(command.options ?? {}).map(
    ([name, option]): Flag => ({
      flag: kebab(name),
      group: 'options',
      option,
    }),
  );
  const kernel = (names: readonly (keyof typeof kernelOptions)[]): Flag[] =>
    names.map((name) => ({ flag: kebab(name), group: 'input', option: kernelOptions[name] }));
  const flags: Flag[] = [
    ...own,
    ...(paged ? [{ flag: 'all', group: 'options', option: kernelOptions.all } as const] : []),
    ...fields.flatMap((field): Flag[] => [
      { flag: field.flag, group: field.in, option: optionOfField(field), field },
      ...(field.fromFile ? [fileFlag(field)] : []),
      ...(field.kind === 'variables' ? [envFileFlag(field)] : []),
    ]),
    ...(hasBody ? kernel(['file', 'set', 'example']) : []),
    ...(changes && command.dryRun !== false ? kernel(['dryRun']) : []),
    ...Object.entries(outputOptions).map(
      ([name, option]): Flag => ({ flag: kebab(name), group: 'output', option }),
    ),
    ...Object.entries(globalOptions).map(
      ([name, option]): Flag => ({ flag: kebab(name), group: 'global', option }),
    ),
  ];
  const twice = flags.find(
    ({ flag: name }, index) => flags.findIndex((other) => other.flag === name) !== index,
  );
  if (twice) throw new Error(`${command.name}: two options are called --${twice.flag}`);
  return { arguments: Object.entries(command.arguments ?? {}), flags, fields };
}

const fileFlag = (field: Field): Flag => ({
  flag: `${field.flag}-file`,
  group: field.in,
  option: text(`File to read --${field.flag} from; - for stdin`, { placeholder: 'file' }),
  field,
});

const envFileFlag = (field: Field): Flag => ({
  flag: `${field.flag}-file`,
  group: field.in,
  option: kernelOptions.envFile,
  field,
});

/** How an argument is called where something is wrong with it: `<check-id>`. */
export const placeOfArgument = (key: string, { placeholder }: Argument<unknown>): string =>
  `<${placeholder ?? kebab(key)}>`;

/** How an option is written in help: `-o, --output <format>`, `--[no-]activated`. */
export function spelling({ flag, option }: Flag): string {
  const short = option.short ? `-${option.short}, ` : '';
  if (option.takes === 'nothing') {
    const dashes = option.negative === 'only' ? '--no-' : option.negative === 'also' ? '--[no-]' : '--';
    return `${short}${dashes}${flag}`;
  }
  return `${short}--${flag} <${option.placeholder ?? 'text'}>`;
}
