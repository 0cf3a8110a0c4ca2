/** Files that agents send before the reports of their runs: kept apart by location and run, within quotas, until the report names them. */
import { constants } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../base/folder.ts';
import { moveFile } from '../../../base/move-file.ts';
import { formatSize } from '../../../base/size.ts';
import { RUN_ARTIFACT_BYTES, RUN_ARTIFACTS } from '../../../contract/artifact-bytes.ts';

/** The claim of a run by an agent of a private location. */
export interface ClaimedRun {
  readonly locationId: string;
  readonly runId: number;
  readonly claimId: string;
}

/** A part of a file. `bytes`: how much comes at most. */
export interface Part {
  readonly id: string;
  readonly offset: number;
  readonly bytes: number;
  readonly contents: AsyncIterable<Uint8Array>;
}

/** What files may have together that wait for their reports; `files`: how many there may be. */
interface Quota {
  readonly bytes: number;
  readonly files: number;
}

/** The message is for the agent: it says the quota and the way out. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
}

export interface Uploads {
  /**
   * Writes a part at its place where the file is as long as `offset` says; answers how long the file is then. Throws
   * QuotaExceeded before anything is written, and what `contents` throws: what came before is there.
   */
  receive(run: ClaimedRun, part: Part): Promise<number>;
  /** How long a file of a run is, all of which the disk has by then; undefined where there is none. */
  settledSize(run: ClaimedRun, id: string): Promise<number | undefined>;
  /** Moves a file of a run to a path, or back. */
  move(run: ClaimedRun, id: string, path: string): Promise<void>;
  moveBack(run: ClaimedRun, id: string, path: string): Promise<void>;
  /** Removes all files of a run. */
  remove(run: ClaimedRun): Promise<void>;
  /** Removes the files of runs that are no longer held. */
  sweep(held: (runs: readonly ClaimedRun[]) => Promise<readonly ClaimedRun[]>): Promise<void>;
  /** Bytes of all files. */
  bytes(): number;
}

export const RUN_QUOTA: Quota = { bytes: RUN_ARTIFACT_BYTES, files: RUN_ARTIFACTS };
export const LOCATION_QUOTA: Quota = { bytes: 2 * 1024 ** 3, files: 2000 };

/** A file as it is counted: parts that are being written count in full. */
interface Counted {
  bytes: number;
  writers: number;
}

const RUN_FOLDER = /^(\d{1,15})\.([0-9a-f-]{36})$/;
const pathOf = ({ locationId, runId, claimId }: ClaimedRun): string =>
  join(locationId, `${runId}.${claimId}`);

