/** Reads the settings of an agent from options and environment variables, and reports all problems at once. */

import { join, resolve } from 'node:path';
import { type Problem, UsageError } from '../../../src/base/errors.ts';
import { readSmallFile } from '../../../src/base/files.ts';
import { isUrl } from '../../../src/base/parse-url.ts';
import { formatProblem } from '../../../src/base/phrases.ts';
import { nameOfVariable } from '../../../src/base/proxy.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { kebabCase } from '../../../src/cli/framework/request-fields.ts';
import type { OptionValues } from '../../../src/cli/framework/types.ts';
import { AGENT_SETTINGS, type ParseSetting, type Reading } from '../../../src/cli/settings/agent-settings.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';
import { isExposed, parseBaseUrl } from '../../../src/profiles/rules.ts';

type Flags = typeof AGENT_SETTINGS.flags;
/** The options of the command line. A variable, then a default, applies to those that are left out. */
type SettingOptions = OptionValues<Flags> & { readonly baseUrl: string | undefined };
/** The values of the settings that a flag or a variable sets, by name. */
type Values = {
  readonly [K in keyof Flags as Flags[K] extends { readonly parse: unknown }
    ? K
    : never]: Flags[K] extends Reading<infer T> ? T : never;
};
const READINGS: { readonly [K in keyof Values]: Reading<Values[K]> } = AGENT_SETTINGS.flags;

/** Returns a reader that validates settings and collects the problems. */
function createReader(env: Deps['env'], options: SettingOptions) {
  const problems: Problem[] = [];
  const reportProblem = (place: string, problem: Omit<Problem, 'place'>) =>
    void problems.push({ place, ...problem });
  /** Parses a text; undefined if it is invalid. */
  function parseAt<T>(place: string, text: string, parse: ParseSetting<T>): T | undefined {
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    reportProblem(place, parsed.problem);
    return undefined;
  }
  /** Returns the text of a variable. An empty variable counts as unset. */
  const variable = (name: string): string | undefined => env[name]?.trim() || undefined;
  return {
    problems,
    reportProblem,
    parseAt,
    variable,
    /** Reads the option, else the variable, else the default. */
    read<K extends keyof Values>(name: K, variableName = READINGS[name].env): Values[K] {
      const { parse, fallback } = READINGS[name];
      const option: string | boolean | undefined = options[name];
      const given = typeof option === 'boolean' ? (option ? 'on' : undefined) : option;
      const place = given === undefined ? variableName : `--${kebabCase(name)}`;
      const text = given ?? variable(place);
      return text === undefined ? fallback : (parseAt(place, text, parse) ?? fallback);
    },
  };
}
type SettingReader = ReturnType<typeof createReader>;

/** Returns the settings of an agent. Throws UsageError with every problem. */
export function readAgentSettings(deps: Deps, options: SettingOptions) {
  const { env, home, cwd } = deps;
  const reader = createReader(env, options);
  const { read, problems } = reader;
  const readProxy = (name: 'httpsProxy' | 'httpProxy') => read(name, nameOfVariable(READINGS[name].env, env));
  const [httpsProxy, httpProxy] = [readProxy('httpsProxy'), readProxy('httpProxy')];
  const settings = {
    getKey: createKeyReader(deps, options, reader),
    baseUrl: readBaseUrl(deps, options, reader),
    concurrency: read('concurrency'),
    healthPort: read('healthPort'),
    logLevel: read('logLevel'),
    usesOsResolver: read('osDnsResolver'),
    observability: readObservabilityUrl(reader),
    spoolFolder:
      options.spool === undefined ? join(dataFolders(env, home).data, 'agent') : resolve(cwd, options.spool),
    env: {
      ...env,
      ...(options.httpsProxy === undefined ? {} : { HTTPS_PROXY: httpsProxy, https_proxy: httpsProxy }),
      ...(options.httpProxy === undefined ? {} : { HTTP_PROXY: httpProxy, http_proxy: httpProxy }),
      ...(options.proxyExceptions === undefined
        ? {}
        : { NO_PROXY: options.proxyExceptions, no_proxy: options.proxyExceptions }),
    },
  };
  checkCertificates(env.NODE_EXTRA_CA_CERTS, reader);
  if (problems.length > 0) {
    const [only] = problems;
    const isOne = problems.length === 1 && only !== undefined;
    throw new UsageError(
      isOne
        ? formatProblem(only)
        : `${problems.length} settings are invalid or missing; the agent did not start`,
      {
        details: problems,
        hint: 'set SONDE_BASE_URL, and set API_KEY to a key of the private location (sonde private-locations create-key <id>)\nfor usage, run: sonde agent start --help',
      },
    );
  }
  return settings;
}

