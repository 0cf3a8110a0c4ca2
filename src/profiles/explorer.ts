/**
 * Finds and reads a project file with cosmiconfig's explorer. It uses the private class because the public
 * `cosmiconfig` and `cosmiconfigSync` always read a meta config first, which no option disables: they search
 * `process.cwd()` with their default loaders and so run `.config/config.js` of an untrusted project. Lazy-loaded, since
 * it loads slowly. It imports no errors, so that it can be a separate bundle.
 */
import * as explorerModule from 'cosmiconfig/dist/ExplorerSync.js';

export interface Explorer<T> {
  search(from: string): { config: T; filepath: string } | null;
}

/** Functions that parse a file, by extension (`noExt` for none). */
export type Loaders = Readonly<Record<string, (path: string, content: string) => unknown>>;

/**
 * Creates an explorer that looks for `searchPlaces` in one folder, with only these loaders. The public functions would
 * also add loaders that run code.
 */
export function createExplorer<T>(searchPlaces: readonly string[], loaders: Loaders): Explorer<T> {
  // The package has no types for this file. Its version is pinned, and tests with hostile folders cover it.
  const { ExplorerSync } = explorerModule as unknown as {
    ExplorerSync: new (options: object) => Explorer<T>;
  };
  return new ExplorerSync({
    moduleName: 'sonde',
    searchPlaces,
    loaders,
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: true,
    applyPackagePropertyPathToConfiguration: false,
    mergeImportArrays: false,
    mergeSearchPlaces: false,
    metaConfigFilePath: null,
    cache: false,
    transform: (result: unknown) => result,
  });
}
