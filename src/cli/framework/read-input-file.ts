/** Reads text files that the user or a project names. */
import { readFile as readBytes } from 'node:fs/promises';
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

/** Returns the text of a file. `read` rejects with the system's error, which becomes a UsageError with the reason. */
export async function readText(name: string, read: () => Promise<Uint8Array>): Promise<string> {
  try {
    return decodeText(await read(), name);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'no such file',
      EACCES: 'permission denied',
      EISDIR: 'it is a folder',
    };
    throw new UsageError(`cannot read ${name}: ${reasons[code] ?? code}`, {
      cause,
      details: [{ place: name, message: reasons[code] ?? `cannot be read (${code})` }],
    });
  }
}

/** Reads a file by the name that the user gave, relative to the working folder. */
export const readInputFile = (cwd: string, name: string): Promise<string> =>
  readText(name, () => readBytes(resolve(cwd, name)));
