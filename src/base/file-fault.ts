/** Says why the system or SQLite refused a file, in words. */
import { UsageError } from './errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EAGAIN: 'the reader does not accept data',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'name too long',
  ENOENT: 'no such folder',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a parent of the path is not a folder',
  ENXIO: 'no reader',
  EPERM: 'permission denied',
  EPIPE: 'the reader closed it',
  EROFS: 'read-only file system',
};

/** The codes of SQLite that say the same; longer codes begin with them. */
const SQLITE_CODES: readonly (readonly [start: string, code: string])[] = [
  ['SQLITE_FULL', 'ENOSPC'],
  ['SQLITE_READONLY', 'EROFS'],
  ['SQLITE_IOERR', 'EIO'],
];

/** Returns the system code of an error, or an empty string. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Formats an error as in `no space is left on the device (ENOSPC)`. */
export function formatWriteError(error: unknown): string {
  const code = errorCode(error);
  const reason = REASONS[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system code of an error, also for one of SQLite; undefined if no file caused the error. */
export function fileFaultCode(error: unknown): string | undefined {
  const code = errorCode(error);
  const known = SQLITE_CODES.find(([start]) => code.startsWith(start))?.[1] ?? code;
  return Object.hasOwn(REASONS, known) ? known : undefined;
}

/**
 * Returns a UsageError for a fault of a file that the user named, such as `cannot write FILE: no space is left on the
 * device (ENOSPC)`; other errors unchanged.
 */
export function toFileError(action: string, error: unknown, hint: string): unknown {
  const code = fileFaultCode(error);
  if (code === undefined) return error;
  return new UsageError(`cannot ${action}: ${REASONS[code]} (${code})`, { hint, cause: error });
}
