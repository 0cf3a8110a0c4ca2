/** Stores screenshots, traces and transcripts of runs in a folder of the user. */
import { rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OutputError } from '../../../../src/base/errors.ts';
import { toFileName } from '../../../../src/base/file-name.ts';
import { makeFolder } from '../../../../src/base/files.ts';
import { moveFile } from '../../../../src/base/move-file.ts';
import { createRunFileStore } from '../../../../src/runners/files/run-file-store.ts';
import type { RunChecksOptions } from '../../../../src/service/engine/local-sessions/run-checks.ts';

export interface Artifacts extends Pick<RunChecksOptions, 'places' | 'storeFiles'> {
  close(): Promise<void>;
}

/** Opens the folder. Throws OutputError if it cannot be created. */
export function openArtifacts(cwd: string, named: string): Artifacts {
  const folder = resolve(cwd, named);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new OutputError(`cannot create the folder ${named}: ${(error as Error).message}`);
  }
  const unfinished = join(folder, '.unfinished');
  return {
    places: createRunFileStore({ folder: unfinished, onError: () => {} }),
    async storeFiles({ artifacts = [], ...report }, { name, results }) {
      const stored = await Promise.all(
        artifacts.map(async ({ kind, name: file, path }) => {
          const target = join(folder, nameFile(name ?? kind, results.length + 1, file));
          await moveFile(path, target);
          return { kind, name: file, path: target };
        }),
      );
      return { ...report, details: { ...report.details, artifacts: stored } };
    },
    // The folder is not empty if another command uses it.
    close: () => rmdir(unfinished).catch(() => {}),
  };
}

/** Returns `Checkout-1-end.png`: the check, its attempt and the file. */
const nameFile = (...parts: readonly (string | number)[]): string =>
  toFileName(parts.map((part) => String(part).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')).join('-'));
