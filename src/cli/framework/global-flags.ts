/** Defines the options that every command accepts, before or after its name. */
import type { OutputFlags } from '../../terminal/index.ts';
import { duration, flag, type Option, type ReportProblem, text } from './options.ts';
import type { Globals } from './types.ts';

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

/** Reads the values of the global options. `texts` returns the texts of a flag by its camelCase name. */
export function readGlobalFlags(
  texts: (name: string) => readonly string[] | undefined,
  reportProblem: (name: string) => ReportProblem,
): { readonly globals: Globals; readonly output: OutputFlags } {
  const read = <T>(name: string, option: Option<T>): T => option.read(texts(name), reportProblem(name));
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
