/** Keeps a text until it is whole: a little of it in memory, the rest in a file that nobody else can read. */
import { OutputError } from '../base/errors.ts';
import { writeFault } from './write-faults.ts';

/** A text that grows, and is then read once. */
export interface Spool {
  write(text: string): Promise<void>;
  /** All of it, in pieces. */
  read(): AsyncGenerator<string>;
  /** Drops it. */
  close(): Promise<void>;
}

/** What is kept in memory at most, in characters; a piece that is read has as many bytes. */
const MOST = 128 * 1024;

/**
 * Opens one. Its file lies in `folder` and has no name there from the first byte on (but on Windows), so that nothing is
 * left of it however the process ends. Writing and reading throw OutputError.
 */
export function openSpool(folder: string): Spool {
  let text = '';
  let file: Awaited<ReturnType<typeof openNameless>> | undefined;
  const failed = (cause: unknown): OutputError =>
    new OutputError(`could not buffer the list in ${folder}: ${writeFault(cause)}`, {
      cause,
      hint: 'free some space, set TMPDIR to another folder, or use -o jsonl, which needs no buffer',
    });
  const flush = async (): Promise<void> => {
    try {
      file ??= await openNameless(folder);
      await file.handle.appendFile(text, 'utf8');
      text = '';
    } catch (error) {
      throw failed(error);
    }
  };
  return {
    async write(more) {
      text += more;
      if (text.length >= MOST) await flush();
    },
    async *read() {
      if (file) {
        await flush();
        const decoder = new TextDecoder();
        const bytes = Buffer.alloc(MOST);
        for (let at = 0; ; ) {
          const { bytesRead } = await file.handle.read(bytes, 0, MOST, at).catch((error: unknown) => {
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

async function openNameless(folder: string) {
  const [{ mkdtemp, open, rm }, { join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ]);
  const own = await mkdtemp(join(folder, 'sonde-'));
  const remove = () => rm(own, { recursive: true, force: true });
  try {
    const handle = await open(join(own, 'list'), 'wx+', 0o600);
    // Windows removes no open file: there it goes when it is closed.
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
