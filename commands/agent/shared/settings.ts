/** What an agent is to be, by options and variables: all that is wrong or missing is told at once. */
import { join, resolve } from 'node:path';
import { type Problem, UsageError } from '../../../src/base/errors.ts';
import { phraseOf } from '../../../src/base/phrases.ts';
import { readSmallFile } from '../../../src/base/small-file.ts';
import { nearest } from '../../../src/base/suggest.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';
import { isExposed, parseBaseUrl } from '../../../src/profiles/rules.ts';

/** What was given as options; what was not counts by its variable, then by its default. */
export interface GivenSettings {
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

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

type Judge<T> = (text: string) => { readonly value: T } | { readonly problem: Omit<Problem, 'place'> };

const whole =
  (minimum: number, maximum: number): Judge<number> =>
  (text) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum
      ? { value }
      : { problem: { message: `must be a whole number from ${minimum} to ${maximum}, not "${text}"` } };
  };

const oneOf =
  <const T extends string>(allowed: readonly T[]): Judge<T> =>
  (text) => {
    const value = allowed.find((one) => one === text.toLowerCase());
    if (value !== undefined) return { value };
    const near = nearest(text, allowed);
    const message = `must be one of ${allowed.join(', ')}, not "${text}"`;
    return { problem: { message, allowed, ...(near === undefined ? {} : { nearest: near }) } };
  };

const YES = ['on', 'true', '1', 'yes'];
const NO = ['off', 'false', '0', 'no'];
const onOrOff: Judge<boolean> = (text) => {
  const said = text.toLowerCase();
  if (YES.includes(said)) return { value: true };
  if (NO.includes(said)) return { value: false };
  return { problem: { message: `must be on or off, not "${text}"`, allowed: ['on', 'off'] } };
};

/** A proxy's address may hold a password: what is wrong with it does not repeat it. */
const proxy: Judge<string> = (text) => {
  const url = text.includes('://') ? text : `http://${text}`;
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? { value: text }
    : { problem: { message: 'must be the URL of a proxy, such as http://proxy.example.com:3128' } };
};

/** Judges what was given, and remembers what is wrong. */
function judging(env: Deps['env']) {
  const problems: Problem[] = [];
  const complain = (place: string, problem: Omit<Problem, 'place'>) =>
    void problems.push({ place, ...problem });
  return {
    problems,
    complain,
    /** The option's text, else the variable's; an empty variable counts as one that is not set. */
    read<T>(option: string, given: string | undefined, variable: string, judge: Judge<T>): T | undefined {
      const text = given ?? (env[variable]?.trim() || undefined);
      if (text === undefined) return undefined;
      const judged = judge(text);
      if ('value' in judged) return judged.value;
      complain(given === undefined ? variable : option, judged.problem);
      return undefined;
    },
  };
}
type Judging = ReturnType<typeof judging>;

/** All that an agent is told but for what only the command line says. Throws UsageError with everything that is wrong. */
export function readSettings(deps: Deps, given: GivenSettings) {
  const { env, home, cwd } = deps;
  const judged = judging(env);
  const { read, problems } = judged;
  const httpsProxy = read('--https-proxy', given.httpsProxy, 'HTTPS_PROXY', proxy);
  const httpProxy = read('--http-proxy', given.httpProxy, 'HTTP_PROXY', proxy);
  const settings = {
    getKey: keyOf(deps, given, judged),
    baseUrl: addressOf(deps, given, judged),
    concurrency: read('--concurrency', given.concurrency, 'JOB_CONCURRENCY', whole(1, 10)) ?? 1,
    healthPort: read('--health-port', given.healthPort, 'AGENT_HEALTH_PORT', whole(0, 65_535)) ?? 8081,
    logLevel: read('--log-level', given.logLevel, 'LOG_LEVEL', oneOf(LOG_LEVELS)) ?? 'info',
    usesOsResolver: read('--os-dns-resolver', given.osDnsResolver, 'USE_OS_DNS_RESOLVER', onOrOff) ?? true,
    observability: observabilityOf(given, judged),
    spoolFolder:
      given.spool === undefined ? join(dataFolders(env, home).data, 'agent') : resolve(cwd, given.spool),
    env: {
      ...env,
      ...(given.httpsProxy === undefined ? {} : { HTTPS_PROXY: httpsProxy, https_proxy: httpsProxy }),
      ...(given.httpProxy === undefined ? {} : { HTTP_PROXY: httpProxy, http_proxy: httpProxy }),
      ...(given.proxyExceptions === undefined
        ? {}
        : { NO_PROXY: given.proxyExceptions, no_proxy: given.proxyExceptions }),
    },
  };
  readable(env.NODE_EXTRA_CA_CERTS, judged);
  if (problems.length > 0) {
    const [only] = problems;
    const isOne = problems.length === 1 && only !== undefined;
    throw new UsageError(
      isOne ? phraseOf(only) : `${problems.length} settings are invalid or missing; the agent did not start`,
      {
        details: problems,
        hint: 'set SONDE_BASE_URL, and set API_KEY to a key of the private location (sonde private-locations create-key <id>)\nfor usage, run: sonde agent start --help',
      },
    );
  }
  return settings;
}

