/** Returns the folder of runtimes that npm installed. */
import { join } from 'node:path';

export const findRuntimesFolder = (
  env: Readonly<Record<string, string | undefined>>,
  dataFolder: string,
): string => env.SONDE_RUNTIMES || join(dataFolder, 'runtimes');
