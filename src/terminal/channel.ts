/** Writes to one stream in order and completely, and reports every failure. */

import { writeSync } from 'node:fs';
import { OutputError } from '../base/errors.ts';
import { errorCode, formatWriteError } from '../base/file-fault.ts';

/** A stream that may be a terminal. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

export interface Channel {
  /** Resolves when the text left this process; a no-op after the reader closed. Rejects with OutputError. */
  write(text: string | Uint8Array): Promise<void>;
  readonly readerGone: boolean;
  readonly whenReaderGone: Promise<void>;
  /** Stops listening for the stream's errors. */
  close(): void;
}

const READER_GONE = new Set(['EPIPE', 'ECONNRESET', 'EOF']);

/**
 * Opens a channel on a stream. Messages call it `name` (`stdout`). A closed reader (EPIPE) is silent; any other error
 * is an OutputError.
 */
export function openChannel(stream: OutputStream, name: string): Channel {
  let isReaderGone = false;
  let failure: OutputError | undefined;
  let announce: () => void = () => {};
  const whenReaderGone = new Promise<void>((resolve) => {
    announce = resolve;
  });

  const handleError = (error: unknown): void => {
    if (READER_GONE.has(errorCode(error))) {
      isReaderGone = true;
      announce();
    } else if (!isReaderGone) {
      failure ??= toOutputError(name, error);
    }
  };
  stream.on('error', handleError);

  return {
    get readerGone() {
      return isReaderGone;
    },
    whenReaderGone,
    async write(text) {
      if (isReaderGone || text.length === 0) return;
      if (failure) throw failure;
      try {
        await writeWhole(stream, text);
      } catch (error) {
        handleError(error);
        if (failure) throw failure;
      }
    },
    close() {
      stream.off('error', handleError);
    },
  };
}

/**
 * Writes the whole text. Node 20 writes a redirected stdout with one write(2) and drops the bytes that did not fit (on
 * a full disk: half a file and exit 0), so files are written in a loop until the end or an error.
 */
async function writeWhole(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  if (stream.constructor.name === 'SyncWriteStream' && stream.fd !== undefined) {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
    for (let done = 0; done < bytes.length; ) done += writeSync(stream.fd, bytes, done);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function toOutputError(name: string, cause: unknown): OutputError {
  return new OutputError(`could not write to ${name}: ${formatWriteError(cause)}`, {
    cause,
    hint: 'the output may be incomplete; free some space or use another destination, then run the command again',
  });
}
