/**
 * cosmiconfig without its front door. Loaded late, by `import()`, and only where there is a file to read: it is slow to
 * load. Imports no errors, so that it can be a bundle of its own.
 */
import * as explorerModule from 'cosmiconfig/dist/ExplorerSync.js';

export interface Explorer<T> {
  search(from: string): { config: T; filepath: string } | null;
}

/** What reads a file, by its extension (`noExt` for none). */
export type Loaders = Readonly<Record<string, (path: string, content: string) => unknown>>;

/**
 * Looks for `places` in one folder at a time, with these loaders and no others. `cosmiconfig()` itself must not be called:
 * it first runs `.config/config.js` or `.ts` of the working folder, if there is one, and adds loaders for code.
 */
export function createExplorer<T>(places: readonly string[], loaders: Loaders): Explorer<T> {
  // The package declares no types for this file; its version is pinned and the tests of hostile folders hold it.
  const { ExplorerSync } = explorerModule as unknown as {
    ExplorerSync: new (options: object) => Explorer<T>;
  };
  return new ExplorerSync({
    moduleName: 'sonde',
    searchPlaces: places,
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
