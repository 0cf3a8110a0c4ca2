/** Reads a project of the npm client, or answers of the API in JSON files. */
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { UsageError } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/object.ts';
import type { Section } from '../../kinds.ts';
import { readYamlDocuments, type YamlSource } from '../read-yaml.ts';
import { mapsOf } from '../values.ts';
import type { Answers } from './convert-answers.ts';

const CONFIGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((ending) => `checkly.config.${ending}`);

/** Returns the absolute folder of a project; undefined if the path is none. */
export function findProject(cwd: string, path: string): string | undefined {
  const folder = resolve(cwd, path);
  if (CONFIGS.includes(basename(folder))) return resolve(folder, '..');
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && CONFIGS.some((name) => existsSync(resolve(folder, name))) ? folder : undefined;
}

/** Names of lists, without case, hyphens and the like: of fields and of files. */
const LISTS: Readonly<Record<string, Section>> = {
  checks: 'checks',
  groups: 'groups',
  checkgroups: 'groups',
  alertchannels: 'alertChannels',
  snippets: 'snippets',
  variables: 'variables',
  environmentvariables: 'variables',
  privatelocations: 'privateLocations',
  maintenancewindows: 'maintenanceWindows',
  dashboards: 'dashboards',
  statuspages: 'statusPages',
  services: 'services',
  statuspageservices: 'services',
};

const toListName = (name: string): string =>
  name
    .replace(/\.json$/i, '')
    .replace(/[^a-z]/gi, '')
    .toLowerCase();

/** Reads a file with lists by name, or a folder with a file for each list. Throws UsageError if there is no list. */
export async function readAnswers(source: YamlSource, path: string): Promise<Answers> {
  const answers: Partial<Record<Section, JsonObject[]>> = {};
  const add = (name: string, value: unknown): void => {
    const section = LISTS[toListName(name)];
    // Some lists are in an object with the number of entries.
    const rows = mapsOf(isObject(value) ? (value.entries ?? value.items) : value);
    if (section !== undefined) answers[section] = [...(answers[section] ?? []), ...rows];
  };
  for (const { file, value } of await readYamlDocuments(source, path)) {
    add(basename(file), value);
    if (isObject(value)) for (const [name, list] of Object.entries(value)) add(name, list);
  }
  if (Object.values(answers).some((rows) => rows.length > 0)) return answers;
  throw new UsageError(`${path} is neither a project with checkly.config.ts nor a list of checks`, {
    hint: 'pass the folder of the project, or JSON answers of the API such as checks.json; of an account that you can reach, use: sonde export --profile NAME',
  });
}
