/** Lays a manifest out as the files that teams keep in git: one for each group and section, and separate files for code. */
import { posix } from 'node:path';
import { groupBy, isObject, type JsonObject } from '../../../base/object.ts';
import { toFileYaml } from '../../../terminal/lazy/yaml.ts';
import { escapeVariables, isCode } from '../files/variables.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import type { Path } from '../manifest.ts';
import { moveCode } from './code-files.ts';
import type { DeclaredEntry, DeclaredManifest, ManifestFile, SuiteFiles } from './declared-manifest.ts';
import { createPaths } from './file-names.ts';

export type { DeclaredEntry, ManifestFile };

/** The files of the sections. Checks of a group are in the file of the group. */
const FILE_OF: Readonly<Record<Section, string>> = {
  snippets: 'snippets.yaml',
  variables: 'variables.yaml',
  privateLocations: 'private-locations.yaml',
  alertChannels: 'alert-channels.yaml',
  services: 'status-pages.yaml',
  codeBundles: 'code-bundles.yaml',
  groups: 'groups.yaml',
  checks: 'checks.yaml',
  statusPages: 'status-pages.yaml',
  maintenanceWindows: 'maintenance-windows.yaml',
  dashboards: 'dashboards.yaml',
};

/** Name of the JSON Schema beside the files. Manifests skip files that start with a dot. */
const SCHEMA_FILE = '.schema.json';

/** Escapes `${`, which means a reference, in the texts of an entry. */
export function escapeReferences<T>(value: T, path: Path = []): T {
  if (typeof value === 'string') return (isCode(path) ? value : escapeVariables(value)) as T;
  if (Array.isArray(value)) return value.map((item, index) => escapeReferences(item, [...path, index])) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, escapeReferences(item, [...path, name])]),
  ) as T;
}

const toSections = (entries: readonly DeclaredEntry[]): JsonObject =>
  Object.fromEntries(
    SECTIONS.flatMap((section) => {
      const own = entries.filter((entry) => entry.section === section);
      return own.length === 0 ? [] : [[section, own.map(({ fields }) => fields)]];
    }),
  );

/** Returns the manifest as one document. */
export function toManifestDocument({ project, variables = [], entries }: DeclaredManifest): JsonObject {
  const sections = toSections(entries);
  const all = [...variables, ...((sections.variables ?? []) as readonly unknown[])];
  return {
    ...(project === undefined ? {} : { project }),
    ...sections,
    ...(all.length === 0 ? {} : { variables: all }),
  };
}

const nameOf = ({ section, fields }: DeclaredEntry): string => formatName(kindOf(section), fields);

/** Returns the manifest as files, with the JSON Schema to which each refers. */
export async function createManifestFiles({
  project,
  variables = [],
  entries,
}: DeclaredManifest): Promise<readonly ManifestFile[]> {
  const { SCHEMA_TEXT } = await import('../schema/lazy/schema-text.ts');
  const makePath = createPaths();
  const sameNames = groupBy(entries, (entry) => `${entry.section} ${nameOf(entry)}`);
  // Without a project, only their order in a file identifies resources with one name.
  const isOrdered = (entry: DeclaredEntry): boolean =>
    project === undefined && sameNames.get(`${entry.section} ${nameOf(entry)}`)?.length !== 1;
  const groupFiles = new Map<unknown, string>();
  for (const entry of entries.filter(({ section }) => section === 'groups')) {
    const name = nameOf(entry);
    const path = isOrdered(entry)
      ? FILE_OF.groups
      : makePath({ folder: 'groups', name, fallback: 'group', extension: '.yaml' });
    groupFiles.set(entry.fields.key ?? name, path);
    // Checks refer to a group by its name unless another group has it, too.
    if (!groupFiles.has(name)) groupFiles.set(name, path);
  }
  const fileOf = (entry: DeclaredEntry): string => {
    const { section, fields } = entry;
    const group = section === 'groups' ? (fields.key ?? fields.name) : fields.group;
    const hasOwnFile = section === 'groups' || (section === 'checks' && !isOrdered(entry));
    return (hasOwnFile && groupFiles.get(group)) || FILE_OF[section];
  };
  const others: ManifestFile[] = [];
  const suites = new Map<SuiteFiles, string>();
  const addSuite = (suite: SuiteFiles, name: string): string => {
    const folder =
      suites.get(suite) ?? makePath({ folder: 'suites', name, fallback: 'suite', extension: '' });
    if (!suites.has(suite)) {
      others.push(
        ...Object.entries(suite).map(([path, content]) => ({ path: `${folder}/${path}`, content })),
      );
    }
    suites.set(suite, folder);
    return folder;
  };
  const documents: { path: string; document: JsonObject }[] = [];
  for (const [path, own] of groupBy(entries, fileOf)) {
    const relative = (to: string): string => relativePath(path, to);
    const target = {
      makePath,
      relative,
      addFiles: (files: readonly ManifestFile[]) => void others.push(...files),
    };
    const moved: DeclaredEntry[] = [];
    for (const entry of own) {
      const { section, suite } = entry;
      const fields = await moveCode(entry, target);
      const folder = suite && { suite: relative(addSuite(suite, nameOf(entry))) };
      moved.push({ section, fields: { ...fields, ...folder } });
    }
    documents.push({ path, document: toSections(moved) });
  }
  const head = {
    ...(project === undefined ? {} : { project }),
    ...(variables.length === 0 ? {} : { variables }),
  };
  if (Object.keys(head).length > 0) documents.unshift({ path: 'project.yaml', document: head });
  return [
    ...documents.map(({ path, document }) => ({
      path,
      content: `# yaml-language-server: $schema=${relativePath(path, SCHEMA_FILE)}\n${toFileYaml(document)}`,
    })),
    { path: SCHEMA_FILE, content: SCHEMA_TEXT, isGenerated: true },
    ...others,
  ];
}

/** Returns the path of a file as another file of the folder names it: `../scripts/login.spec.ts`. */
function relativePath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('../') ? path : `./${path}`;
}
