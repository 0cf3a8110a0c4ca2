/** Where runs put the files that they leave, until somebody moves them away: nothing stays there that nobody wants. */
import { randomUUID } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../base/folder.ts';
import type { RunFiles } from '../types.ts';
import { getInstanceName, isInstanceGone } from './instance-name.ts';

/** The place of one run. */
export interface ClosableRunFiles extends RunFiles {
  /** Removes what is still there, finished or not; nothing is begun any more. */
  close(): Promise<void>;
}

export interface RunFileStore {
  /** Makes nothing before there is a file. */
  open(): ClosableRunFiles;
  /** Removes what processes left that ended without a word. */
  sweep(): Promise<void>;
}

export interface RunFileStoreOptions {
  /** For these files alone; best on the file system that they are moved to. */
  readonly folder: string;
  readonly onError: (message: string, error: unknown) => void;
}

/** What is left by a process of which nobody knows whether it is gone is removed once it is so old, in ms. */
const STALE_MS = 60 * 60_000;

export function createRunFileStore({ folder, onError }: RunFileStoreOptions): RunFileStore {
  const own = join(folder, getInstanceName());
  let sweptAt = Date.now();

  async function isStale(name: string): Promise<boolean> {
    const isGone = isInstanceGone(name);
    if (isGone !== undefined) return isGone;
    const { mtimeMs } = await stat(join(folder, name));
    return mtimeMs < Date.now() - STALE_MS;
  }

  async function sweep(): Promise<void> {
    sweptAt = Date.now();
    for (const name of await readdir(folder).catch(() => [])) {
      // Others sweep here, too.
      if (await isStale(name).catch(() => false))
        await rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) =>
          onError('cannot delete old files of runs', error),
        );
    }
  }

  return {
    open() {
      // What was not old enough at the start.
      if (Date.now() - sweptAt > STALE_MS) void sweep();
      return openRunFiles(own, onError);
    },
    sweep,
  };
}

function openRunFiles(folder: string, onError: RunFileStoreOptions['onError']): ClosableRunFiles {
  const paths: string[] = [];
  const handles = new Set<FileHandle>();
  let isClosed = false;

  async function closeHandle(handle: FileHandle): Promise<void> {
    if (handles.delete(handle)) await handle.close();
  }

  return {
    async create() {
      if (isClosed) throw new Error('the run has ended');
      const path = join(folder, randomUUID());
      makeFolder(folder);
      paths.push(path);
      const handle = await open(path, 'wx', 0o600);
      handles.add(handle);
      if (isClosed) {
        await closeHandle(handle);
        await rm(path, { force: true });
        throw new Error('the run has ended');
      }
      let bytes = 0;
      return {
        async write(part) {
          for (let from = 0; from < part.length; ) {
            const { bytesWritten } = await handle.write(part, from);
            from += bytesWritten;
            bytes += bytesWritten;
          }
        },
        async end() {
          await closeHandle(handle);
          return { path, bytes };
        },
        async discard() {
          await closeHandle(handle);
          await rm(path, { force: true });
        },
      };
    },
    async close() {
      isClosed = true;
      try {
        await Promise.all([...handles].map(closeHandle));
        await Promise.all(paths.map((path) => rm(path, { force: true })));
      } catch (error) {
        onError('cannot delete the files of a run', error);
      }
      // At once, so that no other run of this process makes a file there meanwhile; where one has files it stays.
      if (paths.length > 0) removeEmpty(folder);
    },
  };
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Other runs have files there.
  }
}
