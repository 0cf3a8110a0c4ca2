/** Why something could not be written, in words. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'that is not allowed',
  EAGAIN: 'its reader takes nothing',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would become larger than allowed',
  EIO: 'the device reported an input/output error',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead nowhere',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'the folder does not exist',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'what should be its folder is a file',
  ENXIO: 'nobody reads from it',
  EPERM: 'that is not allowed',
  EPIPE: 'its reader went away',
  EROFS: 'the file system is read-only',
};

/** The system's code of an error; empty where it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** `no space left on the device (ENOSPC)`. */
export function writeFault(error: unknown): string {
  const code = codeOf(error);
  const reason = REASONS[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
