/** Defines the rules between fields that JSON Schema cannot express. Endpoints refer to them by name. */

import { cronProblem, timezoneProblem } from '../base/cron.ts';
import { isObject } from '../base/object.ts';
import { alertChannelRow } from './alert-channel-types.ts';
import type { RequestParts, Violation } from './endpoint.ts';
import type { TimeUnit } from './enumerations.ts';
import { listMissingPackages, SCRIPT_PACKAGE_NAMES } from './script-packages.ts';

export { maintenanceWindow } from './maintenance-window-rule.ts';
export { sendableTexts } from './sendable-texts.ts';

const SIX_HOURS = 6 * 60 * 60;

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function broken(
  place: Pick<Violation, 'in' | 'path'>,
  keyword: string,
  message: string,
  more: Partial<Violation> = {},
): readonly Violation[] {
  return [{ ...place, keyword, message, origin: 'specification', ...more }];
}

/** The three frequencyOffset rules (specification, DNS check). The default frequency is 10 minutes. */
export function frequencyOffset({ body }: RequestParts): readonly Violation[] {
  const { frequency = 10, frequencyOffset: offset } = fields(body);
  const place = { in: 'body', path: ['frequencyOffset'] } as const;
  if (typeof frequency !== 'number' || typeof offset !== 'number') return [];
  if (frequency === 0) {
    return [10, 20, 30].includes(offset)
      ? []
      : broken(place, 'frequencyOffset', 'must be 10, 20 or 30 (seconds) when frequency is 0', {
          allowed: [10, 20, 30],
        });
  }
  const most = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
  if (offset >= 1 && offset <= most) return [];
  return broken(place, 'frequencyOffset', `must be between 1 and ${most} when frequency is ${frequency}`);
}

/** A name server requires a port, and a port a name server. */
export function nameServerWithPort({ body }: RequestParts): readonly Violation[] {
  const request = fields(fields(body).request);
  const missing =
    request.nameServer !== undefined && request.port === undefined
      ? 'port'
      : request.port !== undefined && request.nameServer === undefined
        ? 'nameServer'
        : undefined;
  if (!missing) return [];
  const present = missing === 'port' ? 'nameServer' : 'port';
  return broken(
    { in: 'body', path: ['request', missing] },
    'required',
    `is required when request.${present} is set`,
    { origin: 'gaps' },
  );
}

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
/** Characters of a wrong target in a message. */
const QUOTED_TARGET = 100;

/** Sources with a numeric value, and its unit. */
const AMOUNTS: Readonly<Record<string, string | undefined>> = {
  RESPONSE_TIME: 'a number of milliseconds',
  LATENCY: 'a number of milliseconds',
  PACKET_LOSS: 'a percentage',
  STATUS_CODE: 'a status code such as 200',
};

/** Ordering comparisons and numeric sources need a numeric target; no other target can match. */
export function assertionTargets({ body }: RequestParts): readonly Violation[] {
  const { assertions } = fields(fields(body).request);
  if (!Array.isArray(assertions)) return [];
  return assertions.flatMap((assertion: unknown, index) => {
    const { source, comparison, target = '' } = fields(assertion);
    const amount = AMOUNTS[String(source)];
    const ordered = comparison === 'GREATER_THAN' || comparison === 'LESS_THAN';
    const same = comparison === 'EQUALS' || comparison === 'NOT_EQUALS';
    if (!(ordered || (same && amount !== undefined)) || typeof target !== 'string' || NUMBER.test(target))
      return [];
    const what = amount ?? 'a number';
    return broken(
      { in: 'body', path: ['request', 'assertions', index, 'target'] },
      'assertionTargets',
      `must be ${what} for ${source} ${comparison}, not ${JSON.stringify(target.slice(0, QUOTED_TARGET))}`,
    );
  });
}

const UNIT_SECONDS: Readonly<Record<TimeUnit, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};
const LEAST_PERIOD_SECONDS = 30;
const LONGEST_SECONDS = 365 * UNIT_SECONDS.days;

/** Converts an amount of a unit to seconds, for the period and grace of heartbeats. */
export const secondsOf = (amount: number, unit: TimeUnit): number => amount * UNIT_SECONDS[unit];

