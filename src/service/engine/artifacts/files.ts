/** Keeps what runs leave behind as files beside the store: for their owner alone, and only as long as their results. */
import { constants } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import { makeFolder } from '../../../base/folder.ts';
import { moveFile } from '../../../base/move-file.ts';
import type { Random } from '../../../base/random.ts';
import { formatLostFiles } from '../../../runners/files/format-lost-files.ts';
import { createRunFileStore, type RunFileStore } from '../../../runners/files/run-file-store.ts';
import type { Artifact } from '../../../runners/types.ts';
import type { Report } from '../../../worker/port.ts';
import { StorageFull } from '../../store/budgets.ts';
import type { artifacts } from '../../store/engine/artifacts.ts';
import { type ClaimedRun, openUploads, type Uploads } from './uploads.ts';

/** A file that lies there, before its result is written. */
export interface KeptArtifact {
  readonly id: string;
  readonly kind: Artifact['kind'];
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
}

/** A report whose pictures and traces lie in files; its details name them. */
export interface KeptReport extends Report {
  readonly kept?: readonly KeptArtifact[];
}

/** A file that is to be sent on; whoever has it reads the stream to its end, or destroys it. */
export interface FileToSend {
  readonly bytes: number;
  readonly stream: Readable;
}

type AdoptedFile = Pick<KeptArtifact, 'id' | 'bytes'>;

export interface ArtifactFiles {
  /** Where runs put their files, on the file system of those that are kept. */
  readonly places: RunFileStore;
  /** Takes the files of a report by moving them. What cannot be kept is said in the details and costs no result. */
  keep(report: Report): Promise<KeptReport>;
  /** What agents send before they report. */
  readonly uploads: Pick<Uploads, 'receive' | 'settledSize' | 'remove'>;
  /** Takes the files of a run that its agent has sent, for its report; answers how they are given back where no result has them. */
  adopt(run: ClaimedRun, files: readonly AdoptedFile[]): Promise<() => Promise<void>>;
  /** Bytes of all files, those that agents have sent included. */
  bytes(): Promise<number>;
  /** Opens a file, as it is now; undefined where there is none any more. */
  open(id: string): Promise<FileToSend | undefined>;
  /** Removes files that no result has any more, and that are older than an hour; of uploads those of runs that are no longer held. */
  sweep(signal: AbortSignal): Promise<void>;
  /** The same now and every hour until the signal. */
  keepSwept(signal: AbortSignal): Promise<void>;
}

export interface ArtifactFilesOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Throws where there is no room for so many bytes more; `makeRoom` may make it. Left out: there always is. */
  readonly admit?: (bytes: number, makeRoom: (bytes: number) => Promise<void>) => Promise<void>;
  readonly rows: Pick<ReturnType<typeof artifacts>, 'bytes' | 'oldest' | 'remove'>;
  /** Those of the ids that a result still has. */
  readonly known: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Those of the runs that their agents still hold. */
  readonly held: (runs: readonly ClaimedRun[]) => Promise<readonly ClaimedRun[]>;
  readonly onError: (message: string, error: unknown) => void;
}

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const HOUR_MS = 60 * 60_000;
const AT_ONCE = 500;
const REMOVED_AT_ONCE = 20;
const COUNT_EVERY_MS = 60_000;
/** Beside the folders of those that are kept. */
const RUNS = 'runs';
const UPLOADS = 'uploads';

export const isArtifactId = (id: string): boolean => ID.test(id);

/** By the first two signs: no folder grows too large. */
export const artifactPath = (folder: string, id: string): string => join(folder, id.slice(0, 2), id);

