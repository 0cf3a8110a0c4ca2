/** Locates the user's folders: the XDG base directories, on macOS and Linux alike. */
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute paths of sonde's folders, which may not exist. */
export interface DataFolders {
  /** Contains `config.yaml`, the user's profiles. */
  readonly config: string;
  /** State between commands, such as undo files of changed pages. */
  readonly state: string;
  /** Data that must not be lost: the store of the embedded service. */
  readonly data: string;
  /** Data that can be created again. */
  readonly cache: string;
}

/** Returns the folders by the XDG Base Directory rules, which ignore variables with relative paths. */
export function dataFolders(env: Environment, home: string): DataFolders {
  const folder = (variable: string, fallback: string): string => {
    const value = env[variable];
    return join(value !== undefined && isAbsolute(value) ? value : join(home, fallback), 'sonde');
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    state: folder('XDG_STATE_HOME', '.local/state'),
    data: folder('XDG_DATA_HOME', '.local/share'),
    cache: folder('XDG_CACHE_HOME', '.cache'),
  };
}

/** Returns the path of the file with the user's profiles. */
export function userFilePath(env: Environment, home: string): string {
  return join(dataFolders(env, home).config, 'config.yaml');
}
