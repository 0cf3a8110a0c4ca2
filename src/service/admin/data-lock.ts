/** Locks a data folder against a second service. The system releases the lock of a killed process. */
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { codeOf } from '../store/errors.ts';
import { prepareFile, toUsageError } from '../store/sqlite.ts';
import { readRuntimeFile } from './runtime-file.ts';

/** Time for a stopping service to release the lock, in ms. */
const WAIT_MS = 1000;

/** Locks the folder and returns the function that unlocks it. @throws UsageError if another service has the lock. */
export async function acquireDataLock(folder: string): Promise<() => void> {
  const { default: Database } = await import('libsql');
  const file = join(folder, 'service.lock');
  try {
    prepareFile(file);
    // An empty SQLite database: its locks are the system's and work the same on every platform.
    const lock = new Database(file, { timeout: WAIT_MS });
    try {
      lock.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => {
      lock.exec('ROLLBACK');
      lock.close();
    };
  } catch (error) {
    if (codeOf(error)?.startsWith('SQLITE_BUSY') !== true) throw toUsageError(file, error);
    const { pid, startedAt } = (await readRuntimeFile(folder)) ?? {};
    const owner =
      pid === undefined ? 'another service' : `another service (pid ${pid}, started ${startedAt})`;
    throw new UsageError(`the data folder ${folder} is in use by ${owner}`, {
      hint: 'stop the other service, or use another folder with --data',
      cause: error,
    });
  }
}