/** A heartbeat has a period or a cron expression. The period is 30 seconds to 365 days, the grace at most 365 days. */
export function heartbeatTimes({ body }: RequestParts): readonly Violation[] {
  const heartbeat = fields(fields(body).heartbeat);
  const { cron, timezone } = heartbeat;
  const hasCron = typeof cron === 'string' && cron !== '';
  const invalid = (name: string, problem: string | undefined) =>
    problem === undefined ? [] : broken({ in: 'body', path: ['heartbeat', name] }, 'heartbeatTimes', problem);
  // The two fields exist only here, so that no deployment can accept other values.
  const cronProblems = [
    ...(hasCron ? invalid('cron', cronProblem(cron)) : []),
    ...(typeof timezone === 'string' && timezone !== ''
      ? invalid('timezone', timezoneProblem(timezone))
      : []),
  ];
  const amounts = (['period', 'grace'] as const).flatMap((name) => {
    const [amount, unit] = [heartbeat[name], heartbeat[`${name}Unit`]];
    if (name === 'period' && !hasCron && isObject(fields(body).heartbeat)) {
      const missing = [
        amount === undefined ? ['period'] : [],
        unit === undefined ? ['periodUnit'] : [],
      ].flat();
      if (missing.length > 0)
        return missing.flatMap((each) =>
          broken(
            { in: 'body', path: ['heartbeat', each] },
            'required',
            'is required unless heartbeat.cron is set',
            {
              origin: 'gaps',
            },
          ),
        );
    }
    if (typeof amount !== 'number' || !isUnit(unit)) return [];
    const seconds = secondsOf(amount, unit);
    const place = { in: 'body', path: ['heartbeat', name] } as const;
    if (seconds > LONGEST_SECONDS)
      return broken(place, 'heartbeatTimes', 'must be at most 365 days', { origin: 'gaps' });
    if (name === 'period' && seconds < LEAST_PERIOD_SECONDS)
      return broken(place, 'heartbeatTimes', 'must be at least 30 seconds', { origin: 'gaps' });
    return [];
  });
  return [...cronProblems, ...amounts];
}

const isUnit = (unit: unknown): unit is TimeUnit => typeof unit === 'string' && unit in UNIT_SECONDS;

const LONGEST_PATH = 500;

/** Returns why a path relative to a script is invalid, as a predicate. Both slashes separate folders. */
function pathProblem(path: string): string | undefined {
  const steps = path.split(/[\\/]/);
  if (path.length > LONGEST_PATH) return `must have at most ${LONGEST_PATH} characters`;
  if (/\p{Cc}/u.test(path)) return 'must not contain a NUL or another control character';
  if (steps[0] === '' || /^[A-Za-z]:/.test(path))
    return "must be relative to the script's folder, without a drive or a leading slash";
  if (steps.includes('..')) return "must not contain ..: use a path relative to the script's folder";
  if (steps.includes('node_modules')) return 'must not be in node_modules, which the runtime provides';
  return ['', '.'].includes(steps.at(-1) ?? '') ? 'must name a file' : undefined;
}

/** A script and its imported files share one folder, so their names must differ. */
export function scriptPaths({ body }: RequestParts): readonly Violation[] {
  const { scriptPath, dependencies } = fields(body);
  const wrong = (path: Violation['path'], message: string) =>
    broken({ in: 'body', path }, 'scriptPaths', message, { origin: 'gaps' });
  const found: Violation[] = [];
  if (typeof scriptPath === 'string' && scriptPath.trim() !== '') {
    const problem = pathProblem(scriptPath);
    if (problem !== undefined) found.push(...wrong(['scriptPath'], problem));
  }
  const seen = new Set<string>();
  for (const [index, dependency] of (Array.isArray(dependencies) ? dependencies : []).entries()) {
    const { path } = fields(dependency);
    if (typeof path !== 'string') continue;
    const plain = path
      .split(/[\\/]/)
      .filter((step) => step !== '.' && step !== '')
      .join('/');
    const problem =
      pathProblem(path === '' ? '.' : path) ??
      (seen.has(plain) ? 'must not repeat the path of another dependency' : undefined);
    if (problem !== undefined) found.push(...wrong(['dependencies', index, 'path'], problem));
    seen.add(plain);
  }
  return found;
}

