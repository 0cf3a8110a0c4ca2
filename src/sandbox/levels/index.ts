/** Selects isolation levels by name, and tests each on this machine. */
import { platform } from 'node:os';
import { createCell } from '../cell.ts';
import { SandboxError } from '../errors.ts';
import { getOwnIds } from '../procfs.ts';
import {
  type CellPlan,
  type IsolationLevel,
  type LevelBackend,
  type SandboxOptions,
  STANDARD_LIMITS,
} from '../types.ts';
import { findIsolationFailure, listProbeLacks, PROBE_SCRIPT, readOutput } from './isolation-probe.ts';
import { createNamespaceBackend } from './namespace.ts';
import { createProcessBackend, killMarked } from './process.ts';
import { createUidBackend } from './uid.ts';
import { createUidOnlyBackend } from './uid-only.ts';

const isLinux = platform() === 'linux';

/**
 * Returns the level after a successful test, or why it is not available. `folder`: creates a new folder for each test.
 */
export async function tryLevel(
  level: IsolationLevel,
  options: SandboxOptions,
  folder: (variant: string) => Promise<string>,
): Promise<LevelBackend | string> {
  const isRoot = getOwnIds().uid === 0;
  switch (level) {
    case 'uid':
      if (!isLinux) return 'requires Linux';
      if (!isRoot) return 'the service does not run as root';
      return tryUid();
    case 'namespace':
      if (!isLinux) return 'requires Linux';
      if (isRoot) return 'the service runs as root: use "uid"';
      return probeBackend(createNamespaceBackend(options));
    case 'process':
      return createProcessBackend({ kill: options.self.kill, isLinux });
    default:
      return level satisfies never;
  }

  /** Tests separate root file systems for each run, and then user IDs alone. */
  async function tryUid(): Promise<LevelBackend | string> {
    const ownRoot = await probeBackend(await createUidBackend(options));
    if (typeof ownRoot !== 'string') return ownRoot;
    const why = ownRoot.replace(/^cannot create a cell: /, '');
    const uidOnly = await probeBackend(
      await createUidOnlyBackend(options, why, await folder('-lent')),
      '-alone',
    );
    return typeof uidOnly === 'string' ? `${ownRoot}; without a separate file system: ${uidOnly}` : uidOnly;
  }

  /** Runs a program in the level and checks its rights. */
  async function probeBackend(backend: LevelBackend, variant = ''): Promise<LevelBackend | string> {
    try {
      const id = `try-${level}${variant}`;
      const plan: CellPlan = { id, folder: await folder(variant), limits: STANDARD_LIMITS, readable: [] };
      const cell = createCell(plan, await backend.enclose(plan), () => {});
      try {
        await cell.write('look', 'it is mine');
        const { execPath } = options.self;
        const probeOutput = await readOutput(
          cell.spawn([execPath, '-e', PROBE_SCRIPT, '--', ...(options.hidden ?? [])]),
        );
        const { network } = backend.description;
        const why = findIsolationFailure(probeOutput, {
          network,
          isUidOnly: variant !== '',
          readable: options.readable ?? [],
        });
        if (why !== undefined) {
          await backend.close();
          return why;
        }
        const { description } = backend;
        const lacks = [...description.lacks, ...listProbeLacks(probeOutput)];
        return { ...backend, description: { ...description, lacks } };
      } finally {
        await cell.close();
      }
    } catch (error) {
      await backend.close();
      if (error instanceof SandboxError) return error.message;
      throw error;
    }
  }
}

/** Ends processes that an ended service left behind, whatever its level. */
export async function clearLeftovers(instance: string, { self }: SandboxOptions): Promise<void> {
  await killMarked(instance, self.kill);
}
