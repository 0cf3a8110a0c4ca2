/** Takes the files that a program hands out of its cell, part by part, into the place of its run: who hands them out waits for the disk. */
import type { Readable } from 'node:stream';
import { tooLarge, tooMuch } from '../files/format-lost-files.ts';
import type { Artifact, FileInMaking, RunFiles } from '../types.ts';
import { BOUNDS, type Told } from './protocol.ts';

export interface Receiver {
  begin(told: Extract<Told, { type: 'artifact' }>): void;
  part(bytes: Buffer): void;
  end(isWhole: boolean): void;
  /** Resolves when all that came so far is on the disk or given up. */
  settled(): Promise<{ readonly artifacts: readonly Artifact[]; readonly lost: readonly string[] }>;
}

interface Coming {
  readonly file: FileInMaking;
  readonly kind: Artifact['kind'];
  readonly name: string;
  readonly contentType: string;
  bytes: number;
}

/** So much may wait for the disk before no more is read, in bytes. */
const MOST_WAITING = 1024 * 1024;

/** `stream`: what the parts come from; it rests while the disk is behind. */
export function createReceiver(files: RunFiles | undefined, stream: Readable): Receiver {
  const artifacts: Artifact[] = [];
  const lost: string[] = [];
  let coming: Coming | undefined;
  let begun = 0;
  let total = 0;
  let waiting = 0;
  let chain = Promise.resolve();

  /** One after the other: what goes wrong costs the file and nothing else. */
  function next(work: () => Promise<void>): void {
    chain = chain.then(work).catch(async (error: unknown) => {
      const { name = 'a file' } = coming ?? {};
      await giveUp(
        `${name} could not be stored: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
      );
    });
  }

  async function giveUp(why?: string): Promise<void> {
    const given = coming;
    coming = undefined;
    if (why !== undefined) lost.push(why);
    await given?.file.drop().catch(() => {});
  }

  return {
    begin({ kind, name, contentType }) {
      begun += 1;
      const isTooMany = begun > BOUNDS.screenshots + BOUNDS.traces;
      next(async () => {
        await giveUp();
        if (isTooMany) return;
        if (files === undefined) {
          lost.push(`${name} could not be stored: this service stores no files`);
          return;
        }
        coming = { file: await files.begin(), kind, name, contentType, bytes: 0 };
      });
    },
    part(bytes) {
      waiting += bytes.length;
      if (waiting > MOST_WAITING) stream.pause();
      next(async () => {
        try {
          if (coming === undefined) return;
          coming.bytes += bytes.length;
          total += bytes.length;
          if (coming.bytes > BOUNDS.artifactBytes) await giveUp(tooLarge(coming.name, coming.bytes));
          else if (total > BOUNDS.runBytes) await giveUp(tooMuch(coming.name, BOUNDS.runBytes));
          else await coming.file.write(bytes);
        } finally {
          waiting -= bytes.length;
          if (waiting <= MOST_WAITING) stream.resume();
        }
      });
    },
    end(isWhole) {
      next(async () => {
        if (!isWhole || coming === undefined) return giveUp();
        const { file, kind, name, contentType } = coming;
        const { path, bytes } = await file.end();
        coming = undefined;
        artifacts.push({ kind, name, contentType, path, bytes });
      });
    },
    async settled() {
      for (let before: Promise<void> | undefined; before !== chain; ) {
        before = chain;
        await before;
      }
      await giveUp();
      return { artifacts, lost };
    },
  };
}
