/** Opens a sandbox: the strongest level that this machine gives, tried for real, or the one that is demanded. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { createCell, type WatchedCell } from './cell.ts';
import { openCellsFolder } from './cells-folder.ts';
import { openMemoryCgroups } from './cgroup.ts';
import { SandboxError } from './errors.ts';
import { send } from './kill-all.ts';
import { clearLeftovers, tryLevel } from './levels/index.ts';
import { ownIds } from './procfs.ts';
import {
  type CellLimits,
  type Ground,
  type IsolationLevel,
  LEVELS,
  type Sandbox,
  type SandboxOptions,
  STANDARD_LIMITS,
  type Unavailable,
} from './types.ts';

export { SandboxError } from './errors.ts';
export { type Isolation, isolationOf } from './describe-isolation.ts';
export { createPool, type Pool, type WarmCell } from './pool.ts';
export type {
  Cell,
  CellLimits,
  CellSpawn,
  Description,
  Exceeded,
  IsolationLevel,
  Sandbox,
  SandboxDescription,
  SandboxOptions,
} from './types.ts';
export { LEVELS, STANDARD_LIMITS } from './types.ts';

/** What a watch does not see. */
const NO_CGROUP =
  'kernel memory of a script, such as socket buffers, is not limited: this service cannot create memory cgroups';

/** How often what cells use is looked at, in ms. */
const LOOK_MS = 250;

/**
 * Opens a sandbox, and removes what one of a service that was killed left behind. Throws UsageError where the level that is
 * demanded cannot be had, with the reason; SandboxError where none can.
 */
export async function openSandbox(given: SandboxOptions): Promise<Sandbox> {
  const { kill, pid, execPath } = given.self;
  // Programs in cells run on this Node, wherever it is installed.
  const path = given.folder ?? join(tmpdir(), `sonde-cells-${ownIds().uid}`);
  const options = {
    ...given,
    readable: [...(given.readable ?? []), execPath],
    hidden: [...(given.hidden ?? []), path],
  };
  const gone: string[] = [];
  const cells = await openCellsFolder({
    path,
    pid,
    isAlive: (other) => send(kill, other, 0),
    async clear(instance) {
      gone.push(instance);
      await clearLeftovers(instance, options);
    },
  });
  // Before any program is started: this process may have to move, and all that it has started would stay behind.
  const cgroups = openMemoryCgroups(cells.instance, pid);
  for (const instance of gone) cgroups?.clear(instance);
  try {
    return over(await groundOf(options, cells.make));
  } catch (error) {
    cgroups?.close();
    await cells.close();
    throw error;
  }

  function over({ ground, unavailable }: Found): Sandbox {
    const opened = new Set<WatchedCell>();
    const { lacks } = ground.description;
    const description = { ...ground.description, lacks: cgroups ? lacks : [...lacks, NO_CGROUP] };
    let count = 0;
    let closing: Promise<void> | undefined;
    let isLooking = false;
    // Real processes use real time.
    const watch = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void Promise.allSettled([...opened].map((cell) => cell.look())).then(() => {
        isLooking = false;
      });
    }, LOOK_MS);
    watch.unref();

    async function closeAll(): Promise<void> {
      clearInterval(watch);
      const ended = await Promise.allSettled([...opened].map((cell) => cell.close()));
      await ground.close();
      cgroups?.close();
      await cells.close();
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    }

    return {
      level: ground.description.level,
      describe: () => ({ ...description, unavailable }),
      async open(limits: Partial<CellLimits> = {}, readable: readonly string[] = []) {
        if (closing) throw new SandboxError('the sandbox is closed');
        count += 1;
        const id = `${cells.instance}.${count}`;
        const plan = {
          id,
          folder: await cells.make(String(count)),
          limits: { ...STANDARD_LIMITS, ...limits },
          readable,
        };
        const enclosure = await ground.enclose(plan);
        const memory = cgroups?.make(String(count), plan.limits.memoryBytes);
        const cell = createCell(plan, enclosure, () => opened.delete(cell), memory);
        opened.add(cell);
        // Stopped meanwhile: nobody else would close it.
        if (closing) await cell.close();
        return cell;
      },
      close() {
        closing ??= closeAll();
        return closing;
      },
    };
  }
}

interface Found {
  readonly ground: Ground;
  readonly unavailable: readonly Unavailable[];
}

/** The level that is demanded, or the first that works. */
async function groundOf(options: SandboxOptions, folder: (name: string) => Promise<string>): Promise<Found> {
  const levels: readonly IsolationLevel[] = options.level === 'auto' ? LEVELS : [options.level];
  const unavailable: Unavailable[] = [];
  for (const level of levels) {
    const tried = await tryLevel(level, options, (way) => folder(`try-${level}${way}`));
    if (typeof tried !== 'string') return { ground: tried, unavailable };
    unavailable.push({ level, reason: tried });
  }
  if (options.level === 'auto')
    throw new SandboxError(
      `No isolation level is available: ${unavailable.map(({ level, reason }) => `${level}: ${reason}`).join('; ')}`,
    );
  throw new UsageError(`The isolation level "${options.level}" is not available: ${unavailable[0]?.reason}`, {
    hint: '--isolation auto selects the strongest level of this machine',
  });
}
