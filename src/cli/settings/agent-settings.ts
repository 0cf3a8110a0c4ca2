/** Defines every setting of `sonde agent start`: its flags, and the variables of the agent. */
import { parseProxy } from '../../base/proxy.ts';
import {
  choice,
  duration,
  flag,
  invalidChoice,
  type Option,
  text,
  type ValueProblem,
} from '../framework/options.ts';
import { type SettingTable, withDefault, withVariable } from './setting.ts';
import { browserOption, canaryOption, ISOLATIONS, LOG_LEVELS, SCRIPT_VARIABLES } from './shared-settings.ts';

/** Parses the text of a flag or a variable. */
export type ParseSetting<T> = (text: string) => { readonly value: T } | { readonly problem: ValueProblem };

/** How the text of a setting is read from a flag or a variable. */
export interface Reading<T> {
  /** The variable that applies without the flag. */
  readonly env: string;
  readonly parse: ParseSetting<T>;
  /** The value that applies without flag and variable. */
  readonly fallback: NoInfer<T>;
}

const wholeNumber =
  (minimum: number, maximum: number): ParseSetting<number> =>
  (text) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum
      ? { value }
      : { problem: { message: `must be a whole number from ${minimum} to ${maximum}, not "${text}"` } };
  };

const oneOf =
  <const T extends string>(allowed: readonly T[]): ParseSetting<T> =>
  (text) => {
    const value = allowed.find((one) => one === text.toLowerCase());
    return value === undefined ? { problem: invalidChoice(text, allowed) } : { value };
  };

const YES = ['on', 'true', '1', 'yes'];
const NO = ['off', 'false', '0', 'no'];
const onOrOff: ParseSetting<boolean> = (text) => {
  const word = text.toLowerCase();
  if (YES.includes(word)) return { value: true };
  if (NO.includes(word)) return { value: false };
  return { problem: { message: `must be on or off, not "${text}"`, allowed: ['on', 'off'] } };
};

const proxyUrl: ParseSetting<string | undefined> = (text) => {
  const parsed = parseProxy(text);
  return 'problem' in parsed ? { problem: { message: parsed.problem } } : { value: text };
};

/** Returns a default as help shows it. A switch that is off shows none. */
function formatDefault(value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined;
  return value === true ? 'on' : String(value);
}

/** Adds a variable to a flag. `readAgentSettings` parses both, so that it reports all problems at once. */
const parsed = <O extends Option<unknown>, T>(option: O, { env, parse, fallback }: Reading<T>) => ({
  ...withVariable(option, env, formatDefault(fallback)),
  parse,
  fallback,
});

export const AGENT_SETTINGS = {
  subject: 'Agent of a private location',
  command: 'agent start',
  flags: {
    apiKeyFile: text('File with the key, read at each request; overrides API_KEY', { placeholder: 'file' }),
    concurrency: parsed(text('Maximum concurrent checks, 1 to 10', { placeholder: 'number' }), {
      env: 'JOB_CONCURRENCY',
      parse: wholeNumber(1, 10),
      fallback: 1,
    }),
    uptime: flag('Run only URL, DNS, TCP, SSL and ICMP checks, without scripts and browsers'),
    healthPort: parsed(text('Port for health probes', { placeholder: 'port' }), {
      env: 'AGENT_HEALTH_PORT',
      parse: wholeNumber(0, 65_535),
      fallback: 8081,
    }),
    grace: withDefault(
      duration('Time for running checks to finish at shutdown'),
      'the longest check timeout',
    ),
    spool: withDefault(
      text('Folder for unsent results', { placeholder: 'folder' }),
      'sonde/agent in your data folder',
    ),
    httpsProxy: parsed(text('Proxy for https URLs', { placeholder: 'url' }), {
      env: 'HTTPS_PROXY',
      parse: proxyUrl,
      fallback: undefined,
    }),
    httpProxy: parsed(text('Proxy for http URLs', { placeholder: 'url' }), {
      env: 'HTTP_PROXY',
      parse: proxyUrl,
      fallback: undefined,
    }),
    proxyExceptions: text('Hosts that bypass the proxy, separated by commas', {
      placeholder: 'hosts',
      env: 'NO_PROXY',
    }),
    osDnsResolver: parsed(
      text('Whether checks use the DNS resolver of the system', { placeholder: 'on|off' }),
      {
        env: 'USE_OS_DNS_RESOLVER',
        parse: onOrOff,
        fallback: true,
      },
    ),
    externalObservability: parsed(
      text('Whether the agent may report its errors', { placeholder: 'on|off' }),
      {
        env: 'EXTERNAL_OBSERVABILITY',
        parse: onOrOff,
        fallback: true,
      },
    ),
    insecure: parsed(flag('Allow plain http to other machines, which exposes the key'), {
      env: 'SONDE_INSECURE',
      parse: onOrOff,
      fallback: false,
    }),
    canary: canaryOption,
    isolation: choice(ISOLATIONS, 'Isolation level for scripts; auto selects the strongest available', {
      default: 'auto',
    }),
    trustScripts: flag('Run scripts even without isolation from the files and the key of this agent'),
    browser: browserOption,
    logLevel: parsed(
      text('Log level of the JSON lines on stderr: trace, debug, info, warn, error or silent', {
        placeholder: 'level',
      }),
      { env: 'LOG_LEVEL', parse: oneOf(LOG_LEVELS), fallback: 'info' },
    ),
  },
  variables: {
    SONDE_BASE_URL: { summary: 'Base URL of the service (required); same as --base-url' },
    API_KEY: {
      summary: 'Key of the private location (required). There is no flag for it; --api-key-file names a file',
    },
    SONDE_OBSERVABILITY_URL: {
      summary: 'https URL that receives error reports of the agent, without data of checks, targets or keys',
      default: 'none',
    },
    NODE_EXTRA_CA_CERTS: { summary: 'File with additional certificate authorities (PEM)' },
    ...SCRIPT_VARIABLES,
  },
} satisfies SettingTable;
