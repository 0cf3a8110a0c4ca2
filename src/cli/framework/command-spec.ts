/** Lists every argument and flag of a command: its own, those of its endpoint, and those that the framework adds. */
import type { Endpoint } from '../../contract/index.ts';
import { type Argument, duration, flag, type Option, text, texts } from './options.ts';
import { kebabCase, type RequestField, requestFieldsOfAll } from './request-fields.ts';
import type { Command } from './types.ts';

/** The heading under which help lists a flag. */
export type FlagGroup = 'options' | 'query' | 'body' | 'input' | 'output' | 'global';

export interface Flag {
  /** Without dashes: `degraded-response-time`. */
  readonly flag: string;
  readonly group: FlagGroup;
  readonly option: Option<unknown>;
  /** The request field that it sets, if any. */
  readonly field?: RequestField;
}

export interface CommandSpec {
  readonly arguments: readonly (readonly [key: string, argument: Argument<unknown>])[];
  readonly flags: readonly Flag[];
  readonly fields: readonly RequestField[];
}

/** Options that the framework adds for endpoints with a body, for endpoints that change something, and for isPaged lists. */
const frameworkOptions = {
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

/** Returns the endpoints that a command's flags come from: its own, and those that its options select instead. */
export function endpointsOf(command: Command): readonly Endpoint[] {
  return [...(command.endpoint ? [command.endpoint] : []), ...Object.values(command.instead ?? {})];
}

/** Returns the successor of a deprecated endpoint, with the option of this command that selects it. */
export function successorOf(command: Command, endpoint: Endpoint | undefined): string | undefined {
  const successor = endpoint?.deprecated;
  const [option] =
    Object.entries(command.instead ?? {}).find(([, { method, path }]) => `${method} ${path}` === successor) ??
    [];
  return option === undefined ? successor : `${successor} (--${kebabCase(option)})`;
}

const optionOfField = ({ kind, schema, flag: name }: RequestField): Option<unknown> => ({
  takes: kind === 'switch' ? 'nothing' : kind === 'scalar' ? 'one' : 'many',
  summary: schema.description ?? name,
  negative: kind === 'switch' ? 'also' : undefined,
  placeholder: placeholderOf(kind, schema),
  default: formatDefault(schema.default),
  allowed: (schema.enum ?? schema.items?.enum)?.map(String),
  deprecated: schema.deprecated ? (schema['x-instead'] ?? '') : undefined,
  read: (texts) => texts,
});

/** The maximum number of keys in a placeholder; if there are more, the text of the flag lists all. */
export const MAX_PLACEHOLDER_KEYS = 2;

function placeholderOf(kind: RequestField['kind'], schema: RequestField['schema']): string {
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

/** Formats the first keys of an object: `type=…,baseBackoffSeconds=…,…`; or all keys if only one may be set: `gt|lt=value`. */
function placeholderOfKeys({ properties = {}, maxProperties }: RequestField['schema']): string {
  const keys = Object.keys(properties);
  if (keys.length === 0) return 'json';
  if (maxProperties === 1) return `${keys.join('|')}=value`;
  const shown = keys.slice(0, MAX_PLACEHOLDER_KEYS).map((key) => `${key}=…`);
  return [...shown, ...(keys.length > MAX_PLACEHOLDER_KEYS ? ['…'] : [])].join(',');
}

const formatDefault = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the arguments and flags of a command. Throws if two options have the same name, which is a bug in the command. */
export function commandSpecOf(command: Command): CommandSpec {
  const endpoints = endpointsOf(command);
  // An update requires no single field.
  const isUpdate = command.name.endsWith(' update');
  const fields = requestFieldsOfAll(endpoints, command.flags).map((field) =>
    isUpdate ? { ...field, isAlwaysRequired: false } : field,
  );
  const hasBody = command.flags?.body !== 'own' && endpoints.some(({ body }) => body !== undefined);
  const changesState = endpoints.some(({ method }) => method !== 'GET');
  const isPaged = endpoints.some(({ paging }) => paging !== undefined);
  const own = Object.entries(command.options ?? {}).map(
    ([name, option]): Flag => ({
      flag: kebabCase(name),
      group: 'options',
      option,
    }),
  );
  const added = (names: readonly (keyof typeof frameworkOptions)[]): Flag[] =>
    names.map((name) => ({ flag: kebabCase(name), group: 'input', option: frameworkOptions[name] }));
  const flags: Flag[] = [
    ...own,
    ...(isPaged ? [{ flag: 'all', group: 'options', option: frameworkOptions.all } as const] : []),
    ...fields.flatMap((field): Flag[] => [
      { flag: field.flag, group: field.in, option: optionOfField(field), field },
      ...(field.hasFileFlag ? [fileFlag(field)] : []),
      ...(field.kind === 'variables' ? [envFileFlag(field)] : []),
    ]),
    ...(hasBody ? added(['file', 'set', 'example']) : []),
    ...(changesState && command.dryRun !== false ? added(['dryRun']) : []),
    ...Object.entries(outputOptions).map(
      ([name, option]): Flag => ({ flag: kebabCase(name), group: 'output', option }),
    ),
    ...Object.entries(globalOptions).map(
      ([name, option]): Flag => ({ flag: kebabCase(name), group: 'global', option }),
    ),
  ];
  const duplicate = flags.find(
    ({ flag: name }, index) => flags.findIndex((other) => other.flag === name) !== index,
  );
  if (duplicate) throw new Error(`${command.name}: two options are called --${duplicate.flag}`);
  return { arguments: Object.entries(command.arguments ?? {}), flags, fields };
}

const fileFlag = (field: RequestField): Flag => ({
  flag: `${field.flag}-file`,
  group: field.in,
  option: text(`File to read --${field.flag} from; - for stdin`, { placeholder: 'file' }),
  field,
});

const envFileFlag = (field: RequestField): Flag => ({
  flag: `${field.flag}-file`,
  group: field.in,
  option: frameworkOptions.envFile,
  field,
});

/** Returns an argument as problems name it: `<check-id>`. */
export const argumentLabel = (key: string, { placeholder }: Argument<unknown>): string =>
  `<${placeholder ?? kebabCase(key)}>`;

/** Returns the arguments as usage shows them: `<id>`, `[id…]`. */
export const usageWords = (spec: CommandSpec): readonly string[] =>
  spec.arguments.map(([key, { placeholder, required, variadic }]) => {
    const word = `${placeholder ?? kebabCase(key)}${variadic ? '…' : ''}`;
    return required ? `<${word}>` : `[${word}]`;
  });

/** Formats a flag as help shows it: `-o, --output <format>`, `--[no-]activated`. */
export function formatFlag({ flag, option }: Flag): string {
  const short = option.short ? `-${option.short}, ` : '';
  if (option.takes === 'nothing') {
    const dashes = option.negative === 'only' ? '--no-' : option.negative === 'also' ? '--[no-]' : '--';
    return `${short}${dashes}${flag}`;
  }
  return `${short}--${flag} <${option.placeholder ?? 'text'}>`;
}

/** Options that control the output. */
export const outputOptions = {
  json: flag('Print the API response as JSON'),
  output: text('Output format: table, tsv, json, jsonl, yaml or csv', { short: 'o', placeholder: 'format' }),
  jq: text('jq expression that filters the JSON output', { placeholder: 'expression' }),
  fields: text('Columns or keys to print, separated by commas', { placeholder: 'names' }),
  utc: flag('Show times in UTC'),
} satisfies Record<string, Option<unknown>>;

/** All other global options. */
export const globalOptions = {
  profile: text('Profile to use', { placeholder: 'name', env: 'SONDE_PROFILE', of: 'profile' }),
  baseUrl: text('Base URL of the service', { placeholder: 'url', env: 'SONDE_BASE_URL' }),
  account: text('Account ID', { placeholder: 'id', env: 'SONDE_ACCOUNT_ID' }),
  accountHeader: text('Header for the account ID (default x-service-account)', {
    placeholder: 'name',
    env: 'SONDE_ACCOUNT_HEADER',
  }),
  yes: flag('Skip confirmation prompts', { short: 'y' }),
  input: flag('Disable prompts: fail instead of asking for input', {
    negative: 'only',
    env: 'CI',
  }),
  quiet: flag('Print only results, warnings and errors', { short: 'q' }),
  trace: flag('Print each request and response to stderr, without the key'),
  color: flag('Disable colour', { negative: 'only', env: 'NO_COLOR' }),
  plain: flag('Print plain lines without drawing or redrawing, for screen readers', {
    env: 'SONDE_ACCESSIBLE',
  }),
  requestTimeout: duration('Timeout of one request (default 30s)', { positive: true }),
  retryBudget: duration(
    'Total time for retries of one request (default 60s; 0s while a local service is not running)',
  ),
  help: flag('Show help', { short: 'h' }),
  version: flag('Show the version', { short: 'V' }),
} satisfies Record<string, Option<unknown>>;

export const allGlobalOptions: Readonly<Record<string, Option<unknown>>> = {
  ...outputOptions,
  ...globalOptions,
};
