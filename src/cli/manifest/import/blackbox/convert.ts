/** Converts the probes that Prometheus requests of blackbox_exporter to entries of a manifest. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { formatSeconds, scheduleOf } from '../check-parts.ts';
import { type Conversion, createConversion, type ImportResult, type ReportLoss } from '../conversion.ts';
import { convertItem, reportSettings, reportUnread } from '../convert-item.ts';
import { withoutCredentials } from '../http-parts.ts';
import { readWhole, trackSource } from '../tracked-source.ts';
import { mapOf, mapsOf, secondsOf, textOf } from '../values.ts';
import { convertHttp } from './http-probe.ts';
import { convertDns, convertIcmp, convertTcp } from './network-probes.ts';
import { DEFAULT_TIMEOUT, type Probe, TIMEOUT_MARGIN } from './probe.ts';
import { type BlackboxSource, type Job, paramOf, patternsOf } from './read-source.ts';
import { type Labels, relabel } from './relabel.ts';
import {
  JOB_FALLBACK,
  JOB_RULES,
  MODULE_FALLBACK,
  MODULE_RULES,
  PROMETHEUS_FALLBACK,
  PROMETHEUS_RULES,
  SECTION_RULES,
} from './rules.ts';
import { type FoundFiles, findFiles } from './target-files.ts';

const DEFAULT_INTERVAL = 60;

interface ProbeSource {
  /** The name of the job. */
  readonly job: string;
  readonly labels: Labels;
  readonly target: string;
  readonly module: string;
}

export function convertBlackbox(source: BlackboxSource): ImportResult {
  const { modules, jobs, targetFiles } = source;
  const conversion = createConversion();
  const patterns = jobs.flatMap(({ source: job, file }) =>
    patternsOf(job).map((pattern) => ({ pattern, from: file })),
  );
  const files = findFiles([...targetFiles.keys()], patterns);
  const probes = jobs.flatMap((job) => listProbes(job, source, files, conversion));
  const groups = new Set<string>();
  for (const probe of probes) {
    const check = convertProbe(probe, probes, modules, conversion);
    if (check === undefined) continue;
    if (!groups.has(probe.job))
      conversion.add('groups', { name: probe.job, useGlobalAlertSettings: null, retryStrategy: 'FALLBACK' });
    groups.add(probe.job);
    conversion.add('checks', check);
  }
  settleOtherTargets(source, files);
  reportRest(source, new Set(probes.map(({ module }) => module)), conversion);
  return conversion.finish();
}

/** The loss of a job without probes covers the files that only such jobs name. */
function settleOtherTargets({ jobs, modules, targetFiles }: BlackboxSource, files: FoundFiles): void {
  const filesOf = (areProbes: boolean): readonly string[] =>
    jobs
      .filter(({ source }) => isProbe(source, modules) === areProbes)
      .flatMap(({ source, file }) =>
        patternsOf(source).flatMap((pattern) => files.of({ pattern, from: file })),
      );
  const probed = new Set(filesOf(true));
  for (const file of filesOf(false)) if (!probed.has(file)) targetFiles.get(file)?.groups.forEach(readWhole);
}

/** Reports modules, files and settings that no probe uses. */
function reportRest(
  { configs, modules, targetFiles, missing, others }: BlackboxSource,
  used: ReadonlySet<string>,
  conversion: Conversion,
): void {
  for (const [name, module] of Object.entries(modules)) {
    if (!used.has(name)) conversion.lossesOf('module', name)('skipped', undefined, 'no probe uses it');
    readWhole(module);
  }
  for (const { shown, groups } of targetFiles.values())
    for (const source of groups)
      reportUnread(conversion, {
        kind: 'target file',
        name: shown,
        source,
        fallback: ['skipped', 'no job names it'],
      });
  for (const pattern of missing)
    conversion.lossesOf('file', pattern)('skipped', undefined, 'no such file was found; pass it too');
  for (const file of others)
    conversion.lossesOf('file', file)(
      'skipped',
      undefined,
      'it is no configuration of Prometheus or blackbox_exporter',
    );
  for (const config of configs) reportSettings(conversion, config, PROMETHEUS_RULES, PROMETHEUS_FALLBACK);
}

/** Whether a job requests probes. Other jobs scrape metrics. */
function isProbe(job: JsonObject, modules: JsonObject): boolean {
  return /\/probe$/.test(textOf(job.metrics_path)) || paramOf(job, 'module') in modules;
}

function listProbes(
  job: Job,
  source: BlackboxSource,
  files: FoundFiles,
  conversion: Conversion,
): readonly ProbeSource[] {
  const name = textOf(job.source.job_name);
  const item = { kind: 'job', name, source: job.source, rules: JOB_RULES, fallback: JOB_FALLBACK };
  const { value } = convertItem(conversion, item, (report) => {
    if (isProbe(job.source, source.modules)) return probesOf(job, name, source, files, report);
    report('skipped', undefined, 'it scrapes metrics and requests no probes');
    return undefined;
  });
  return value ?? [];
}

