/** Results on disk until the service has them: each is there whole or not at all, and for the agent's user alone. */
import { constants } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { moveFile } from '../base/move-file.ts';
import type { BodyOf, reportRun } from '../contract/index.ts';
import { getInstanceName, isInstanceGone } from '../runners/files/instance-name.ts';

/** A result as it is reported, but for when. */
export type Result = Omit<BodyOf<typeof reportRun>, 'sentAt'>;

/** Where the files of a result lie, by their ids. */
export type ResultFiles = ReadonlyMap<string, string>;

/** A result that waits. */
export interface Spooled {
  readonly result: Result;
  /** No disk has it. */
  readonly isInMemory: boolean;
  /** Throws where the file is gone: another agent has handed the result in. */
  read(artifactId: string, offset: number, length: number): Promise<Uint8Array>;
  /** Whether the result is gone from the disk, as another agent over the same folder has handed it in. */
  isGone(): Promise<boolean>;
  /** The service has it. */
  done(): Promise<void>;
  /** The service will never take it: it is kept aside, for a person. */
  setAside(): Promise<void>;
}

export interface Spool {
  /** What an agent left before, the oldest first. */
  found(): Promise<Spooled[]>;
  /**
   * Takes the files by moving them, and resolves once the disk has all of it. Rejects with what the system says, and leaves nothing
   * then: the files are where they were.
   */
  put(result: Result, files: ResultFiles): Promise<Spooled>;
}

/** What nobody finished writing is removed once it is so old, in ms. */
const UNFINISHED_MS = 60 * 60_000;

/** What is being written: the result's id, and the process that writes. */
const NEW = /^[\da-f-]{36}\.(.+)\.new$/;

/** Writes a file and waits until the disk has it. */
async function write(path: string, contents: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until the disk has a file, or the names of a folder. */
async function settle(path: string): Promise<void> {
  const opened = await open(path, constants.O_RDONLY);
  try {
    await opened.sync();
  } finally {
    await opened.close();
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
 * Opens the spool of one private location: another's results are not this agent's to hand in. `onBroken` is told of a file that
 * is no result, as a disk lost a part of it: it is kept aside. Throws what the system says.
 */
export function openSpool(
  folder: string,
  locationId: string,
  onBroken: (file: string, error: unknown) => void,
): Spool {
  const place = join(folder, locationId);
  makeFolder(place);
  const resultFile = ({ resultId }: Result) => join(place, `${resultId}.json`);
  const artifactFile = (id: string) => join(place, `${id}.file`);

  async function putAside(name: string): Promise<void> {
    const aside = join(place, 'refused');
    makeFolder(aside);
    await rename(join(place, name), join(aside, name));
  }

  async function remove(result: Result): Promise<void> {
    // The result first: without it the files are of no use.
    await rm(resultFile(result), { force: true });
    await Promise.all(result.artifacts.map(({ id }) => rm(artifactFile(id), { force: true })));
  }

  const spooled = (result: Result): Spooled => ({
    ...{ result, isInMemory: false },
    read: (id, offset, length) => readPart(artifactFile(id), offset, length),
    isGone: async () => (await stat(resultFile(result)).catch(() => undefined)) === undefined,
    done: () => remove(result),
    async setAside() {
      await putAside(`${result.resultId}.json`);
      await remove(result);
    },
  });

  /** What was being written when an agent was killed: at once where that is known, else once it is old and no other writes it. */
  async function sweep(names: readonly string[], kept: ReadonlySet<string>): Promise<void> {
    for (const name of names) {
      if (kept.has(name) || !/\.(?:new|file)$/.test(name)) continue;
      const path = join(place, name);
      const [, writer] = NEW.exec(name) ?? [];
      const isGone = writer !== undefined && isInstanceGone(writer);
      if (isGone) await removeBegun(path);
      const about = await stat(path).catch(() => undefined);
      if (isGone || (about !== undefined && about.mtimeMs < Date.now() - UNFINISHED_MS))
        await rm(path, { force: true });
    }
  }

  /** The files that were moved for a result that is not there yet. */
  async function removeBegun(path: string): Promise<void> {
    try {
      const { artifacts } = JSON.parse(await readFile(path, 'utf8')) as Result;
      await Promise.all(artifacts.map(({ id }) => rm(artifactFile(id), { force: true })));
    } catch {
      // Not whole yet: nothing was moved.
    }
  }

  return {
    async found() {
      const names = await readdir(place);
      const results: { readonly result: Result; readonly at: number }[] = [];
      for (const name of names.filter((one) => one.endsWith('.json'))) {
        const text = await readFile(join(place, name), 'utf8').catch(() => undefined);
        // Another agent over the same folder has just handed it in.
        if (text === undefined) continue;
        try {
          const result = JSON.parse(text) as Result;
          results.push({ result, at: result.report.stoppedAt });
        } catch (error) {
          onBroken(name, error);
          await putAside(name).catch(() => {});
        }
      }
      const kept = results.flatMap(({ result }) => result.artifacts.map(({ id }) => `${id}.file`));
      await sweep(names, new Set(kept));
      return results.sort((one, other) => one.at - other.at).map(({ result }) => spooled(result));
    },
    async put(result, files) {
      const fresh = join(place, `${result.resultId}.${getInstanceName()}.new`);
      const moved: (readonly [from: string, to: string])[] = [];
      try {
        // The result says, before any file is moved, which are its own.
        await write(fresh, JSON.stringify(result));
        for (const [id, from] of files) {
          await settle(from);
          await moveFile(from, artifactFile(id));
          moved.push([from, artifactFile(id)]);
        }
        if (files.size > 0) await settle(place);
        await rename(fresh, resultFile(result));
        await settle(place);
      } catch (error) {
        for (const [from, to] of moved) await moveFile(to, from).catch(() => {});
        for (const path of [fresh, resultFile(result)]) await rm(path, { force: true }).catch(() => {});
        throw error;
      }
      return spooled(result);
    },
  };
}

/** A result that no disk has: it waits in memory, and is lost with it; its files stay where they lie. */
export function inMemory(result: Result, files: ResultFiles): Spooled {
  return {
    ...{ result, isInMemory: true },
    read: (id, offset, length) => readPart(files.get(id) ?? '', offset, length),
    isGone: async () => false,
    done: async () => {},
    setAside: async () => {},
  };
}
