/** Reads text files that the user or a project names. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';

/** Decodes text without its byte order mark. Throws UsageError unless it is UTF-8, because characters would be lost. */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = 'is not valid UTF-8';
    throw new UsageError(`${name} ${message}`, {
      cause,
      details: [{ place: name, message }],
      hint: 'save the file as UTF-8',
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead to each other',
};

/** Returns why the system did not read a file. */
export function reasonOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? code;
}

/** Returns the text of a file. `read` rejects with the system's error, which becomes a UsageError with the reason. */
export async function readText(name: string, read: () => Promise<Uint8Array>): Promise<string> {
  try {
    return decodeText(await read(), name);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`cannot read ${name}: ${reasonOf(cause)}`, {
      cause,
      details: [{ place: name, message: REASONS[code] ?? `cannot be read (${code})` }],
    });
  }
}

/** No file that a person writes is larger, in bytes. */
const MAX_BYTES = 100_000_000;

/** Reads a file by the name that the user gave, relative to the working folder. A pipe, such as `<(command)`, is a file. */
export const readInputFile = (cwd: string, name: string): Promise<string> =>
  readText(name, () => readLimited(resolve(cwd, name), name));

/** Throws UsageError for a file without an end, such as /dev/zero. */
async function readLimited(path: string, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      const message = `is larger than ${MAX_BYTES / 1_000_000} MB`;
      throw new UsageError(`cannot read ${name}: it ${message}`, { details: [{ place: name, message }] });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