/** Where errors of the agent are reported: nowhere unless somebody names an address, nor where it is switched off. */
function observabilityOf({ externalObservability }: GivenSettings, { read }: Judging): string | undefined {
  const isOn = read('--external-observability', externalObservability, 'EXTERNAL_OBSERVABILITY', onOrOff);
  const url = read('', undefined, 'SONDE_OBSERVABILITY_URL', (text) =>
    URL.canParse(text) && (new URL(text).protocol === 'https:' || !isExposed(text))
      ? { value: text }
      : { problem: { message: 'must be an https URL' } },
  );
  return isOn === false ? undefined : url;
}

/** Where the service is; a key is sent over plain http only where somebody said so. */
function addressOf({ env }: Deps, { baseUrl, insecure }: GivenSettings, { complain, read }: Judging): string {
  const place = baseUrl === undefined ? 'SONDE_BASE_URL' : '--base-url';
  const text = baseUrl ?? env.SONDE_BASE_URL?.trim();
  if (!text) {
    complain('SONDE_BASE_URL', { message: 'must be set to the URL of the service: https://host' });
    return '';
  }
  const judged = parseBaseUrl(text);
  if ('problem' in judged) {
    complain(place, { message: judged.problem });
    return '';
  }
  const isAllowed = read('--insecure', insecure ? 'on' : undefined, 'SONDE_INSECURE', onOrOff) === true;
  if (isExposed(judged.value) && !isAllowed) {
    complain(place, {
      message:
        'is plain http, which exposes the key: use https, or pass --insecure (SONDE_INSECURE=1) in a trusted network',
    });
  }
  return judged.value;
}

/** The key, read anew each time where it is in a file: it may be changed there without a restart. */
function keyOf({ env, cwd, usedKeys }: Deps, { apiKeyFile }: GivenSettings, { complain }: Judging) {
  const read = (): string =>
    apiKeyFile === undefined ? (env.API_KEY ?? '').trim() : readSmallFile(resolve(cwd, apiKeyFile)).trim();
  const place = apiKeyFile === undefined ? 'API_KEY' : '--api-key-file';
  try {
    const problem = keyProblem(read());
    if (problem !== undefined) complain(place, { message: problem });
  } catch (error) {
    complain(place, { message: `cannot be read: ${(error as Error).message}` });
  }
  return async () => {
    const key = read();
    usedKeys.add(key);
    return key;
  };
}

function keyProblem(key: string): string | undefined {
  if (key === '') return 'must be set to a key of the private location (pl_…)';
  if (key.startsWith('sk_'))
    return 'must be a key of the private location (pl_…), not a key of an account, which has far more access';
  return /^[\x21-\x7e]{8,512}$/.test(key)
    ? undefined
    : 'is not a valid key: it contains spaces or other invalid characters';
}

/** Node itself reads the file, and only warns where it cannot. */
function readable(file: string | undefined, { complain }: Judging): void {
  if (!file) return;
  const place = 'NODE_EXTRA_CA_CERTS';
  try {
    if (!readSmallFile(file, 10_000_000).includes('-----BEGIN CERTIFICATE-----'))
      complain(place, { message: 'must be a file with certificates (PEM)' });
  } catch (error) {
    complain(place, { message: `cannot be read: ${(error as Error).message}` });
  }
}
