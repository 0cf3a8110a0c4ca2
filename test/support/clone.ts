/** A temporary clone of this repository as its last commit has it, on the branch main. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Clone {
  readonly folder: string;
  /** Runs git in the clone and returns its output. */
  git(...args: readonly string[]): Promise<string>;
}

/** Clones the repository into a new folder in `parent`. */
export async function cloneRepository(parent = tmpdir()): Promise<Clone> {
  const folder = mkdtempSync(join(parent, 'sonde-clone-'));
  const git = async (...args: readonly string[]) => (await run('git', args, { cwd: folder })).stdout;
  await run('git', ['clone', '--quiet', '--no-tags', '--depth', '1', `file://${process.cwd()}`, folder]);
  await git('switch', '--quiet', '--force-create', 'main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.com');
  return { folder, git };
}