/** Returns the probes of the targets that the files list. Reports targets that Prometheus discovers while it runs. */
function probesOf(
  { source: job, global, file }: Job,
  name: string,
  { targetFiles }: BlackboxSource,
  files: FoundFiles,
  report: ReportLoss,
): readonly ProbeSource[] {
  for (const field of Object.keys(job)) {
    if (/_sd_configs$/.test(field) && field !== 'file_sd_configs')
      report('skipped', field, 'Prometheus finds the targets while it runs; list them as checks');
  }
  const found = patternsOf(job).flatMap((pattern) => {
    const own = files.of({ pattern, from: file });
    const field = `file_sd_configs ${pattern}`;
    const shared = files.rivalsOf({ pattern, from: file });
    if (shared.length > 0)
      report('skipped', field, 'several paths of the jobs fit the file; pass the folder that contains it');
    else if (own.length === 0) report('skipped', field, 'no such file was found; pass it too');
    return own.flatMap((path) => targetFiles.get(path)?.groups ?? []);
  });
  const { interval, timeout } = timesOf(job, global, report);
  const params = Object.keys(mapOf(job.params)).map((param) => [`__param_${param}`, paramOf(job, param)]);
  const rules = mapsOf(job.relabel_configs);
  return [...mapsOf(job.static_configs), ...found].flatMap(({ targets, labels }) =>
    (Array.isArray(targets) ? targets.map(String) : []).flatMap((address): readonly ProbeSource[] => {
      const own = Object.entries(mapOf(labels)).map(([label, value]) => [label, textOf(value)]);
      const initial: Labels = {
        job: name,
        __scrape_interval__: `${interval}s`,
        __scrape_timeout__: `${timeout}s`,
        ...Object.fromEntries([...params, ...own]),
        __address__: address,
      };
      const final = relabel(initial, rules);
      if (final === undefined) return [];
      // Without relabeling the target would be the exporter itself.
      return [
        {
          job: name,
          labels: final,
          target: final.__param_target ?? address,
          module: final.__param_module ?? 'http_2xx',
        },
      ];
    }),
  );
}

/** Returns the interval and the timeout of a job in seconds. Prometheus waits no longer than until the next scrape. */
function timesOf(job: JsonObject, global: JsonObject, report: ReportLoss) {
  const secondsIn = (source: JsonObject, field: string): number | undefined =>
    secondsOf(source[field]) || undefined;
  const globalInterval = secondsIn(global, 'scrape_interval') ?? DEFAULT_INTERVAL;
  const globalTimeout = secondsIn(global, 'scrape_timeout') ?? Math.min(DEFAULT_TIMEOUT, globalInterval);
  const interval = secondsIn(job, 'scrape_interval') ?? globalInterval;
  const own = secondsIn(job, 'scrape_timeout');
  if (own !== undefined && own > interval)
    report(
      'changed',
      'scrape_timeout',
      `${formatSeconds(own)} became ${formatSeconds(interval)}, the interval`,
    );
  return { interval, timeout: Math.min(own ?? globalTimeout, interval) };
}

function convertProbe(
  { job, labels, target, module: moduleName }: ProbeSource,
  all: readonly ProbeSource[],
  modules: JsonObject,
  conversion: Conversion,
): JsonObject | undefined {
  const instance = labels.instance ?? target;
  const isRepeated = all.filter((one) => (one.labels.instance ?? one.target) === instance).length > 1;
  const shown = withoutCredentials(instance);
  const name = isRepeated ? `${shown} (${moduleName})` : shown;
  const module = modules[moduleName];
  const source = trackSource(isObject(module) ? readWhole(module) : {});
  const prober = textOf(source.prober);
  const { [prober]: _, ...others } = SECTION_RULES;
  const item = {
    kind: 'probe',
    name,
    source,
    rules: { ...MODULE_RULES, ...others },
    fallback: MODULE_FALLBACK,
  };
  const { value, isPaused } = convertItem(conversion, item, (report) => {
    if (!isObject(module)) {
      report(
        'skipped',
        undefined,
        `the module ${moduleName} is not in the configuration of blackbox_exporter`,
      );
      return undefined;
    }
    const scrapeTimeout = (secondsOf(labels.__scrape_timeout__) ?? DEFAULT_TIMEOUT) - TIMEOUT_MARGIN;
    const timeoutSeconds = Math.min(scrapeTimeout, secondsOf(source.timeout) || scrapeTimeout);
    const fields = convertType(prober, { module: source, target, name, timeoutSeconds, conversion, report });
    if (fields === undefined) return undefined;
    reportParameters(labels, report);
    const { checkType, ...own } = fields;
    const unique = conversion.uniqueName('checks', name);
    if (unique !== name) report('changed', 'name', `another probe has this name; the check is "${unique}"`);
    const tags = Object.entries(labels)
      .filter(([label]) => !label.startsWith('__') && label !== 'job' && label !== 'instance')
      .map(([label, text]) => `${label}:${text}`);
    return {
      checkType,
      name: unique,
      group: job,
      ...(tags.length > 0 ? { tags } : {}),
      ...own,
      ...scheduleOf(secondsOf(labels.__scrape_interval__) ?? DEFAULT_INTERVAL, report),
      retryStrategy: null,
    };
  });
  return value && { ...value, ...(isPaused ? { activated: false } : {}) };
}

/** Reports parameters of the request to blackbox_exporter other than the target and the module. */
function reportParameters(labels: Labels, report: ReportLoss): void {
  const others = Object.keys(labels).filter((label) => /^__param_(?!(?:target|module)$)/.test(label));
  for (const label of others) {
    const name = label.replace('__param_', '');
    if (name === 'hostname')
      report('paused', 'params.hostname', 'the check sends and verifies the name of its URL');
    else report('changed', `params.${name}`, 'it concerns the request to blackbox_exporter, not the probe');
  }
}

function convertType(prober: string, probe: Probe): JsonObject | undefined {
  switch (prober) {
    case 'http':
      return convertHttp(probe);
    case 'tcp':
      return convertTcp(probe);
    case 'dns':
      return convertDns(probe);
    case 'icmp':
      return convertIcmp(probe);
    default:
      probe.report('skipped', undefined, `sonde has no check for the prober ${prober}`);
      return undefined;
  }
}
