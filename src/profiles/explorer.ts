/**
 * Searches one folder for a project file with cosmiconfig. Before any search, cosmiconfig reads a configuration of its
 * own from the working folder. No option disables that; it can name other files, and `.config/config.js` runs as code.
 * If the working folder has such a file, `searchFolder` therefore reads the places itself. Lazy-loaded, since
 * cosmiconfig loads slowly. It imports no errors, so that it can be a separate bundle.
 */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { cosmiconfigSync } from 'cosmiconfig';
import { readSmallFile } from '../base/files.ts';

export interface FoundFile<T> {
  readonly config: T;
  readonly filepath: string;
}

/** Parses a file. It wraps the `sonde` value of a package.json in an object with the key `sonde`. */
type Loader = (path: string, content: string) => unknown;
type Loaders = Readonly<Record<'noExt' | '.yaml' | '.json', Loader>>;

/** The files that configure cosmiconfig itself, besides package.json. */
const OWN_CONFIGURATION = [
  'package.yaml',
  ...['json', 'yaml', 'yml', 'js', 'ts', 'cjs', 'mjs'].map((extension) => `.config/config.${extension}`),
];

const refuseCode = (path: string): never => {
  throw new Error(`${path} is code`);
};

/** Returns the first of the places in a folder that is not empty, parsed as data. */
export function searchFolder<T>(
  folder: string,
  places: readonly string[],
  loaders: Loaders,
): FoundFile<T> | null {
  if (configuresCosmiconfig(resolve())) return readPlaces(folder, places, loaders);
  const dataOnly = { '.js': refuseCode, '.cjs': refuseCode, '.mjs': refuseCode, '.ts': refuseCode };
  return cosmiconfigSync('sonde', {
    searchPlaces: [...places],
    loaders: { ...dataOnly, ...loaders },
    searchStrategy: 'none',
    cache: false,
  }).search(folder);
}

/** Returns whether a folder has, or may have, a configuration of cosmiconfig. */
function configuresCosmiconfig(folder: string): boolean {
  if (OWN_CONFIGURATION.some((place) => existsSync(join(folder, place)))) return true;
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return false;
  try {
    const value: unknown = JSON.parse(readSmallFile(manifest));
    return typeof value !== 'object' || value === null || Object.hasOwn(value, 'cosmiconfig');
  } catch {
    return true;
  }
}

/** Returns the first place that has a configuration, in the order that cosmiconfig uses. */
function readPlaces<T>(folder: string, places: readonly string[], loaders: Loaders): FoundFile<T> | null {
  for (const place of places) {
    const filepath = join(folder, place);
    const content = readIfAllowed(filepath);
    if (content.trim() === '') continue;
    const loaded = loaders[(extname(place) || 'noExt') as keyof Loaders](filepath, content);
    const config = place === 'package.json' ? (loaded as { readonly sonde?: T }).sonde : (loaded as T);
    if (config !== undefined) return { config, filepath };
  }
  return null;
}

function readIfAllowed(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return '';
    throw error;
  }
}
