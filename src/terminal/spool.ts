/** Buffers a text until it is complete, first in memory, then in a private file. */
import { OutputError } from '../base/errors.ts';
import { formatWriteError } from '../base/file-fault.ts';

/** A text that is written in parts and then read once. */
export interface Spool {
  write(text: string): Promise<void>;
  /** Reads the whole text in chunks. */
  read(): AsyncGenerator<string>;
  /** Discards the text and its file. */
  close(): Promise<void>;
}

/** The most characters in memory, and the size of a chunk that is read, in bytes. */
const MAX_BUFFERED = 128 * 1024;

/**
 * Opens a spool. Its file in `folder` is unlinked before the first byte (except on Windows), so that nothing is left
 * however the process ends. Writing and reading throw OutputError.
 */
export function openSpool(folder: string): Spool {
  let text = '';
  let file: Awaited<ReturnType<typeof openUnlinkedFile>> | undefined;
  const failed = (cause: unknown): OutputError =>
    new OutputError(`could not buffer the list in ${folder}: ${formatWriteError(cause)}`, {
      cause,
      hint: 'free some space, set TMPDIR to another folder, or use -o jsonl, which needs no buffer',
    });
  const flush = async (): Promise<void> => {
    try {
      file ??= await openUnlinkedFile(folder);
      await file.handle.appendFile(text, 'utf8');
      text = '';
    } catch (error) {
      throw failed(error);
    }
  };
  return {
    async write(more) {
      text += more;
      if (text.length >= MAX_BUFFERED) await flush();
    },
    async *read() {
      if (file) {
        await flush();
        const decoder = new TextDecoder();
        const bytes = Buffer.alloc(MAX_BUFFERED);
        for (let at = 0; ; ) {
          const { bytesRead } = await file.handle.read(bytes, 0, MAX_BUFFERED, at).catch((error: unknown) => {
            throw failed(error);
          });
          if (bytesRead === 0) break;
          at += bytesRead;
          yield decoder.decode(bytes.subarray(0, bytesRead), { stream: true });
        }
      }
      yield text;
    },
    async close() {
      text = '';
      await file?.close();
      file = undefined;
    },
  };
}

async function openUnlinkedFile(folder: string) {
  const [{ mkdtemp, open, rm }, { join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ]);
  const own = await mkdtemp(join(folder, 'sonde-'));
  const remove = () => rm(own, { recursive: true, force: true });
  try {
    const handle = await open(join(own, 'list'), 'wx+', 0o600);
    // Windows cannot remove an open file: it is removed after it is closed.
    const isGone = await remove().then(
      () => true,
      () => false,
    );
    return {
      handle,
      async close() {
        await handle.close();
        if (!isGone) await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
