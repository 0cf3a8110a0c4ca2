/** Decompresses the body of a request. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Problem } from '../api/problem.ts';

const gunzipBody = promisify(gunzip);

/**
 * Returns the decompressed body. Throws `Problem` 400 if it is damaged, 413 if it has more than `maxBytes` when decompressed,
 * 415 for another compression than gzip.
 */
export async function decompressBody(
  bytes: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return bytes;
  if (name !== 'gzip' && name !== 'x-gzip')
    throw new Problem(415, 'The body must be sent without compression or with gzip', {
      headers: { 'accept-encoding': 'gzip' },
    });
  try {
    return await gunzipBody(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isTooLarge = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? new Problem(413, `The body is too large: at most ${maxBytes} bytes without compression`, { cause })
      : new Problem(400, 'The body is not valid gzip', { cause });
  }
}
