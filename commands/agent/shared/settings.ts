/** Reads the settings of an agent from options and environment variables, and reports all problems at once. */

import { join, resolve } from 'node:path';
import { type Problem, UsageError } from '../../../src/base/errors.ts';
import { readSmallFile } from '../../../src/base/files.ts';
import { isUrl } from '../../../src/base/parse-url.ts';
import { formatProblem } from '../../../src/base/phrases.ts';
import { nameOfVariable, parseProxy } from '../../../src/base/proxy.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { invalidChoice } from '../../../src/cli/framework/options.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';
import { isExposed, parseBaseUrl } from '../../../src/profiles/rules.ts';
import { LOG_LEVELS } from '../../service/shared/settings.ts';

/** The options of the command line. A variable, then a default, applies to those that are left out. */
export interface SettingOptions {
  readonly baseUrl: string | undefined;
  readonly apiKeyFile: string | undefined;
  readonly concurrency: string | undefined;
  readonly logLevel: string | undefined;
  readonly healthPort: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  readonly proxyExceptions: string | undefined;
  readonly osDnsResolver: string | undefined;
  readonly externalObservability: string | undefined;
  readonly spool: string | undefined;
  readonly insecure: boolean;
}

type ParseSetting<T> = (text: string) => { readonly value: T } | { readonly problem: Omit<Problem, 'place'> };

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

const proxyUrl: ParseSetting<string> = (text) => {
  const parsed = parseProxy(text);
  return 'problem' in parsed ? { problem: { message: parsed.problem } } : { value: text };
};

/** Returns a reader that validates settings and collects the problems. */
function createReader(env: Deps['env']) {
  const problems: Problem[] = [];
  const reportProblem = (place: string, problem: Omit<Problem, 'place'>) =>
    void problems.push({ place, ...problem });
  return {
    problems,
    reportProblem,
    /** Parses the option, or else the variable. An empty variable counts as unset. */
    read<T>(
      option: string,
      given: string | undefined,
      variable: string,
      parse: ParseSetting<T>,
    ): T | undefined {
      const text = given ?? (env[variable]?.trim() || undefined);
      if (text === undefined) return undefined;
      const parsed = parse(text);
      if ('value' in parsed) return parsed.value;
      reportProblem(given === undefined ? variable : option, parsed.problem);
      return undefined;
    },
  };
}
type SettingReader = ReturnType<typeof createReader>;

/** Returns the settings of an agent. Throws UsageError with every problem. */
export function readSettings(deps: Deps, options: SettingOptions) {
  const { env, home, cwd } = deps;
  const reader = createReader(env);
  const { read, problems } = reader;
  const httpsProxy = read('--https-proxy', options.httpsProxy, nameOfVariable('HTTPS_PROXY', env), proxyUrl);
  const httpProxy = read('--http-proxy', options.httpProxy, nameOfVariable('HTTP_PROXY', env), proxyUrl);
  const settings = {
    getKey: createKeyReader(deps, options, reader),
    baseUrl: readBaseUrl(deps, options, reader),
    concurrency: read('--concurrency', options.concurrency, 'JOB_CONCURRENCY', wholeNumber(1, 10)) ?? 1,
    healthPort:
      read('--health-port', options.healthPort, 'AGENT_HEALTH_PORT', wholeNumber(0, 65_535)) ?? 8081,
    logLevel: read('--log-level', options.logLevel, 'LOG_LEVEL', oneOf(LOG_LEVELS)) ?? 'info',
    usesOsResolver: read('--os-dns-resolver', options.osDnsResolver, 'USE_OS_DNS_RESOLVER', onOrOff) ?? true,
    observability: readObservabilityUrl(options, reader),
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
function readObservabilityUrl(
  { externalObservability }: SettingOptions,
  { read }: SettingReader,
): string | undefined {
  const isOn = read('--external-observability', externalObservability, 'EXTERNAL_OBSERVABILITY', onOrOff);
  const url = read('', undefined, 'SONDE_OBSERVABILITY_URL', (text) =>
    isUrl(text) && (new URL(text).protocol === 'https:' || !isExposed(text))
      ? { value: text }
      : { problem: { message: 'must be an https URL' } },
  );
  return isOn === false ? undefined : url;
}

/** Returns the base URL. Plain http to another machine requires --insecure. */
function readBaseUrl(
  { env }: Deps,
  { baseUrl, insecure }: SettingOptions,
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
  const isAllowed = read('--insecure', insecure ? 'on' : undefined, 'SONDE_INSECURE', onOrOff) === true;
  if (isExposed(parsed.value) && !isAllowed) {
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
