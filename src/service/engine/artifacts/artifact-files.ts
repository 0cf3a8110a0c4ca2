/** Stores screenshots, traces and transcripts as files beside the database, with the retention of their results. */
import { constants } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import { toFileName } from '../../../base/file-name.ts';
import { makeFolder } from '../../../base/files.ts';
import { moveFile } from '../../../base/move-file.ts';
import type { Random } from '../../../base/random.ts';
import type { Artifact } from '../../../runners/core/runner.ts';
import { createRunFileStore, formatLostFiles } from '../../../runners/files/run-file-store.ts';
import type { Report } from '../../../worker/port.ts';
import { StorageFull } from '../../store/budgets.ts';
import type { artifacts } from '../../store/engine/results.ts';
import { type ClaimedRun, openUploads, type Uploads } from './uploads.ts';

/** A stored file whose result is not written yet. */
export interface StoredArtifact {
  readonly id: string;
  readonly kind: Artifact['kind'];
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
}

/** A report whose artifacts are stored. Its details list them. */
export interface StoredReport extends Report {
  readonly stored?: readonly StoredArtifact[];
  /** Host and folder of the stored files: `eu-1:/var/lib/sonde/artifacts`. */
  readonly place?: string;
}

/** A file to send. The receiver reads the stream to its end, or destroys it. */
export interface FileDownload {
  readonly bytes: number;
  readonly stream: Readable;
}

/** The uploaded files of a run in the store, under IDs of the service, and a function that undoes this. */
interface AdoptedFiles {
  readonly stored: readonly StoredArtifact[];
  readonly undo: () => Promise<void>;
}

export type ArtifactFiles = ReturnType<typeof createArtifactFiles>;

interface ArtifactFilesOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Throws StorageFull unless the bytes fit, perhaps after `makeRoom`. Default: no limit. */
  readonly admit?: (bytes: number, makeRoom: (bytes: number) => Promise<void>) => Promise<void>;
  readonly rows: Pick<ReturnType<typeof artifacts>, 'bytes' | 'oldest' | 'remove'>;
  /** Returns the IDs that a result still references. */
  readonly referenced: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Returns the runs that their agents still hold. */
  readonly claimed: (runs: readonly ClaimedRun[]) => Promise<readonly ClaimedRun[]>;
  readonly onError: (message: string, error: unknown) => void;
}

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const HOUR_MS = 60 * 60_000;
const BATCH_SIZE = 500;
const REMOVE_BATCH_SIZE = 20;
const COUNT_INTERVAL_MS = 60_000;
/** Folders beside the stored files. */
const RUNS = 'runs';
const UPLOADS = 'uploads';

export const isArtifactId = (id: string): boolean => ID.test(id);

/** Uses the first two characters as a folder, so that no folder grows too large. */
export const artifactPath = (folder: string, id: string): string =>
  join(folder, toFileName(id.slice(0, 2)), toFileName(id));

