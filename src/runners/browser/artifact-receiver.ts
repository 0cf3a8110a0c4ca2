/** Stores the files that a program sends out of its cell, part by part. The program waits for the disk. */
import type { Readable } from 'node:stream';
import type { Artifact, FileWriter, RunFiles } from '../core/runner.ts';
import { formatTooLarge, formatTotalExceeded } from '../files/run-file-store.ts';
import { LIMITS, type ProgramMessage } from './protocol.ts';

interface IncomingFile extends Pick<Artifact, 'kind' | 'name' | 'contentType'> {
  readonly file: FileWriter;
  bytes: number;
}

/** Reading pauses while more than this waits for the disk, in bytes. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

export function createArtifactReceiver(files: RunFiles | undefined, stream: Readable) {
  const artifacts: Artifact[] = [];
  const lost: string[] = [];
  let current: IncomingFile | undefined;
  let fileCount = 0;
  let totalBytes = 0;
  let bufferedBytes = 0;
  let chain = Promise.resolve();

  /** Runs operations in order. An error affects only its file. */
  function enqueue(work: () => Promise<void>): void {
    chain = chain.then(work).catch(async (error: unknown) => {
      const { name = 'a file' } = current ?? {};
      await discardCurrent(
        `${name} could not be stored: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
      );
    });
  }

  async function discardCurrent(reason?: string): Promise<void> {
    const discarded = current;
    current = undefined;
    if (reason !== undefined) lost.push(reason);
    await discarded?.file.discard().catch(() => {});
  }

  return {
    begin({ kind, name, contentType }: Extract<ProgramMessage, { type: 'artifact' }>): void {
      fileCount += 1;
      const isTooMany = fileCount > LIMITS.screenshots + LIMITS.traces;
      enqueue(async () => {
        await discardCurrent();
        if (isTooMany) return;
        if (files === undefined) {
          lost.push(`${name} could not be stored: this service stores no files`);
          return;
        }
        current = { file: await files.create(), kind, name, contentType, bytes: 0 };
      });
    },
    part(bytes: Buffer): void {
      bufferedBytes += bytes.length;
      if (bufferedBytes > MAX_BUFFERED_BYTES) stream.pause();
      enqueue(async () => {
        try {
          if (current === undefined) return;
          current.bytes += bytes.length;
          totalBytes += bytes.length;
          if (current.bytes > LIMITS.artifactBytes)
            await discardCurrent(formatTooLarge(current.name, current.bytes));
          else if (totalBytes > LIMITS.runBytes)
            await discardCurrent(formatTotalExceeded(current.name, LIMITS.runBytes));
          else await current.file.write(bytes);
        } finally {
          bufferedBytes -= bytes.length;
          if (bufferedBytes <= MAX_BUFFERED_BYTES) stream.resume();
        }
      });
    },
    end(isWhole: boolean): void {
      enqueue(async () => {
        if (!isWhole || current === undefined) return discardCurrent();
        const { file, kind, name, contentType } = current;
        const { path, bytes } = await file.end();
        current = undefined;
        artifacts.push({ kind, name, contentType, path, bytes });
      });
    },
    /** Resolves when all files received so far are stored or discarded. */
    async settle(): Promise<{ readonly artifacts: readonly Artifact[]; readonly lost: readonly string[] }> {
      for (let before: Promise<void> | undefined; before !== chain; ) {
        before = chain;
        await before;
      }
      await discardCurrent();
      return { artifacts, lost };
    },
  };
}