/** Opens the uploads in a folder of their own. `admit` throws where there is no room for what is counted by then. */
export function openUploads(folder: string, admit: () => Promise<void>): Uploads {
  const runs = new Map<string, { readonly run: ClaimedRun; readonly files: Map<string, Counted> }>();
  const filePath = (run: ClaimedRun, id: string) => join(folder, pathOf(run), id);
  let loading: Promise<void> | undefined;

  function filesOf(run: ClaimedRun): Map<string, Counted> {
    const known = runs.get(pathOf(run)) ?? { run, files: new Map() };
    runs.set(pathOf(run), known);
    return known.files;
  }

  /** Counts what a process before this one received. */
  async function load(): Promise<void> {
    for (const locationId of await readdir(folder).catch(() => []))
      for (const name of await readdir(join(folder, locationId)).catch(() => [])) {
        const [, runId, claimId = ''] = RUN_FOLDER.exec(name) ?? [];
        if (runId === undefined) continue;
        const run = { locationId, runId: Number(runId), claimId };
        for (const id of await readdir(join(folder, pathOf(run)))) {
          const { size } = await stat(filePath(run, id));
          filesOf(run).set(id, { bytes: size, writers: 0 });
        }
      }
  }
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  function assertWithin(quota: Quota, files: readonly Counted[], more: Quota, what: string): void {
    const bytes = files.reduce((sum, file) => sum + file.bytes, more.bytes);
    if (files.length + more.files > quota.files)
      throw new QuotaExceeded(`${what}: the limit is ${quota.files} files. Report the existing files first`);
    if (bytes > quota.bytes)
      throw new QuotaExceeded(
        `${what}: the limit is ${formatSize(quota.bytes)} in total, and this part would make it ${formatSize(bytes)}. Report the existing files first, or make the files smaller`,
      );
  }

  /** Counts a part before it is written, in one turn: parts that come at the same time cannot pass a quota together. */
  function reserve(run: ClaimedRun, { id, offset, bytes }: Part): Counted {
    const files = runs.get(pathOf(run))?.files ?? new Map<string, Counted>();
    const known = files.get(id);
    const end = Math.max(known?.bytes ?? 0, offset + bytes);
    const more = { bytes: end - (known?.bytes ?? 0), files: known === undefined ? 1 : 0 };
    assertWithin(RUN_QUOTA, [...files.values()], more, 'Files of the run');
    const ofLocation = [...runs.values()].filter((one) => one.run.locationId === run.locationId);
    const waiting = ofLocation.flatMap((one) => [...one.files.values()]);
    assertWithin(LOCATION_QUOTA, waiting, more, 'Files of the private location that are not yet reported');
    const counted = known ?? { bytes: 0, writers: 0 };
    counted.bytes = end;
    counted.writers += 1;
    filesOf(run).set(id, counted);
    return counted;
  }

  async function settle(run: ClaimedRun, id: string, counted: Counted): Promise<void> {
    counted.writers -= 1;
    if (counted.writers > 0) return;
    const path = filePath(run, id);
    const size = (await stat(path).catch(() => undefined))?.size;
    // Another writer may have come meanwhile.
    if (counted.writers > 0) return;
    counted.bytes = size ?? 0;
    if (size === undefined) forget(run, id);
  }

  function forget(run: ClaimedRun, id: string): void {
    filesOf(run).delete(id);
  }

  async function remove(run: ClaimedRun): Promise<void> {
    await loaded();
    if (!runs.has(pathOf(run))) return;
    await rm(join(folder, pathOf(run)), { recursive: true, force: true });
    runs.delete(pathOf(run));
  }

  return {
    async receive(run, part) {
      await loaded();
      const { id, offset } = part;
      const path = filePath(run, id);
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      // What is there stays, and nothing is left out: the sender goes on from where the file ends.
      if (offset !== size) return size;
      const counted = reserve(run, part);
      try {
        await admit();
        makeFolder(join(folder, pathOf(run)));
        return await write(path, part);
      } finally {
        await settle(run, id, counted);
      }
    },
    async settledSize(run, id) {
      const file = await open(filePath(run, id), constants.O_RDWR).catch(() => undefined);
      if (file === undefined) return undefined;
      try {
        await file.datasync();
        return (await file.stat()).size;
      } finally {
        await file.close();
      }
    },
    async move(run, id, path) {
      await moveFile(filePath(run, id), path);
      forget(run, id);
    },
    async moveBack(run, id, path) {
      const { size } = await stat(path);
      makeFolder(join(folder, pathOf(run)));
      await moveFile(path, filePath(run, id));
      filesOf(run).set(id, { bytes: size, writers: 0 });
    },
    remove,
    async sweep(held) {
      await loaded();
      const known = [...runs.values()].map(({ run }) => run);
      if (known.length === 0) return;
      const kept = new Set((await held(known)).map(pathOf));
      for (const run of known) if (!kept.has(pathOf(run))) await remove(run);
    },
    bytes: () =>
      [...runs.values()].reduce(
        (sum, { files }) => [...files.values()].reduce((so, { bytes }) => so + bytes, sum),
        0,
      ),
  };
}

/** Writes a part; answers how long the file is then. */
async function write(path: string, { offset, contents }: Part): Promise<number> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    let at = offset;
    // At its place: the same part, sent again while the first is being written, changes nothing.
    for await (const some of contents)
      for (let from = 0; from < some.length; ) {
        const { bytesWritten } = await file.write(some, from, some.length - from, at);
        from += bytesWritten;
        at += bytesWritten;
      }
    return at;
  } finally {
    await file.close();
  }
}
