/** Opens a sandbox at the requested level, or at the strongest level that works on this machine. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { createCell, type MonitoredCell } from './cell.ts';
import { openCellsFolder } from './cells-folder.ts';
import { openMemoryCgroups } from './cgroup.ts';
import { SandboxError } from './errors.ts';
import { sendSignal } from './kill-all.ts';
import { clearLeftovers, tryLevel } from './levels/index.ts';
import { getOwnIds } from './procfs.ts';
import {
  type CellLimits,
  type IsolationLevel,
  LEVELS,
  type LevelBackend,
  type Sandbox,
  type SandboxOptions,
  STANDARD_LIMITS,
  type Unavailable,
} from './types.ts';

export { describeIsolation, type Isolation } from './describe-isolation.ts';
export { SandboxError } from './errors.ts';
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

/** Limit that monitoring cannot enforce. */
const NO_CGROUP =
  'kernel memory of a script, such as socket buffers, is not limited: this service cannot create memory cgroups';

/** Interval of resource measurements, in ms. */
const CHECK_USAGE_MS = 250;

/**
 * Opens a sandbox, and removes leftovers of killed services. Throws UsageError with the reason if the requested level
 * is not available, and SandboxError if no level is.
 */
export async function openSandbox(requestedOptions: SandboxOptions): Promise<Sandbox> {
  const { kill, pid, execPath } = requestedOptions.self;
  // Programs in cells run on this Node, wherever it is installed.
  const path = requestedOptions.folder ?? join(tmpdir(), `sonde-cells-${getOwnIds().uid}`);
  const options = {
    ...requestedOptions,
    readable: [...(requestedOptions.readable ?? []), execPath],
    hidden: [...(requestedOptions.hidden ?? []), path],
  };
  const staleInstances: string[] = [];
  const cells = await openCellsFolder({
    path,
    pid,
    isAlive: (other) => sendSignal(kill, other, 0),
    async clear(instance) {
      staleInstances.push(instance);
      await clearLeftovers(instance, options);
    },
  });
  // Do this before starting programs: this process may have to move to another cgroup, but its children would stay.
  const cgroups = openMemoryCgroups(cells.instance, pid);
  for (const instance of staleInstances) cgroups?.clear(instance);
  try {
    return createSandbox(await selectLevel(options, cells.make));
  } catch (error) {
    cgroups?.close();
    await cells.close();
    throw error;
  }

  function createSandbox({ backend, unavailable }: SelectedLevel): Sandbox {
    const openCells = new Set<MonitoredCell>();
    const { lacks } = backend.description;
    const description = { ...backend.description, lacks: cgroups ? lacks : [...lacks, NO_CGROUP] };
    let count = 0;
    let closing: Promise<void> | undefined;
    let isChecking = false;
    // Use real time, because real processes do.
    const watch = setInterval(() => {
      if (isChecking) return;
      isChecking = true;
      void Promise.allSettled([...openCells].map((cell) => cell.checkUsage())).then(() => {
        isChecking = false;
      });
    }, CHECK_USAGE_MS);
    watch.unref();

    async function closeAll(): Promise<void> {
      clearInterval(watch);
      const ended = await Promise.allSettled([...openCells].map((cell) => cell.close()));
      await backend.close();
      cgroups?.close();
      await cells.close();
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    }

    return {
      level: backend.description.level,
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
        const enclosure = await backend.enclose(plan);
        const memory = cgroups?.make(String(count), plan.limits.memoryBytes);
        const cell = createCell(plan, enclosure, () => openCells.delete(cell), memory);
        openCells.add(cell);
        // The sandbox was closed in the meantime, so nothing else would close the cell.
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

interface SelectedLevel {
  readonly backend: LevelBackend;
  readonly unavailable: readonly Unavailable[];
}

/** Returns the requested level, or the first that works. */
async function selectLevel(
  options: SandboxOptions,
  folder: (name: string) => Promise<string>,
): Promise<SelectedLevel> {
  const levels: readonly IsolationLevel[] = options.level === 'auto' ? LEVELS : [options.level];
  const unavailable: Unavailable[] = [];
  for (const level of levels) {
    const backendOrReason = await tryLevel(level, options, (way) => folder(`try-${level}${way}`));
    if (typeof backendOrReason !== 'string') return { backend: backendOrReason, unavailable };
    unavailable.push({ level, reason: backendOrReason });
  }
  if (options.level === 'auto')
    throw new SandboxError(
      `No isolation level is available: ${unavailable.map(({ level, reason }) => `${level}: ${reason}`).join('; ')}`,
    );
  throw new UsageError(`The isolation level "${options.level}" is not available: ${unavailable[0]?.reason}`, {
    hint: '--isolation auto selects the strongest level of this machine',
  });
}
