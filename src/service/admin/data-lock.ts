/** Keeps a second service from a data folder, as long as the first one lives: the system releases the lock of a process that is killed. */
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/folder.ts';
import { codeOf } from '../store/errors.ts';
import { toUsageError } from '../store/sqlite.ts';
import { readRecord } from './runtime-file.ts';

/** A service that is just stopping lets go within this time, in ms. */
const WAIT_MS = 1000;

/** Locks the folder; answers what lets it go. @throws UsageError where another service has it. */
export async function lockData(folder: string): Promise<() => void> {
  const { default: Database } = await import('libsql');
  const file = join(folder, 'service.lock');
  try {
    makeFolder(folder);
    // A database without content: its locks are the system's, and work the same everywhere.
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
    const { pid, startedAt } = (await readRecord(folder)) ?? {};
    const who = pid === undefined ? 'another service' : `another service (pid ${pid}, started ${startedAt})`;
    throw new UsageError(`the data folder ${folder} is in use by ${who}`, {
      hint: 'stop the other service, or use another folder with --data',
      cause: error,
    });
  }
}
