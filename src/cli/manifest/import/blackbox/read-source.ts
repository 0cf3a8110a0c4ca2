/** Reads the modules of blackbox_exporter and the scrape configurations of Prometheus. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { readYamlDocuments, type SourceDocument, type YamlSource } from '../read-yaml.ts';
import { trackSource } from '../tracked-source.ts';
import { mapOf, mapsOf, textOf } from '../values.ts';
import { type FilePattern, findFiles, matchLength } from './target-files.ts';

export interface Job {
  /** A view of the scrape configuration. */
  readonly source: JsonObject;
  /** A view of the settings of all jobs. */
  readonly global: JsonObject;
  /** The absolute path of its file. */
  readonly file: string;
}

export interface TargetFile {
  /** As the user can open it. */
  readonly shown: string;
  readonly groups: readonly JsonObject[];
}

export interface BlackboxSource {
  /** Views of the configurations of Prometheus and blackbox_exporter. */
  readonly configs: readonly JsonObject[];
  readonly modules: JsonObject;
  readonly jobs: readonly Job[];
  /** Patterns of `scrape_config_files` without a file. */
  readonly missing: readonly string[];
  /** Files with target groups. */
  readonly targetFiles: ReadonlyMap<string, TargetFile>;
  /** Files of another kind. */
  readonly others: readonly string[];
}

interface Config {
  readonly path: string;
  readonly shown: string;
  readonly view: JsonObject;
}

const SECTIONS = ['modules', 'global', 'scrape_configs', 'scrape_config_files'];

const isConfig = (value: unknown): value is JsonObject =>
  isObject(value) && SECTIONS.some((name) => name in value);

const isTargets = (value: unknown): boolean =>
  Array.isArray(value) && value.some((group: unknown) => isObject(group) && 'targets' in group);

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

export const patternsOf = (job: JsonObject): readonly string[] =>
  mapsOf(job.file_sd_configs).flatMap(({ files }) => textsOf(files));

/** Reads files and folders. Throws UsageError if modules or scrape configurations are missing. */
export async function readBlackbox(source: YamlSource, paths: readonly string[]): Promise<BlackboxSource> {
  const passed = (await Promise.all(paths.map((path) => readYamlDocuments(source, path)))).flat();
  const documents = [...passed, ...(await readReferenced(source, passed))];
  const configs: readonly Config[] = documents.flatMap(({ file, value }) =>
    isConfig(value) ? [{ path: resolve(source.cwd, file), shown: file, view: trackSource(value) }] : [],
  );
  const modules = Object.assign({}, ...configs.map(({ view }) => mapOf(view.modules))) as JsonObject;
  const { jobs, missing } = listJobs(configs);
  const shown = paths.join(' ');
  if (Object.keys(modules).length === 0)
    throw new UsageError(`${shown} has no modules of blackbox_exporter`, {
      hint: 'also pass its configuration, such as blackbox.yml',
    });
  if (jobs.length === 0) {
    throw new UsageError(`${shown} has no scrape_configs of Prometheus`, {
      hint: `also pass its configuration, such as ${missing[0] ?? 'prometheus.yml'}`,
    });
  }
  const targets = documents.filter(({ value }) => isTargets(value));
  return {
    configs: configs.map(({ view }) => view),
    modules,
    jobs,
    missing,
    targetFiles: new Map(
      targets.map(({ file, value }) => [
        resolve(source.cwd, file),
        { shown: file, groups: mapsOf(value).map(trackSource) },
      ]),
    ),
    others: documents.filter(({ value }) => !isConfig(value) && !isTargets(value)).map(({ file }) => file),
  };
}

/** Returns the jobs of all files. The file that names another one in `scrape_config_files` has its global settings. */
function listJobs(configs: readonly Config[]): Pick<BlackboxSource, 'jobs' | 'missing'> {
  const patterns = configs.flatMap(({ path, view }) =>
    textsOf(view.scrape_config_files).map((pattern) => ({ pattern, from: path, global: mapOf(view.global) })),
  );
  const found = findFiles(
    configs.map(({ path }) => path),
    patterns,
  );
  const jobs = configs.flatMap(({ path, view }) => {
    const parent = patterns.find((pattern) => found.of(pattern).includes(path));
    const global = 'global' in view ? mapOf(view.global) : (parent?.global ?? {});
    return mapsOf(view.scrape_configs).map((job) => ({ source: job, global, file: path }));
  });
  const missing = patterns.filter((pattern) => found.of(pattern).length === 0);
  return { jobs, missing: missing.map(({ pattern }) => pattern) };
}

/** Reads files that the configurations name and that exist beside them, but were not passed. */
async function readReferenced(
  source: YamlSource,
  passed: readonly SourceDocument[],
): Promise<readonly SourceDocument[]> {
  const known = new Set(passed.map(({ file }) => resolve(source.cwd, file)));
  const named = passed.flatMap(({ file, value }): readonly FilePattern[] => {
    if (!isConfig(value) || file === '-') return [];
    const jobs = mapsOf(value.scrape_configs).flatMap(patternsOf);
    const from = resolve(source.cwd, file);
    return [...textsOf(value.scrape_config_files), ...jobs].map((pattern) => ({ pattern, from }));
  });
  const files = new Set<string>();
  for (const { pattern, from } of named) {
    const folder = resolve(dirname(from), dirname(pattern));
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => matchLength(basename(pattern), one) === 1)) {
      const path = join(folder, name);
      if (!known.has(path)) files.add(relative(source.cwd, path));
    }
  }
  const more = (await Promise.all([...files].map((file) => readYamlDocuments(source, file)))).flat();
  return more.length === 0 ? more : [...more, ...(await readReferenced(source, [...passed, ...more]))];
}

/** Returns the first value of a parameter. */
export const paramOf = (job: JsonObject, name: string): string => {
  const values = mapOf(job.params)[name];
  return textOf(Array.isArray(values) ? values[0] : values);
};
