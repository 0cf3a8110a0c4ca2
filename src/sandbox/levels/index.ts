/** The levels by name: each is tried on this machine before it is taken. */
import { platform } from 'node:os';
import type { Ground, IsolationLevel, SandboxOptions } from '../types.ts';
import { clearMarked, processGround } from './process.ts';

const isLinux = platform() === 'linux';

/** The level, once it has kept a program apart for real; or why it cannot be had here. `folder`: a fresh one to try in. */
export async function tryLevel(
  level: IsolationLevel,
  options: SandboxOptions,
  _folder: () => Promise<string>,
): Promise<Ground | string> {
  const { kill } = options.self;
  switch (level) {
    case 'uid':
      return 'not yet';
    case 'namespace':
      return 'not yet';
    case 'process':
      return processGround({ kill, isLinux });
    default:
      return level satisfies never;
  }
}

/** Ends what a service that is gone left running, whatever its level was. */
export async function clearLeftovers(instance: string, { self }: SandboxOptions): Promise<void> {
  await clearMarked(instance, self.kill);
}
