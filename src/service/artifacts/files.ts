/** Keeps what runs leave behind as files beside the store: for their owner alone, and only as long as their results. */
import { constants } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { makeFolder } from '../../base/folder.ts';
import { moveFile } from '../../base/move-file.ts';
import type { Random } from '../../base/random.ts';
import { type RunPlaces, runPlaces } from '../../runners/files/run-places.ts';
import { lostWords } from '../../runners/files/words.ts';
import type { Artifact } from '../../runners/types.ts';
import type { Report } from '../../worker/port.ts';

/** A file that lies there, before its result is written. */
export interface KeptArtifact {
  readonly id: string;
  readonly kind: 'screenshot' | 'trace';
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

export interface ArtifactFiles {
  /** Where runs put their files, on the file system of those that are kept. */
  readonly places: RunPlaces;
  /** Takes the files of a report by moving them. What cannot be kept is said in the details and costs no result. */
  keep(report: Report): Promise<KeptReport>;
  /**
   * Adds what comes to a file under an id that another has made, where the file is as long as `offset` says; answers how long it is
   * then. Throws what `parts` throws: what came before is there.
   */
  receive(id: string, offset: number, parts: AsyncIterable<Uint8Array>): Promise<number>;
  /** How long a file is, all of which the disk has by then; undefined where there is none. */
  settledSize(id: string): Promise<number | undefined>;
  /** Opens a file, as it is now; undefined where there is none any more. */
  open(id: string): Promise<FileToSend | undefined>;
  /** Removes files that no result has any more, and that are older than an hour. */
  sweep(signal: AbortSignal): Promise<void>;
  /** The same now and every hour until the signal. */
  keepSwept(signal: AbortSignal): Promise<void>;
}

export interface ArtifactFilesOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Those of the ids that a result still has. */
  readonly known: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onError: (message: string, error: unknown) => void;
}

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const HOUR_MS = 60 * 60_000;
const AT_ONCE = 500;
/** Beside the folders of those that are kept. */
const RUNS = 'runs';

export const isArtifactId = (id: string): boolean => ID.test(id);

/** By the first two signs: no folder grows too large. */
export const artifactPath = (folder: string, id: string): string => join(folder, id.slice(0, 2), id);

export function artifactFiles(options: ArtifactFilesOptions): ArtifactFiles {
  const { folder, clock, random, known, onError } = options;
  const places = runPlaces({ folder: join(folder, RUNS), onError });

  async function taken({ kind, name, contentType, path: from, bytes }: Artifact): Promise<KeptArtifact> {
    const id = random.uuid();
    const path = artifactPath(folder, id);
    makeFolder(dirname(path));
    await moveFile(from, path);
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
    for (const name of await readdir(folder).catch(() => [])) {
      if (signal.aborted) return;
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      await sweptIn(join(folder, name)).catch((error: unknown) => {
        // Whoever stops has closed the store.
        if (!signal.aborted) onError('files could not be swept', error);
      });
    }
  }

  return {
    places,
    async keep({ artifacts, ...report }) {
      if (artifacts === undefined) return report;
      const kept: KeptArtifact[] = [];
      const { artifactsLost: before } = report.details;
      const lost = typeof before === 'string' ? [before] : [];
      for (const artifact of artifacts) {
        try {
          kept.push(await taken(artifact));
        } catch (error) {
          onError('a picture or trace of a run could not be kept', error);
          const why = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
          lost.push(`${artifact.name} could not be kept: ${why}`);
        }
      }
      const artifactsLost = lostWords(...lost);
      const told = artifactsLost === undefined ? {} : { artifactsLost };
      return { ...report, kept, details: { ...report.details, artifacts: kept, ...told } };
    },
    async receive(id, offset, parts) {
      const path = artifactPath(folder, id);
      makeFolder(dirname(path));
      const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      try {
        const { size } = await file.stat();
        // A result has it: it is whole, and nobody's to change any more.
        if (size > 0 && (await known([id])).has(id)) return size;
        // What is there stays, and nothing is left out: who sends goes on from where it ends.
        if (offset !== size) return size;
        let at = offset;
        // At its place: the same part, sent again while the first is being written, changes nothing.
        for await (const part of parts)
          for (let from = 0; from < part.length; ) {
            const { bytesWritten } = await file.write(part, from, part.length - from, at);
            from += bytesWritten;
            at += bytesWritten;
          }
        return at;
      } finally {
        await file.close();
      }
    },
    async settledSize(id) {
      if (!isArtifactId(id)) return undefined;
      const file = await open(artifactPath(folder, id), constants.O_RDWR).catch(() => undefined);
      if (file === undefined) return undefined;
      try {
        await file.datasync();
        return (await file.stat()).size;
      } finally {
        await file.close();
      }
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
