/** Opens a sandbox at the requested level, or at the strongest level that works on this machine. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCell, type MonitoredCell } from './cell/cell.ts';
import { openCellsFolder } from './cell/cells-folder.ts';
import { openMemoryCgroups } from './cell/cgroup.ts';
import { sendSignal } from './cell/kill-all.ts';
import { getOwnIds } from './cell/procfs.ts';
import { type Sandbox, SandboxError, type SandboxOptions, STANDARD_LIMITS } from './cell/sandbox.ts';
import { selectLevel } from './levels/index.ts';
import { killMarked } from './levels/process.ts';

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
} from './cell/sandbox.ts';
export { describeIsolation, type Isolation, LEVELS, SandboxError, STANDARD_LIMITS } from './cell/sandbox.ts';
export { createPool, type Pool, type WarmCell } from './pool.ts';

/** Limit that monitoring cannot enforce. */
const NO_CGROUP =
  'kernel memory of a script, such as socket buffers, is not limited: this service cannot create memory cgroups';

const CHECK_USAGE_MS = 250;

/**
 * Opens a sandbox, and removes leftovers of killed services. Throws UsageError with the reason if the requested level
 * is not available, and SandboxError if no level is.
 */
export async function openSandbox(requestedOptions: SandboxOptions): Promise<Sandbox> {
  const { kill, pid, execPath } = requestedOptions.self;
  const path = requestedOptions.folder ?? join(tmpdir(), `sonde-cells-${getOwnIds().uid}`);
  const options = {
    ...requestedOptions,
    // Programs in cells run on this Node, wherever it is installed.
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
      await killMarked(instance, kill);
    },
  });
  // Do this before starting programs: this process may have to move to another cgroup, but its children would stay.
  const cgroups = openMemoryCgroups(cells.instance, pid);
  for (const instance of staleInstances) cgroups?.clear(instance);
  const { backend, unavailable } = await selectLevel(options, cells.make).catch(async (error: unknown) => {
    cgroups?.close();
    await cells.close();
    throw error;
  });

  const openCells = new Set<MonitoredCell>();
  const { lacks } = backend.description;
  const description = { ...backend.description, lacks: cgroups ? lacks : [...lacks, NO_CGROUP], unavailable };
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
    describe: () => description,
    async open(limits = {}, readable = []) {
      if (closing) throw new SandboxError('the sandbox is closed');
      count += 1;
      const name = String(count);
      const plan = {
        id: `${cells.instance}.${name}`,
        folder: await cells.make(name),
        limits: { ...STANDARD_LIMITS, ...limits },
        readable,
      };
      const enclosure = await backend.enclose(plan);
      const memory = cgroups?.make(name, plan.limits.memoryBytes);
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
