/** Files that runs leave, for tests: put where a run puts its own, and read from where they lie. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Artifact, RunContext } from '../../src/runners/core/runner.ts';
import { getInstanceName } from '../../src/runners/files/instance-name.ts';
import { type ClosableRunFiles, createRunFileStore } from '../../src/runners/files/run-file-store.ts';

/** What a run is to leave. */
export interface Leaves {
  readonly kind: Artifact['kind'];
  readonly name: string;
  readonly contentType: string;
  readonly contents: Uint8Array;
}

/** Leaves them as a runner does. */
export async function leave(
  { files }: Pick<RunContext, 'files'>,
  leaves: readonly Leaves[],
): Promise<Artifact[]> {
  if (files === undefined) throw new Error('the run has no place for files');
  const left: Artifact[] = [];
  for (const { contents, ...about } of leaves) {
    const file = await files.create();
    await file.write(contents);
    left.push({ ...about, ...(await file.end()) });
  }
  return left;
}

/** The place of one run, in a folder. */
export const placeIn = (folder: string): ClosableRunFiles =>
  createRunFileStore({
    folder,
    onError(message, error) {
      throw new Error(message, { cause: error });
    },
  }).open();

/** What it holds; nothing where there is none. */
export const contentsOf = async (artifact: Artifact | undefined): Promise<Buffer> =>
  artifact === undefined ? Buffer.alloc(0) : readFile(artifact.path);

/** The name of a process of this machine that ran a moment ago. */
export async function goneInstance(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return getInstanceName().replace(/-\d+-\d+$/, `-${child.pid}-1`);
}