export function createArtifactFiles(options: ArtifactFilesOptions) {
  const { folder, clock, random, referenced, onError } = options;
  const place = `${hostname()}:${resolve(folder)}`;
  const runFolders = createRunFileStore({ folder: join(folder, RUNS), onError });
  const uploads = openUploads(join(folder, UPLOADS), () => admit(0));
  /** Bytes of stored files, re-read from the database every minute. */
  let stored = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  const addBytes = (bytes: number) => {
    stored = { ...stored, bytes: stored.bytes + bytes };
  };

  async function bytes(): Promise<number> {
    const at = clock.monotonic();
    if (at - stored.at >= COUNT_INTERVAL_MS) stored = { bytes: await options.rows.bytes(), at };
    return stored.bytes + uploads.bytes();
  }

  async function admit(bytes: number): Promise<void> {
    await options.admit?.(bytes, makeRoom);
  }

  async function makeRoom(needed: number): Promise<void> {
    for (let freed = 0; freed < needed; ) {
      const oldest = await options.rows.oldest(REMOVE_BATCH_SIZE);
      if (oldest.length === 0) return;
      for (const file of oldest) {
        if (freed >= needed) return;
        await options.rows.remove(file.id);
        await rm(artifactPath(folder, file.id), { force: true });
        addBytes(-file.bytes);
        freed += file.bytes;
      }
    }
  }

  function makePath(id: string): string {
    const path = artifactPath(folder, id);
    makeFolder(dirname(path));
    return path;
  }

  async function storeArtifact(artifact: Artifact): Promise<StoredArtifact> {
    const { kind, name, contentType, bytes } = artifact;
    const id = random.uuid();
    await admit(bytes);
    await moveFile(artifact.path, makePath(id));
    addBytes(bytes);
    return { id, kind, name, contentType, bytes };
  }

  /** Deletes unreferenced files. A file younger than an hour may not have its result yet. */
  async function sweepFolder(path: string): Promise<void> {
    const ids = (await readdir(path)).filter((name) => ID.test(name));
    for (let from = 0; from < ids.length; from += BATCH_SIZE) {
      const part = ids.slice(from, from + BATCH_SIZE);
      const needed = await referenced(part);
      for (const id of part.filter((each) => !needed.has(each))) {
        const { mtimeMs } = await stat(join(path, id));
        if (mtimeMs < Date.now() - HOUR_MS) await rm(join(path, id), { force: true });
      }
    }
  }

  /** Deletes unreferenced files older than an hour, and uploads of runs that are no longer claimed. */
  async function sweep(signal: AbortSignal): Promise<void> {
    await runFolders.sweep();
    await uploads
      .sweep(options.claimed)
      .catch((error: unknown) => signal.aborted || onError('cannot delete old uploads', error));
    for (const name of await readdir(folder).catch(() => [])) {
      if (signal.aborted) return;
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      await sweepFolder(join(folder, name)).catch((error: unknown) => {
        // The store is closed once the signal is aborted.
        if (!signal.aborted) onError('cannot delete old files', error);
      });
    }
  }

  return {
    /** Host and folder of the stored files. */
    place,
    /** The folders for files of runs, on the same file system as the stored files. */
    places: runFolders,
    /**
     * Moves the files of a report into the store. The details explain any that could not be stored; the result is kept.
     */
    async store({ artifacts, ...report }: Report): Promise<StoredReport> {
      if (artifacts === undefined) return report;
      const stored: StoredArtifact[] = [];
      const { artifactsLost: before } = report.details;
      const lost = typeof before === 'string' ? [before] : [];
      for (const artifact of artifacts) {
        try {
          stored.push(await storeArtifact(artifact));
        } catch (error) {
          // The storage budget already logs that it is full.
          if (!(error instanceof StorageFull)) onError('cannot store a screenshot or trace of a run', error);
          const why =
            error instanceof StorageFull
              ? error.message
              : ((error as NodeJS.ErrnoException).code ?? 'unknown reason');
          lost.push(`${artifact.name} could not be stored: ${why}`);
        }
      }
      const artifactsLost = formatLostFiles(...lost);
      const lostDetails = artifactsLost === undefined ? {} : { artifactsLost };
      return { ...report, stored, place, details: { ...report.details, artifacts: stored, ...lostDetails } };
    },
    /** Files that agents upload before they report. */
    uploads: uploads as Pick<Uploads, 'receive' | 'settledSize' | 'remove'>,
    bytes,
    /**
     * Moves the uploaded files of a run into the store. The agent chose the IDs of its uploads, so the files get new ones:
     * otherwise a file could take the place of another run's.
     */
    async adopt(run: ClaimedRun, files: readonly StoredArtifact[]): Promise<AdoptedFiles> {
      const moved = new Map<string, StoredArtifact>();
      const undo = async () => {
        for (const [uploadId, file] of moved) {
          moved.delete(uploadId);
          await uploads.moveBack(run, uploadId, artifactPath(folder, file.id));
          addBytes(-file.bytes);
        }
      };
      try {
        for (const file of files) {
          const id = random.uuid();
          await uploads.move(run, file.id, makePath(id));
          addBytes(file.bytes);
          moved.set(file.id, { ...file, id });
        }
      } catch (error) {
        await undo();
        throw error;
      }
      return { stored: [...moved.values()], undo };
    },
    /** Opens a file, or returns undefined if it no longer exists. */
    async open(id: string): Promise<FileDownload | undefined> {
      if (!isArtifactId(id)) return undefined;
      const file = await open(artifactPath(folder, id), constants.O_RDONLY).catch(() => undefined);
      if (file === undefined) return undefined;
      const { size: bytes } = await file.stat();
      // An empty file has no last byte, so its range must not be negative.
      const stream = file.createReadStream({ start: 0, end: Math.max(0, bytes - 1) });
      return { bytes, stream };
    },
    sweep,
    /** Sweeps now and every hour until the signal is aborted. */
    async sweepHourly(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await sweep(signal);
        await clock.sleep(HOUR_MS, signal).catch(() => {});
      }
    },
  };
}

/** Types that pages embed as images. All others are downloads. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** Types of downloads that keep their content type. */
const DOWNLOAD_TYPES: ReadonlySet<string> = new Set(['application/zip', 'application/json']);

export const isImageType = (contentType: unknown): contentType is string =>
  typeof contentType === 'string' && IMAGE_TYPES.has(contentType);

/** Returns a known content type, or the generic one. */
export const safeContentType = (contentType: string): string =>
  isImageType(contentType) || DOWNLOAD_TYPES.has(contentType) ? contentType : 'application/octet-stream';

/** `inline`: a page of the service embeds it. The sandbox policy denies it that page's rights. */
export const artifactHeaders = (name: string, disposition: 'inline' | 'attachment') => ({
  'content-disposition': `${disposition}; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, max-age=86400, immutable',
});
