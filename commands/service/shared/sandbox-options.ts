/** Creates the options of a sandbox that hides the files of sonde. */
import { dirname } from 'node:path';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { dataFolders } from '../../../src/profiles/folders.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';

/** Returns a sandbox that hides the data, the profiles and their keys. */
export function sandboxOptions(
  { env, home, self }: Pick<Deps, 'env' | 'home' | 'self'>,
  folder: string,
  level: SandboxOptions['level'],
): SandboxOptions {
  const { config, state, data, cache } = dataFolders(env, home);
  return {
    level,
    self,
    home,
    readable: [dirname(self.script)],
    hidden: [folder, config, state, data, cache],
  };
}
