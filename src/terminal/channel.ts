/** One stream to write on: in order, whole, and with an honest answer to every failure. */
import { writeSync } from 'node:fs';
import { OutputError } from '../base/errors.ts';
import { codeOf, writeFault } from './write-faults.ts';

/** A stream that may be a terminal. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

export interface Channel {
  /** Resolves once it has left this process; a no-op after the reader went away. Rejects with OutputError. */
  write(text: string | Uint8Array): Promise<void>;
  readonly readerGone: boolean;
  readonly whenReaderGone: Promise<void>;
  /** Stops listening for the stream's errors. */
  close(): void;
}

const READER_GONE = new Set(['EPIPE', 'ECONNRESET', 'EOF']);

/**
 * Opens a channel on a stream. `name` is how messages call it (`stdout`). Errors of the reader's going away (EPIPE) end
 * quietly; any other is an OutputError.
 */
export function openChannel(stream: OutputStream, name: string): Channel {
  let gone = false;
  let failure: OutputError | undefined;
  let announce: () => void = () => {};
  const whenReaderGone = new Promise<void>((resolve) => {
    announce = resolve;
  });

  const take = (error: unknown): void => {
    if (READER_GONE.has(codeOf(error))) {
      gone = true;
      announce();
    } else if (!gone) {
      failure ??= toOutputError(name, error);
    }
  };
  stream.on('error', take);

  return {
    get readerGone() {
      return gone;
    },
    whenReaderGone,
    async write(text) {
      if (gone || text.length === 0) return;
      if (failure) throw failure;
      try {
        await writeWhole(stream, text);
      } catch (error) {
        take(error);
        if (failure) throw failure;
      }
    },
    close() {
      stream.off('error', take);
    },
  };
}

/**
 * Node 20 writes a redirected stdout with one write(2) and drops what did not fit (a disk almost full: half a file and
 * exit 0), so files are written here until everything is written or the system says why not.
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
  return new OutputError(`could not write to ${name}: ${writeFault(cause)}`, {
    cause,
    hint: 'the output may be incomplete; free some space or use another destination, then run the command again',
  });
}
