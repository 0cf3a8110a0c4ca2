/** Stores the files of runs until they are moved away, and deletes all others. */
import { randomUUID } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../base/files.ts';
import { ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';
import type { RunFiles } from '../core/runner.ts';
import { getInstanceName, isInstanceGone } from './instance-name.ts';

/** The files of one run. */
export interface ClosableRunFiles extends RunFiles {
  /** Deletes the remaining files, finished or not. No file can be created afterwards. */
  close(): Promise<void>;
}

export interface RunFileStore {
  /** Opens the files of a run. Creates no folder before the first file. */
  open(): ClosableRunFiles;
  /** Deletes files of killed processes. */
  sweep(): Promise<void>;
}

export interface RunFileStoreOptions {
  /** A folder only for these files, best on the file system of their destination. */
  readonly folder: string;
  readonly onError: (message: string, error: unknown) => void;
}

/** Age at which files of a process in an unknown state are deleted, in ms. */
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
      // Other processes may sweep the same folder.
      if (await isStale(name).catch(() => false))
        await rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) =>
          onError('cannot delete old files of runs', error),
        );
    }
  }

  return {
    open() {
      // Sweep again, because some files were too new at the start.
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
      // Synchronously, so that no other run of this process creates a file in between. A folder with files stays.
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

const MEGABYTE = 1024 * 1024;
const groupDigits = (bytes: number): string => bytes.toLocaleString('en-US');

/** Formats a size in MB and bytes, because one byte above the limit looks like the limit in MB. */
const formatSize = (bytes: number): string =>
  `${(bytes / MEGABYTE).toFixed(1)} MB (${groupDigits(bytes)} bytes)`;

export const formatTooLarge = (name: string, bytes: number, limit: number = ARTIFACT_BYTES): string =>
  `${name} is ${formatSize(bytes)}: the limit is ${formatSize(limit)}. Make it smaller (a screenshot of a part of the page, a trace without screenshots), or split the check`;

export const formatTotalExceeded = (name: string, limit: number): string =>
  `${name} is not stored: the limit for all files of a run is ${limit / MEGABYTE} MB`;

/** Joins several reasons into one text. */
export const formatLostFiles = (...lost: readonly (string | undefined)[]): string | undefined => {
  const messages = lost.filter((one) => one !== undefined && one !== '');
  return messages.length === 0 ? undefined : messages.join('; ');
};
