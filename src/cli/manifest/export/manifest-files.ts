/** Lays a manifest out as the files that teams keep in git: one for each group and section, and code in files of its own. */
import { posix } from 'node:path';
import { groupBy, isObject, type JsonObject } from '../../../base/object.ts';
import { toFileYaml } from '../../../terminal/lazy/yaml.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../kinds.ts';
import { createPaths } from './file-names.ts';

/** One resource as a file declares it. `${NAME}` in its texts is a reference: see `escapeReferences`. */
export interface DeclaredEntry {
  readonly section: Section;
  readonly fields: JsonObject;
  /** The files of a Playwright project, by path. Checks with the same object share a folder. */
  readonly suite?: SuiteFiles;
}

export type SuiteFiles = Readonly<Record<string, Uint8Array>>;

export interface DeclaredManifest {
  readonly project?: string | undefined;
  readonly entries: readonly DeclaredEntry[];
}

/** A file to write. The path has `/` and is relative to the folder of the manifest. */
export interface ManifestFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether only the owner may read it. */
  readonly isSecret?: boolean;
}

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

/** Where the texts of code fields go. */
const CODE_FILES: Readonly<Record<string, { readonly folder: string; readonly extension: string }>> = {
  script: { folder: 'scripts', extension: '.spec.ts' },
  localSetupScript: { folder: 'scripts', extension: '.setup.js' },
  localTearDownScript: { folder: 'scripts', extension: '.teardown.js' },
  prompt: { folder: 'prompts', extension: '.md' },
  template: { folder: 'templates', extension: '.txt' },
};
const SNIPPET_FILE = { folder: 'snippets', extension: '.js' };

/** Name of the JSON Schema beside the files. Manifests skip files that start with a dot. */
const SCHEMA_FILE = '.schema.json';

/** Escapes `${`, which means a reference, in the texts of a value. */
export function escapeReferences<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${') as T;
  if (Array.isArray(value)) return value.map(escapeReferences) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isCodeField(name) ? item : escapeReferences(item)]),
  ) as T;
}

/** Whether `${` has no meaning in a field. */
const isCodeField = (name: string): boolean => name in CODE_FILES || name === 'dependencies';

const toSections = (entries: readonly DeclaredEntry[]): JsonObject =>
  Object.fromEntries(
    SECTIONS.flatMap((section) => {
      const own = entries.filter((entry) => entry.section === section);
      return own.length === 0 ? [] : [[section, own.map(({ fields }) => fields)]];
    }),
  );

/** Returns the manifest as one document. */
export const toManifestDocument = ({ project, entries }: DeclaredManifest): JsonObject => ({
  ...(project === undefined ? {} : { project }),
  ...toSections(entries),
});

const nameOf = ({ section, fields }: DeclaredEntry): string => formatName(kindOf(section), fields);

/** Returns the manifest as files. `schema`: the JSON Schema of the files. */
export function createManifestFiles(
  { project, entries }: DeclaredManifest,
  schema: string,
): readonly ManifestFile[] {
  const makePath = createPaths();
  const groupFiles = new Map<unknown, string>();
  for (const entry of entries) {
    if (entry.section !== 'groups') continue;
    const name = nameOf(entry);
    groupFiles.set(
      entry.fields.key ?? name,
      makePath({ folder: 'groups', name, fallback: 'group', extension: '.yaml' }),
    );
  }
  const fileOf = ({ section, fields }: DeclaredEntry): string => {
    const group = section === 'groups' ? (fields.key ?? fields.name) : section === 'checks' && fields.group;
    return groupFiles.get(group) ?? FILE_OF[section];
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
  const documents = [...groupBy(entries, fileOf)].map(([path, own]) => {
    const relative = (to: string): string => relativePath(path, to);
    const moved = own.map((entry): DeclaredEntry => {
      const fields = moveCode(entry, (parts, content) => {
        const to = makePath({ ...parts, fallback: kindOf(entry.section).noun.replaceAll(' ', '-') });
        others.push({ path: to, content });
        return relative(to);
      });
      const { suite } = entry;
      if (suite === undefined) return { ...entry, fields };
      return { ...entry, fields: { ...fields, suite: relative(addSuite(suite, nameOf(entry))) } };
    });
    return { path, document: toSections(moved) };
  });
  if (project !== undefined) documents.unshift({ path: 'project.yaml', document: { project } });
  return [
    ...documents.map(({ path, document }) => ({
      path,
      content: `# yaml-language-server: $schema=${relativePath(path, SCHEMA_FILE)}\n${toFileYaml(document)}`,
    })),
    { path: SCHEMA_FILE, content: schema },
    ...others,
  ];
}

/** Returns the path of a file as another file of the folder names it: `../scripts/login.spec.ts`. */
function relativePath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('../') ? path : `./${path}`;
}

type AddFile = (
  parts: { readonly folder: string; readonly extension: string; readonly name: string },
  content: string,
) => string;

/** Moves code of several lines to files. A script with dependencies stays beside them. */
function moveCode(entry: DeclaredEntry, addFile: AddFile): JsonObject {
  const name = nameOf(entry);
  const move = (fields: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([field, value]) => {
        if (isObject(value)) return [field, move(value)];
        const target = field === 'script' && entry.section === 'snippets' ? SNIPPET_FILE : CODE_FILES[field];
        const staysInline = field === 'script' && 'dependencies' in fields;
        if (target === undefined || staysInline || typeof value !== 'string' || !needsFile(value))
          return [field, value];
        return [`${field}File`, addFile({ ...target, name }, value)];
      }),
    );
  return move(entry.fields);
}

/** Whether a text has several lines. A file cannot hold lone surrogates, and readers skip a byte order mark. */
const needsFile = (text: string): boolean =>
  text.trimEnd().includes('\n') && !/\p{Surrogate}/u.test(text) && !text.startsWith('\ufeff');