const SCRIPT_FIELDS = ['script', 'localSetupScript', 'localTearDownScript'];
/** A dependency that may map other names to files. */
const PATH_SETTINGS = /(?:^|[\\/])(?:(?:ts|js)config[^\\/]*|package)\.json$/;

/** A script imports only packages that exist where it runs. An inactive check may wait for the mending of its script. */
export function scriptPackages({ body }: RequestParts): readonly Violation[] {
  const { activated, dependencies, ...scripts } = fields(body);
  const files = (Array.isArray(dependencies) ? dependencies : []).map((dependency, index) => ({
    place: ['dependencies', index, 'content'],
    ...fields(dependency),
  })) as readonly {
    readonly place: Violation['path'];
    readonly path?: unknown;
    readonly content?: unknown;
  }[];
  if (activated === false || files.some(({ path }) => PATH_SETTINGS.test(String(path)))) return [];
  const codes = [
    ...SCRIPT_FIELDS.map((name) => ({ place: [name], content: scripts[name] })),
    ...files.filter(({ path }) => CODE.test(String(path))),
  ];
  return codes.flatMap(({ place, content }) => {
    const missing = typeof content === 'string' ? listMissingPackages(content) : [];
    if (missing.length === 0) return [];
    const message = `imports ${missing.join(', ')}, which scripts do not have. They can import ${SCRIPT_PACKAGE_NAMES.join(', ')}, the modules of Node.js, and dependencies by relative paths`;
    return broken({ in: 'body', path: place }, 'scriptPackages', message, { origin: 'gaps' });
  });
}

const CODE = /\.[cm]?[jt]sx?$/;

/** A test session runs either checks or a suite; Playwright itself retries the tests of a suite. */
export function suiteAlone({ body }: RequestParts): readonly Violation[] {
  const { suite, target, retryStrategy } = fields(body);
  if (suite === undefined) return [];
  const wrong = (field: string, message: string) =>
    broken({ in: 'body', path: [field] }, 'suiteAlone', message, { origin: 'gaps' });
  return [
    ...(target === undefined
      ? []
      : wrong('target', 'must not be set together with suite, which runs instead of checks')),
    ...(retryStrategy === undefined
      ? []
      : wrong(
          'retryStrategy',
          'must not be set together with suite: set retries in the Playwright configuration',
        )),
  ];
}

/** The time range of result listings is at most 6 hours (specification, endpoint 20, rule 8). */
export function resultWindow({ query }: RequestParts): readonly Violation[] {
  const { from, to } = query;
  if (typeof from !== 'number' || typeof to !== 'number') return [];
  const place = { in: 'query', path: ['to'] } as const;
  if (to < from) return broken(place, 'resultWindow', 'must not be before from');
  if (to - from <= SIX_HOURS) return [];
  return broken(place, 'resultWindow', 'must be at most 6 hours (21600 s) after from');
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Returns the missing fields of a channel configuration, by channel type. */
function missingOfConfig(type: unknown, config: unknown, origin: Violation['origin']): readonly Violation[] {
  return (alertChannelRow(type)?.required ?? [])
    .filter((name) => isMissing(fields(config)[name]))
    .flatMap((name) =>
      broken({ in: 'body', path: ['config', name] }, 'required', `is required when type is ${type}`, {
        origin,
      }),
    );
}

/** Required fields of an alert channel configuration, by channel type. */
export function alertChannelConfig({ body }: RequestParts): readonly Violation[] {
  const { type, config } = fields(body);
  return config === undefined ? [] : missingOfConfig(type, config, 'gaps');
}

/** Without a configuration, each field that the type needs is missing, also in a change: it would not fit a new type. */
export function channelTypeNeedsConfig({ body }: RequestParts): readonly Violation[] {
  const { type, config } = fields(body);
  return config === undefined ? missingOfConfig(type, config, 'specification') : [];
}

/** Returns the time range of a result listing in seconds, with the defaults of the specification (endpoint 20, rule 8). */
export function resultWindowOf(query: { from?: number; to?: number }, nowSeconds: number) {
  if (query.from === undefined) {
    const to = query.to ?? nowSeconds;
    return { from: to - SIX_HOURS, to };
  }
  return { from: query.from, to: query.to ?? query.from + SIX_HOURS };
}
