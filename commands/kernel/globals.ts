/** The options that every command has, before or after its name. */
import type { OutputFlags } from '../../src/terminal/index.ts';
import { type Complain, duration, flag, type Option, text } from './options.ts';
import type { Globals } from './types.ts';

/** How results are printed. */
export const outputOptions = {
  json: flag("Print the API's answer as JSON"),
  output: text('Print as table, tsv, json, jsonl, yaml or csv', { short: 'o', placeholder: 'format' }),
  jq: text('Filter the JSON with a jq expression', { placeholder: 'expression' }),
  fields: text('Choose columns or keys, separated by commas', { placeholder: 'names' }),
  utc: flag('Show times in UTC'),
} satisfies Record<string, Option<unknown>>;

/** Everything else that holds for all commands. */
export const globalOptions = {
  profile: text('Use this profile', { placeholder: 'name', env: 'SONDE_PROFILE', of: 'profile' }),
  baseUrl: text('Talk to the service at this address', { placeholder: 'url', env: 'SONDE_BASE_URL' }),
  account: text('Act in this account', { placeholder: 'id', env: 'SONDE_ACCOUNT_ID' }),
  yes: flag('Ask for no confirmation', { short: 'y' }),
  input: flag('Never wait for a person: fail where something would be asked', {
    negative: 'only',
    env: 'CI',
  }),
  quiet: flag('Leave out what is said besides results, warnings and errors', { short: 'q' }),
  trace: flag('Show each request and answer on stderr, the key left out'),
  color: flag('Do without colour', { negative: 'only', env: 'NO_COLOR' }),
  plain: flag('Write whole lines and words alone, nothing drawn or redrawn, as screen readers need it', {
    env: 'SONDE_ACCESSIBLE',
  }),
  requestTimeout: duration('Longest wait for one answer; 30s unless given', { positive: true }),
  retryBudget: duration(
    'Longest time spent on retries of one request; 60s unless given, 0s while a local service is not running',
  ),
  help: flag('Show this help', { short: 'h' }),
  version: flag('Show the version', { short: 'V' }),
} satisfies Record<string, Option<unknown>>;

/** All of them. */
export const everyGlobal: Readonly<Record<string, Option<unknown>>> = { ...outputOptions, ...globalOptions };

type Read = <T>(name: string, option: Option<T>) => T;

/** The global options' values. `texts` gives what was typed by camelCase name. */
export function readGlobals(
  texts: (name: string) => readonly string[] | undefined,
  complain: (name: string) => Complain,
): { readonly globals: Globals; readonly output: OutputFlags } {
  const read: Read = (name, option) => option.read(texts(name), complain(name));
  return {
    globals: {
      profile: read('profile', globalOptions.profile),
      baseUrl: read('baseUrl', globalOptions.baseUrl),
      account: read('account', globalOptions.account),
      yes: read('yes', globalOptions.yes),
      input: read('input', globalOptions.input),
      quiet: read('quiet', globalOptions.quiet),
      trace: read('trace', globalOptions.trace),
      color: read('color', globalOptions.color),
      plain: read('plain', globalOptions.plain),
      requestTimeout: read('requestTimeout', globalOptions.requestTimeout),
      retryBudget: read('retryBudget', globalOptions.retryBudget),
    },
    output: {
      json: read('json', outputOptions.json),
      output: read('output', outputOptions.output),
      jq: read('jq', outputOptions.jq),
      fields: read('fields', outputOptions.fields),
      utc: read('utc', outputOptions.utc),
    },
  };
}