/** Returns the URL for error reports of the agent. Undefined: none is set, or reports are disabled. */
function readObservabilityUrl({ read, variable, parseAt }: SettingReader): string | undefined {
  const isOn = read('externalObservability');
  const place = 'SONDE_OBSERVABILITY_URL';
  const text = variable(place);
  const url = text && parseAt(place, text, observabilityUrl);
  return isOn ? url : undefined;
}

const observabilityUrl: ParseSetting<string> = (text) =>
  isUrl(text) && (new URL(text).protocol === 'https:' || !isExposed(text))
    ? { value: text }
    : { problem: { message: 'must be an https URL' } };

/** Returns the base URL. Plain http to another machine requires --insecure. */
function readBaseUrl(
  { env }: Deps,
  { baseUrl }: SettingOptions,
  { reportProblem, read }: SettingReader,
): string {
  const place = baseUrl === undefined ? 'SONDE_BASE_URL' : '--base-url';
  const text = baseUrl ?? env.SONDE_BASE_URL?.trim();
  if (!text) {
    reportProblem('SONDE_BASE_URL', { message: 'must be set to the URL of the service: https://host' });
    return '';
  }
  const parsed = parseBaseUrl(text);
  if ('problem' in parsed) {
    reportProblem(place, { message: parsed.problem });
    return '';
  }
  if (isExposed(parsed.value) && !read('insecure')) {
    reportProblem(place, {
      message:
        'is plain http, which exposes the key: use https, or pass --insecure (SONDE_INSECURE=1) in a trusted network',
    });
  }
  return parsed.value;
}

/** Returns a function that reads the key. A key in a file can be replaced without a restart. */
function createKeyReader(
  { env, cwd, usedKeys }: Deps,
  { apiKeyFile }: SettingOptions,
  { reportProblem }: SettingReader,
) {
  const read = (): string =>
    apiKeyFile === undefined ? (env.API_KEY ?? '').trim() : readSmallFile(resolve(cwd, apiKeyFile)).trim();
  const place = apiKeyFile === undefined ? 'API_KEY' : '--api-key-file';
  try {
    const problem = findKeyProblem(read());
    if (problem !== undefined) reportProblem(place, { message: problem });
  } catch (error) {
    reportProblem(place, { message: `cannot be read: ${(error as Error).message}` });
  }
  return async () => {
    const key = read();
    usedKeys.add(key);
    return key;
  };
}

function findKeyProblem(key: string): string | undefined {
  if (key === '') return 'must be set to a key of the private location (pl_…)';
  if (key.startsWith('sk_'))
    return 'must be a key of the private location (pl_…), not a key of an account, which has far more access';
  return /^[\x21-\x7e]{8,512}$/.test(key)
    ? undefined
    : 'is not a valid key: it contains spaces or other invalid characters';
}

/** Checks the file of certificates, because Node only warns about a problem with it. */
function checkCertificates(file: string | undefined, { reportProblem }: SettingReader): void {
  if (!file) return;
  const place = 'NODE_EXTRA_CA_CERTS';
  try {
    if (!readSmallFile(file, 10_000_000).includes('-----BEGIN CERTIFICATE-----'))
      reportProblem(place, { message: 'must be a file with certificates (PEM)' });
  } catch (error) {
    reportProblem(place, { message: `cannot be read: ${(error as Error).message}` });
  }
}