export function artifactFiles(options: ArtifactFilesOptions): ArtifactFiles {
  const { folder, clock, random, known, onError } = options;
  const places = createRunFileStore({ folder: join(folder, RUNS), onError });
  const uploads = openUploads(join(folder, UPLOADS), () => admit(0));
  /** Bytes of files that belong to results, or are about to; counted anew every minute. */
  let stored = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  const count = (bytes: number) => {
    stored = { ...stored, bytes: stored.bytes + bytes };
  };

  async function bytes(): Promise<number> {
    const at = clock.monotonic();
    if (at - stored.at >= COUNT_EVERY_MS) stored = { bytes: await options.rows.bytes(), at };
    return stored.bytes + uploads.bytes();
  }

  async function admit(more: number): Promise<void> {
    await options.admit?.(more, makeRoom);
  }

  /** Removes the oldest files. */
  async function makeRoom(needed: number): Promise<void> {
    for (let freed = 0; freed < needed; ) {
      const oldest = await options.rows.oldest(REMOVED_AT_ONCE);
      if (oldest.length === 0) return;
      for (const file of oldest) {
        if (freed >= needed) return;
        await options.rows.remove(file.id);
        await rm(artifactPath(folder, file.id), { force: true });
        count(-file.bytes);
        freed += file.bytes;
      }
    }
  }

  /** Where a file is kept; its folder is made. */
  function placeOf(id: string): string {
    const path = artifactPath(folder, id);
    makeFolder(dirname(path));
    return path;
  }

  async function taken({ kind, name, contentType, path: from, bytes }: Artifact): Promise<KeptArtifact> {
    const id = random.uuid();
    await admit(bytes);
    await moveFile(from, placeOf(id));
    count(bytes);
    return { id, kind, name, contentType, bytes };
  }

  /** Removes what no result has. What is younger than an hour may be about to get its result. */
  async function sweptIn(place: string): Promise<void> {
    const ids = (await readdir(place)).filter((name) => ID.test(name));
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const part = ids.slice(from, from + AT_ONCE);
      const needed = await known(part);
      for (const id of part.filter((one) => !needed.has(one))) {
        const { mtimeMs } = await stat(join(place, id));
        if (mtimeMs < Date.now() - HOUR_MS) await rm(join(place, id), { force: true });
      }
    }
  }

  async function swept(signal: AbortSignal): Promise<void> {
    await places.sweep();
    await uploads
      .sweep(options.held)
      .catch((error: unknown) => signal.aborted || onError('cannot delete old uploads', error));
    for (const name of await readdir(folder).catch(() => [])) {
      if (signal.aborted) return;
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      await sweptIn(join(folder, name)).catch((error: unknown) => {
        // Whoever stops has closed the store.
        if (!signal.aborted) onError('cannot delete old files', error);
      });
    }
  }

  return {
    places,
    async keep({ artifacts: left, ...report }) {
      if (left === undefined) return report;
      const kept: KeptArtifact[] = [];
      const { artifactsLost: before } = report.details;
      const lost = typeof before === 'string' ? [before] : [];
      for (const artifact of left) {
        try {
          kept.push(await taken(artifact));
        } catch (error) {
          // What is full is said once, as it becomes full.
          if (!(error instanceof StorageFull)) onError('cannot store a screenshot or trace of a run', error);
          const why =
            error instanceof StorageFull
              ? error.message
              : ((error as NodeJS.ErrnoException).code ?? 'unknown reason');
          lost.push(`${artifact.name} could not be stored: ${why}`);
        }
      }
      const artifactsLost = formatLostFiles(...lost);
      const told = artifactsLost === undefined ? {} : { artifactsLost };
      return { ...report, kept, details: { ...report.details, artifacts: kept, ...told } };
    },
    uploads,
    bytes,
    async adopt(run, files) {
      const moved: AdoptedFile[] = [];
      const giveBack = async () => {
        for (const file of moved.splice(0)) {
          await uploads.moveBack(run, file.id, artifactPath(folder, file.id));
          count(-file.bytes);
        }
      };
      try {
        for (const file of files) {
          await uploads.move(run, file.id, placeOf(file.id));
          count(file.bytes);
          moved.push(file);
        }
      } catch (error) {
        await giveBack();
        throw error;
      }
      return giveBack;
    },
    async open(id) {
      if (!isArtifactId(id)) return undefined;
      const file = await open(artifactPath(folder, id), constants.O_RDONLY).catch(() => undefined);
      if (file === undefined) return undefined;
      const { size: bytes } = await file.stat();
      // An empty file has no last byte to be read to.
      const stream = file.createReadStream({ start: 0, end: Math.max(0, bytes - 1) });
      return { bytes, stream };
    },
    sweep: swept,
    async keepSwept(signal) {
      while (!signal.aborted) {
        await swept(signal);
        await clock.sleep(HOUR_MS, signal).catch(() => {});
      }
    },
  };
}
