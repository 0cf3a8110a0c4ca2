/** Where sonde keeps what belongs to a user: the XDG base directories, on macOS as on Linux. */
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute paths of sonde's own folders. None is made here. */
export interface DataFolders {
  /** Holds `config.yaml`, the user's profiles. */
  readonly config: string;
  /** What a command leaves for later: pages as they were before a change. */
  readonly state: string;
  /** What must not be lost: the store of the embedded service. */
  readonly data: string;
  /** What can be made again. */
  readonly cache: string;
}

/** The folders by the XDG Base Directory rules; a relative value of a variable is ignored, as those demand. */
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

/** The file that holds the user's profiles. */
export function userFilePath(env: Environment, home: string): string {
  return join(dataFolders(env, home).config, 'config.yaml');
}
