/** Converts the probes that Prometheus requests of blackbox_exporter to entries of a manifest. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { scheduleOf } from '../check-parts.ts';
import { type Conversion, createConversion, type ImportResult, watchLosses } from '../conversion.ts';
import { withoutCredentials } from '../http-parts.ts';
import { mapOf, mapsOf, secondsOf, textOf } from '../values.ts';
import { convertHttp } from './http-probe.ts';
import { convertDns, convertIcmp, convertTcp } from './network-probes.ts';
import type { Probe } from './probe.ts';
import { type BlackboxSource, paramOf } from './read-source.ts';
import { type Labels, relabel } from './relabel.ts';

const DEFAULT_INTERVAL = 60;
const DEFAULT_TIMEOUT = 10;
/** blackbox_exporter ends before the scrape does. */
const TIMEOUT_MARGIN = 0.5;

interface ProbeSource {
  readonly job: JsonObject;
  readonly labels: Labels;
  readonly target: string;
  readonly module: string;
}

export function convertBlackbox(source: BlackboxSource): ImportResult {
  const conversion = createConversion();
  const probes = source.jobs
    .filter((job) => isProbe(job, source.modules))
    .flatMap((job) => listProbes(job, source, conversion));
  const groups = new Set<string>();
  for (const probe of probes) {
    const group = textOf(probe.job.job_name);
    const check = convertProbe(probe, probes, source.modules, conversion);
    if (check === undefined) continue;
    if (!groups.has(group))
      conversion.add('groups', { name: group, useGlobalAlertSettings: null, retryStrategy: 'FALLBACK' });
    groups.add(group);
    conversion.add('checks', check);
  }
  return conversion.finish();
}

/** Whether a job requests probes. Other jobs scrape metrics. */
function isProbe(job: JsonObject, modules: JsonObject): boolean {
  return /\/probe$/.test(textOf(job.metrics_path)) || paramOf(job, 'module') in modules;
}

/** Returns the probes of the static targets of a job. Reports targets that Prometheus discovers while it runs. */
function listProbes(
  job: JsonObject,
  { findTargets }: BlackboxSource,
  conversion: Conversion,
): readonly ProbeSource[] {
  const name = textOf(job.job_name);
  const report = conversion.lossesOf('job', name);
  for (const field of Object.keys(job)) {
    if (/_sd_configs$/.test(field) && field !== 'file_sd_configs')
      report('skipped', field, 'Prometheus finds the targets while it runs; list them as checks');
  }
  const files = mapsOf(job.file_sd_configs).flatMap(({ files }) =>
    Array.isArray(files) ? files.map(String) : [],
  );
  const found = files.flatMap((pattern) => {
    const targets = findTargets(pattern);
    if (targets.length === 0)
      report('skipped', `file_sd_configs ${pattern}`, 'no such file was passed; pass it too');
    return targets;
  });
  const params = Object.keys(mapOf(job.params)).map((param) => [`__param_${param}`, paramOf(job, param)]);
  return [...mapsOf(job.static_configs), ...found].flatMap(({ targets, labels }) =>
    (Array.isArray(targets) ? targets.map(String) : []).flatMap((address): readonly ProbeSource[] => {
      const own = Object.entries(mapOf(labels)).map(([label, value]) => [label, textOf(value)]);
      const initial: Labels = { job: name, ...Object.fromEntries([...params, ...own]), __address__: address };
      const final = relabel(initial, mapsOf(job.relabel_configs));
      if (final === undefined) return [];
      // Without relabeling the target would be the exporter itself.
      return [
        {
          job,
          labels: final,
          target: final.__param_target ?? address,
          module: final.__param_module ?? 'http_2xx',
        },
      ];
    }),
  );
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
  const { report, state } = watchLosses(conversion, 'probe', name);
  const module = modules[moduleName];
  if (!isObject(module)) {
    report('skipped', undefined, `the module ${moduleName} is not in the configuration of blackbox_exporter`);
    return undefined;
  }
  const scrapeTimeout = (secondsOf(job.scrape_timeout) ?? DEFAULT_TIMEOUT) - TIMEOUT_MARGIN;
  const timeoutSeconds = Math.min(scrapeTimeout, secondsOf(module.timeout) || scrapeTimeout);
  const fields = convertType({ module, target, name, timeoutSeconds, conversion, report });
  if (fields === undefined) return undefined;
  const { checkType, ...own } = fields;
  const unique = conversion.uniqueName('checks', name);
  if (unique !== name) report('changed', 'name', `another probe has this name; the check is "${unique}"`);
  const tags = Object.entries(labels)
    .filter(([label]) => !label.startsWith('__') && label !== 'job' && label !== 'instance')
    .map(([label, value]) => `${label}:${value}`);
  return {
    checkType,
    name: unique,
    ...(state.isPaused ? { activated: false } : {}),
    group: textOf(job.job_name),
    ...(tags.length > 0 ? { tags } : {}),
    ...own,
    ...scheduleOf(secondsOf(job.scrape_interval) ?? DEFAULT_INTERVAL, report),
    retryStrategy: null,
  };
}

function convertType(probe: Probe): JsonObject | undefined {
  const prober = textOf(probe.module.prober);
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
