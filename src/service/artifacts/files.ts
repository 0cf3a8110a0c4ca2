/** Keeps what runs leave behind as files beside the store: for their owner alone, and only as long as their results. */
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { makeFolder } from '../../base/folder.ts';
import type { Random } from '../../base/random.ts';
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

export interface ArtifactFiles {
  /** Writes the files of a report. What cannot be written is said in the details and costs no result. */
  keep(report: Report): Promise<KeptReport>;
  /**
   * Adds a part to a file under an id that another has made, where the file is as long as `offset` says; answers how long it is
   * then.
   */
  receive(id: string, offset: number, part: Uint8Array): Promise<number>;
  /** How long a file is; undefined where there is none. */
  sizeOf(id: string): Promise<number | undefined>;
  /** Undefined where there is no such file any more. */
  read(id: string): Promise<Buffer | undefined>;
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

export const isArtifactId = (id: string): boolean => ID.test(id);

/** By the first two signs: no folder grows too large. */
export const artifactPath = (folder: string, id: string): string => join(folder, id.slice(0, 2), id);

export function artifactFiles(options: ArtifactFilesOptions): ArtifactFiles {
  const { folder, clock, random, known, onError } = options;

  async function written(report: Report): Promise<KeptArtifact[]> {
    const kept: KeptArtifact[] = [];
    for (const { kind, name, contentType, contents } of report.artifacts ?? []) {
      const id = random.uuid();
      const path = artifactPath(folder, id);
      makeFolder(dirname(path));
      await writeFile(path, contents, { mode: 0o600, flag: 'wx' });
      kept.push({ id, kind, name, contentType, bytes: contents.length });
    }
    return kept;
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
    async keep({ artifacts, ...report }) {
      if (artifacts === undefined) return report;
      try {
        const kept = await written({ ...report, artifacts });
        return { ...report, kept, details: { ...report.details, artifacts: kept } };
      } catch (error) {
        onError('pictures and traces of a run could not be kept', error);
        const lost = `they could not be kept: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`;
        return { ...report, details: { ...report.details, artifacts: [], artifactsLost: lost } };
      }
    },
    async receive(id, offset, part) {
      const path = artifactPath(folder, id);
      makeFolder(dirname(path));
      const file = await open(path, 'a+', 0o600);
      try {
        const { size } = await file.stat();
        // What is there stays, and nothing is left out: who sends goes on from where it ends.
        if (offset !== size) return size;
        await file.write(part);
        return size + part.length;
      } finally {
        await file.close();
      }
    },
    async sizeOf(id) {
      if (!isArtifactId(id)) return undefined;
      const found = await stat(artifactPath(folder, id)).catch(() => undefined);
      return found?.size;
    },
    async read(id) {
      if (!isArtifactId(id)) return undefined;
      try {
        return await readFile(artifactPath(folder, id));
      } catch {
        return undefined;
      }
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
