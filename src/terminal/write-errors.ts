/** Formats the reason of a failed write. */

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
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a parent of the path is not a folder',
  ENXIO: 'no reader',
  EPERM: 'permission denied',
  EPIPE: 'the reader closed it',
  EROFS: 'read-only file system',
};

/** Returns the system code of an error, or an empty string. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Formats an error as in `no space left on the device (ENOSPC)`. */
export function formatWriteError(error: unknown): string {
  const code = errorCode(error);
  const reason = REASONS[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
