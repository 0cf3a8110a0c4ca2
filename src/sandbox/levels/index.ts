/** The levels by name: each is tried on this machine before it is taken. */
import { platform } from 'node:os';
import { createCell } from '../cell.ts';
import { SandboxError } from '../errors.ts';
import { ownIds } from '../procfs.ts';
import {
  type CellPlan,
  type Ground,
  type IsolationLevel,
  type SandboxOptions,
  STANDARD_LIMITS,
} from '../types.ts';
import { LOOK, lacksIn, output, whyNotApart } from './isolation-probe.ts';
import { namespaceGround } from './namespace.ts';
import { clearMarked, processGround } from './process.ts';
import { uidGround } from './uid.ts';
import { uidAloneGround } from './uid-only.ts';

const isLinux = platform() === 'linux';

/** The level, once it has kept a program apart for real; or why it cannot be had here. `folder`: a fresh one for each way to try it. */
export async function tryLevel(
  level: IsolationLevel,
  options: SandboxOptions,
  folder: (way: string) => Promise<string>,
): Promise<Ground | string> {
  const isRoot = ownIds().uid === 0;
  switch (level) {
    case 'uid':
      if (!isLinux) return 'requires Linux';
      if (!isRoot) return 'the service does not run as root';
      return triedUid();
    case 'namespace':
      if (!isLinux) return 'requires Linux';
      if (isRoot) return 'the service runs as root: use "uid"';
      return tried(namespaceGround(options));
    case 'process':
      return processGround({ kill: options.self.kill, isLinux });
    default:
      return level satisfies never;
  }

  /** With a root of its own for each run, or where root gets none here, with user ids alone. */
  async function triedUid(): Promise<Ground | string> {
    const whole = await tried(await uidGround(options));
    if (typeof whole !== 'string') return whole;
    const why = whole.replace(/^cannot create a cell: /, '');
    const alone = await tried(await uidAloneGround(options, why, await folder('-lent')), '-alone');
    return typeof alone === 'string' ? `${whole}; without a separate file system: ${alone}` : alone;
  }

  /** A program is run there, and looks at what rights it has. */
  async function tried(ground: Ground, way = ''): Promise<Ground | string> {
    try {
      const id = `try-${level}${way}`;
      const plan: CellPlan = { id, folder: await folder(way), limits: STANDARD_LIMITS, readable: [] };
      const cell = createCell(plan, await ground.enclose(plan), () => {});
      try {
        await cell.write('look', 'it is mine');
        const { execPath } = options.self;
        const said = await output(cell.spawn([execPath, '-e', LOOK, '--', ...(options.hidden ?? [])]));
        const { network } = ground.description;
        const why = whyNotApart(said, { network, isAlone: way !== '', readable: options.readable ?? [] });
        if (why !== undefined) {
          await ground.close();
          return why;
        }
        const { description } = ground;
        const lacks = [...description.lacks, ...lacksIn(said)];
        return { ...ground, description: { ...description, lacks } };
      } finally {
        await cell.close();
      }
    } catch (error) {
      await ground.close();
      if (error instanceof SandboxError) return error.message;
      throw error;
    }
  }
}

/** Ends what a service that is gone left running, whatever its level was. */
export async function clearLeftovers(instance: string, { self }: SandboxOptions): Promise<void> {
  await clearMarked(instance, self.kill);
}
