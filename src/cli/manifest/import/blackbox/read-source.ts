/** Reads the modules of blackbox_exporter and the scrape configurations of Prometheus. */
import { basename } from 'node:path';
import { UsageError } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { readYamlDocuments, type YamlSource } from '../read-yaml.ts';
import { mapOf, mapsOf, textOf } from '../values.ts';

export interface BlackboxSource {
  readonly modules: JsonObject;
  /** With the intervals of `global`. */
  readonly jobs: readonly JsonObject[];
  /** Returns the target groups of files whose name matches a pattern of `file_sd_configs`. */
  readonly findTargets: (pattern: string) => readonly JsonObject[];
}

/** Reads files and folders. Throws UsageError if modules or scrape configurations are missing. */
export async function readBlackbox(source: YamlSource, paths: readonly string[]): Promise<BlackboxSource> {
  const documents = (await Promise.all(paths.map((path) => readYamlDocuments(source, path)))).flat();
  const modules = Object.assign(
    {},
    ...documents.map(({ value }) => mapOf(mapOf(value).modules)),
  ) as JsonObject;
  const jobs = documents.flatMap(({ value }) => {
    const { scrape_interval, scrape_timeout } = mapOf(mapOf(value).global);
    return mapsOf(mapOf(value).scrape_configs).map((job) => ({
      ...(scrape_interval === undefined ? {} : { scrape_interval }),
      ...(scrape_timeout === undefined ? {} : { scrape_timeout }),
      ...job,
    }));
  });
  const shown = paths.join(' ');
  if (Object.keys(modules).length === 0)
    throw new UsageError(`${shown} has no modules of blackbox_exporter`, {
      hint: 'also pass its configuration, such as blackbox.yml',
    });
  if (jobs.length === 0)
    throw new UsageError(`${shown} has no scrape_configs of Prometheus`, {
      hint: 'also pass its configuration, such as prometheus.yml',
    });
  return {
    modules,
    jobs,
    findTargets(pattern) {
      const [name = ''] = pattern.split('/').slice(-1);
      const regex = new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
      return documents
        .filter(({ file, value }) => Array.isArray(value) && regex.test(basename(file)))
        .flatMap(({ value }) => (value as readonly unknown[]).filter(isObject));
    },
  };
}

/** Returns the first value of a parameter. */
export const paramOf = (job: JsonObject, name: string): string => {
  const values = mapOf(job.params)[name];
  return textOf(Array.isArray(values) ? values[0] : values);
};
