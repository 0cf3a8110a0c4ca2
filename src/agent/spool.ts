/** Stores results on disk until the service has them: atomically, and readable only by the agent's user. */
import { constants } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toFileName } from '../base/file-name.ts';
import { makeFolder } from '../base/files.ts';
import { moveFile } from '../base/move-file.ts';
import type { BodyOf, reportRun } from '../contract/index.ts';
import { getInstanceName, isInstanceGone } from '../runners/files/instance-name.ts';

/** A result without the time of its report. */
export type Result = Omit<BodyOf<typeof reportRun>, 'sentAt'>;

/** Paths of the files of a result, by ID. */
export type ResultFiles = ReadonlyMap<string, string>;

/** A result that waits for delivery. */
export interface SpooledResult {
  readonly result: Result;
  /** The result could not be written to disk. */
  readonly isInMemory: boolean;
  /** Reads part of a file. Throws if it is gone because another agent delivered the result. */
  read(artifactId: string, offset: number, length: number): Promise<Uint8Array>;
  /** Resolves to whether another agent over the same folder delivered and removed the result. */
  isGone(): Promise<boolean>;
  /** Removes the result after its delivery. */
  remove(): Promise<void>;
  /** Moves a result that the service will never accept to a separate folder for inspection. */
  setAside(): Promise<void>;
}

export interface Spool {
  /** Lists the results of earlier agents, oldest first. */
  list(): Promise<SpooledResult[]>;
  /**
   * Moves the files into the spool and resolves once everything is on disk. If it rejects, the files are where they
   * were.
   */
  put(result: Result, files: ResultFiles): Promise<SpooledResult>;
}

/** Returns the folder of a private location. The service chooses its ID. */
export const spoolFolderOf = (folder: string, locationId: string): string =>
  join(folder, toFileName(locationId));

/** Age at which unfinished files are removed, in ms. */
const UNFINISHED_MS = 60 * 60_000;

/** Name of an unfinished result: its ID and the process that writes it. */
const NEW = /^[\da-f-]{36}\.(.+)\.new$/;

/** Writes a file and flushes it to disk. */
async function write(path: string, contents: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes a file or a folder to disk. */
async function syncPath(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readPart(path: string, offset: number, length: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY);
  try {
    const part = new Uint8Array(length);
    const { bytesRead } = await file.read(part, 0, length, offset);
    return part.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Opens the spool of one private location. Calls `onBroken` for an invalid file, such as one damaged by a disk error,
 * and moves it to a separate folder. Throws system errors.
 */
export function openSpool(
  folder: string,
  locationId: string,
  onBroken: (file: string, error: unknown) => void,
): Spool {
  const locationFolder = spoolFolderOf(folder, locationId);
  makeFolder(locationFolder);
  const resultFile = ({ resultId }: Result) => join(locationFolder, `${toFileName(resultId)}.json`);
  const artifactFile = (id: string) => join(locationFolder, `${toFileName(id)}.file`);

  async function moveAside(name: string): Promise<void> {
    const aside = join(locationFolder, 'refused');
    makeFolder(aside);
    await rename(join(locationFolder, name), join(aside, name));
  }

  async function remove(result: Result): Promise<void> {
    // The result first: without it the files are unused and get swept.
    await rm(resultFile(result), { force: true });
    await Promise.all(result.artifacts.map(({ id }) => rm(artifactFile(id), { force: true })));
  }

  const toSpooledResult = (result: Result): SpooledResult => ({
    result,
    isInMemory: false,
    read: (id, offset, length) => readPart(artifactFile(id), offset, length),
    isGone: async () => (await stat(resultFile(result)).catch(() => undefined)) === undefined,
    remove: () => remove(result),
    async setAside() {
      await moveAside(`${toFileName(result.resultId)}.json`);
      await remove(result);
    },
  });

  /** Removes files that a killed agent left unfinished: at once if its process is known to be gone, else once they are old. */
  async function sweep(names: readonly string[], usedFiles: ReadonlySet<string>): Promise<void> {
    for (const name of names) {
      if (usedFiles.has(name) || !/\.(?:new|file)$/.test(name)) continue;
      const path = join(locationFolder, name);
      const [, writer] = NEW.exec(name) ?? [];
      const isGone = writer !== undefined && isInstanceGone(writer);
      if (isGone) await removeUnfinishedFiles(path);
      const stats = await stat(path).catch(() => undefined);
      if (isGone || (stats !== undefined && stats.mtimeMs < Date.now() - UNFINISHED_MS))
        await rm(path, { force: true });
    }
  }

  /** Removes the files that were moved for an unfinished result. */
  async function removeUnfinishedFiles(path: string): Promise<void> {
    try {
      const { artifacts } = JSON.parse(await readFile(path, 'utf8')) as Result;
      await Promise.all(artifacts.map(({ id }) => rm(artifactFile(id), { force: true })));
    } catch {
      // An incomplete result: its files were not moved yet.
    }
  }

  return {
    async list() {
      const names = await readdir(locationFolder);
      const results: { readonly result: Result; readonly at: number }[] = [];
      for (const name of names.filter((one) => one.endsWith('.json'))) {
        const text = await readFile(join(locationFolder, name), 'utf8').catch(() => undefined);
        // Another agent over the same folder has just delivered it.
        if (text === undefined) continue;
        try {
          const result = JSON.parse(text) as Result;
          results.push({ result, at: result.report.stoppedAt });
        } catch (error) {
          onBroken(name, error);
          await moveAside(name).catch(() => {});
        }
      }
      const usedFiles = results.flatMap(({ result }) =>
        result.artifacts.map(({ id }) => `${toFileName(id)}.file`),
      );
      await sweep(names, new Set(usedFiles));
      return results.sort((one, other) => one.at - other.at).map(({ result }) => toSpooledResult(result));
    },
    async put(result, files) {
      const unfinished = join(locationFolder, `${toFileName(result.resultId)}.${getInstanceName()}.new`);
      const moved: (readonly [from: string, to: string])[] = [];
      try {
        // Written before any file moves, so that a sweep finds the files.
        await write(unfinished, JSON.stringify(result));
        for (const [id, from] of files) {
          await syncPath(from);
          await moveFile(from, artifactFile(id));
          moved.push([from, artifactFile(id)]);
        }
        if (files.size > 0) await syncPath(locationFolder);
        await rename(unfinished, resultFile(result));
        await syncPath(locationFolder);
      } catch (error) {
        for (const [from, to] of moved) await moveFile(to, from).catch(() => {});
        for (const path of [unfinished, resultFile(result)]) await rm(path, { force: true }).catch(() => {});
        throw error;
      }
      return toSpooledResult(result);
    },
  };
}

/** Keeps a result in memory when the disk fails. Its files stay where they are. */
export function holdInMemory(result: Result, files: ResultFiles): SpooledResult {
  return {
    result,
    isInMemory: true,
    read: (id, offset, length) => readPart(files.get(id) ?? '', offset, length),
    isGone: async () => false,
    remove: async () => {},
    setAside: async () => {},
  };
}
