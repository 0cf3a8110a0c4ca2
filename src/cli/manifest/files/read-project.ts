/** Reads the files of a project as the commands take them. */
import { UsageError } from '../../../base/errors.ts';
import { argumentList, type Deps } from '../../framework/index.ts';
import { parseEnvFile } from '../../framework/parse-flag-values.ts';
import type { Manifest } from '../manifest.ts';
import type { ProjectChoice } from '../project-options.ts';
import { type FileTree, openFileTree } from './file-tree.ts';
import { type LoadContext, type LoadedManifest, loadManifest } from './load-manifest.ts';

/** The folder that commands read without a path. */
export const DEFAULT_FOLDER = 'monitoring';

export const pathsArgument = argumentList(
  `Files and folders of the project; - is stdin; default: ${DEFAULT_FOLDER}/`,
  { placeholder: 'path', required: false, dash: 'value' },
);

/** Returns the paths to read. */
export const pathsOf = (paths: readonly string[]): readonly string[] =>
  paths.length === 0 ? [DEFAULT_FOLDER] : paths;

/** Throws UsageError if no file names a project, which an option needs. */
export function requireProject({ project }: Pick<Manifest, 'project'>, option: string): void {
  if (project !== undefined) return;
  throw new UsageError(`${option} needs a project, and the files name none`, {
    hint: 'add a line to one of the files, for example: project: shop',
  });
}

export interface Project extends LoadedManifest {
  /** The values of --secrets, by key. */
  readonly values: ReadonlyMap<string, string>;
}

interface ReadOptions extends Pick<LoadContext, 'select'> {
  /** Default: the files on the disk. */
  readonly tree?: FileTree;
}

/**
 * Reads what the files declare, prints warnings, and runs work with it. Errors of the work do not contain values of variables. Throws
 * UsageError with all problems.
 */
export async function withProject<T>(
  deps: Deps,
  paths: readonly string[],
  choice: ProjectChoice,
  work: (project: Project) => Promise<T>,
  options?: ReadOptions,
): Promise<T> {
  const project = await readProject(deps, paths, choice, options);
  return project.manifest.taint.guard(() => work(project));
}

/** Returns what the files declare, and prints warnings. Throws UsageError with all problems. */
export async function readProject(
  deps: Deps,
  paths: readonly string[],
  { secrets, root, allowEnv }: ProjectChoice,
  { tree = openFileTree(deps, { paths: pathsOf(paths), root, secrets }), ...selection }: ReadOptions = {},
): Promise<Project> {
  const { env, usedKeys, terminal } = deps;
  const values = secrets === undefined ? new Map<string, string>() : await readValues(deps, secrets);
  const loaded = await loadManifest(pathsOf(paths), {
    ...selection,
    tree,
    env,
    secrets: values,
    allowEnv,
    usedKeys,
  });
  for (const { place, message } of loaded.warnings) await terminal.warn(`${place} ${message}`);
  return { ...loaded, values };
}

async function readValues({ readFile }: Deps, name: string): Promise<ReadonlyMap<string, string>> {
  const details: { place: string; message: string }[] = [];
  const lines = parseEnvFile(await readFile(name), (line, message) =>
    details.push({ place: `${name}:${line}`, message }),
  );
  if (details.length > 0) throw new UsageError(`${name} is invalid; nothing was sent`, { details });
  return new Map(lines.map(({ key, value }) => [key, value]));
}
