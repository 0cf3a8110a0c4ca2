/** Stores the files that agents upload before they report, per location and run, within quotas. */
import { constants } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toFileName } from '../../../base/file-name.ts';
import { makeFolder } from '../../../base/files.ts';
import { moveFile } from '../../../base/move-file.ts';
import { formatSize } from '../../../base/size.ts';
import { RUN_ARTIFACT_BYTES, RUN_ARTIFACTS } from '../../../contract/artifact-bytes.ts';

/** The claim of a run by an agent. */
export interface ClaimedRun {
  readonly locationId: string;
  readonly runId: number;
  readonly claimId: string;
}

/** A part of a file. `bytes` is its maximum size. */
export interface UploadPart {
  readonly id: string;
  readonly offset: number;
  readonly bytes: number;
  readonly contents: AsyncIterable<Uint8Array>;
}

/** Limits for files that wait for their reports: total size and number. */
interface Quota {
  readonly bytes: number;
  readonly files: number;
}

/** The message tells the agent the quota and what to do. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
}

export type Uploads = ReturnType<typeof openUploads>;

export const RUN_QUOTA: Quota = { bytes: RUN_ARTIFACT_BYTES, files: RUN_ARTIFACTS };
export const LOCATION_QUOTA: Quota = { bytes: 2 * 1024 ** 3, files: 2000 };

/** The accounted size of a file. Parts that are still being written count in full. */
interface FileUsage {
  bytes: number;
  writers: number;
}

const RUN_FOLDER = /^(\d{1,15})\.([0-9a-f-]{36})$/;
const pathOf = ({ locationId, runId, claimId }: ClaimedRun): string =>
  join(toFileName(locationId), toFileName(`${runId}.${claimId}`));

/** Opens the uploads in their folder. `admit` throws if the storage is full. */
export function openUploads(folder: string, admit: () => Promise<void>) {
  const runs = new Map<string, { readonly run: ClaimedRun; readonly files: Map<string, FileUsage> }>();
  const filePath = (run: ClaimedRun, id: string) => join(folder, pathOf(run), toFileName(id));
  let loading: Promise<void> | undefined;

  function filesOf(run: ClaimedRun): Map<string, FileUsage> {
    const known = runs.get(pathOf(run)) ?? { run, files: new Map() };
    runs.set(pathOf(run), known);
    return known.files;
  }

  /** Accounts for the files that an earlier process received. */
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
  const ensureLoaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  function assertWithin(quota: Quota, files: readonly FileUsage[], added: Quota, subject: string): void {
    const bytes = files.reduce((sum, file) => sum + file.bytes, added.bytes);
    if (files.length + added.files > quota.files)
      throw new QuotaExceeded(
        `${subject}: the limit is ${quota.files} files. Report the existing files first`,
      );
    if (bytes > quota.bytes)
      throw new QuotaExceeded(
        `${subject}: the limit is ${formatSize(quota.bytes)} in total, and this part would make it ${formatSize(bytes)}. Report the existing files first, or make the files smaller`,
      );
  }

  /**
   * Accounts for a part before it is written. It is synchronous, so that concurrent parts cannot exceed a quota
   * together.
   */
  function reserve(run: ClaimedRun, { id, offset, bytes }: UploadPart): FileUsage {
    const files = runs.get(pathOf(run))?.files ?? new Map<string, FileUsage>();
    const known = files.get(id);
    const end = Math.max(known?.bytes ?? 0, offset + bytes);
    const added = { bytes: end - (known?.bytes ?? 0), files: known === undefined ? 1 : 0 };
    assertWithin(RUN_QUOTA, [...files.values()], added, 'Files of the run');
    const ofLocation = [...runs.values()].filter((one) => one.run.locationId === run.locationId);
    const waiting = ofLocation.flatMap((one) => [...one.files.values()]);
    assertWithin(LOCATION_QUOTA, waiting, added, 'Files of the private location that are not yet reported');
    const counted = known ?? { bytes: 0, writers: 0 };
    counted.bytes = end;
    counted.writers += 1;
    filesOf(run).set(id, counted);
    return counted;
  }

  async function finishWriter(run: ClaimedRun, id: string, counted: FileUsage): Promise<void> {
    counted.writers -= 1;
    if (counted.writers > 0) return;
    const path = filePath(run, id);
    const size = (await stat(path).catch(() => undefined))?.size;
    // Another writer may have started meanwhile.
    if (counted.writers > 0) return;
    counted.bytes = size ?? 0;
    if (size === undefined) filesOf(run).delete(id);
  }

  async function remove(run: ClaimedRun): Promise<void> {
    await ensureLoaded();
    if (!runs.has(pathOf(run))) return;
    await rm(join(folder, pathOf(run)), { recursive: true, force: true });
    runs.delete(pathOf(run));
  }

  return {
    /**
     * Appends a part if `offset` is the length of the file, and returns the new length. Throws QuotaExceeded before it
     * writes, and errors of `contents` after it wrote what had arrived.
     */
    async receive(run: ClaimedRun, part: UploadPart): Promise<number> {
      await ensureLoaded();
      const { id, offset } = part;
      const path = filePath(run, id);
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      // The sender must continue exactly at the end of the file.
      if (offset !== size) return size;
      const counted = reserve(run, part);
      try {
        await admit();
        makeFolder(join(folder, pathOf(run)));
        return await writePart(path, part);
      } finally {
        await finishWriter(run, id, counted);
      }
    },
    /** Flushes a file to disk and returns its length, or undefined if it does not exist. */
    async settledSize(run: ClaimedRun, id: string): Promise<number | undefined> {
      const file = await open(filePath(run, id), constants.O_RDWR).catch(() => undefined);
      if (file === undefined) return undefined;
      try {
        await file.datasync();
        return (await file.stat()).size;
      } finally {
        await file.close();
      }
    },
    async move(run: ClaimedRun, id: string, path: string): Promise<void> {
      await moveFile(filePath(run, id), path);
      filesOf(run).delete(id);
    },
    async moveBack(run: ClaimedRun, id: string, path: string): Promise<void> {
      const { size } = await stat(path);
      makeFolder(join(folder, pathOf(run)));
      await moveFile(path, filePath(run, id));
      filesOf(run).set(id, { bytes: size, writers: 0 });
    },
    remove,
    /** Removes the files of runs that are no longer claimed. */
    async sweep(claimed: (runs: readonly ClaimedRun[]) => Promise<readonly ClaimedRun[]>): Promise<void> {
      await ensureLoaded();
      const known = [...runs.values()].map(({ run }) => run);
      if (known.length === 0) return;
      const claimedPaths = new Set((await claimed(known)).map(pathOf));
      for (const run of known) if (!claimedPaths.has(pathOf(run))) await remove(run);
    },
    /** Returns the total size of all files. */
    bytes: (): number =>
      [...runs.values()].reduce(
        (sum, { files }) => [...files.values()].reduce((so, { bytes }) => so + bytes, sum),
        0,
      ),
  };
}

async function writePart(path: string, { offset, contents }: UploadPart): Promise<number> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    let at = offset;
    // Positional writes make a part that is sent twice at the same time harmless.
    for await (const chunk of contents)
      for (let from = 0; from < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, from, chunk.length - from, at);
        from += bytesWritten;
        at += bytesWritten;
      }
    return at;
  } finally {
    await file.close();
  }
}
