/** Reads what a program in a cell says: lines of JSON, and between them parts of files, which are never gathered. */
import type { Readable } from 'node:stream';
import { parseMessage } from './parse-message.ts';
import { LIMITS, MAX_LINE_BYTES, MAX_PART_BYTES, type ProgramMessage } from './protocol.ts';

export interface ChannelListener {
  readonly onMessage: (message: Exclude<ProgramMessage, { type: 'part' }>) => void;
  readonly onPart: (bytes: Buffer) => void;
  /** It says more than anything that is worth keeping. */
  readonly onOverflow: () => void;
}

/** All that a program may say in one run, but for files. */
const MAX_TEXT_BYTES = MAX_LINE_BYTES * 4;
const MAX_LINES = 10_000;
/** Lists and objects take many times the memory of the text that they are read from; those of a report are not so many. */
const MAX_VALUES = 200_000;
/** All that files may have, those that are not kept included. */
const MAX_FILE_BYTES = LIMITS.runBytes * 2;

export function readChannel(stream: Readable, { onMessage, onPart, onOverflow }: ChannelListener): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let textBytes = 0;
  let lines = 0;
  let fileBytes = 0;
  /** What is still to come of a part. */
  let partBytesLeft = 0;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      const next = partBytesLeft > 0 ? readPart(chunk, from) : readText(chunk, from);
      if (next === undefined) {
        stream.destroy();
        return onOverflow();
      }
      from = next;
    }
  });

  function readPart(chunk: Buffer, from: number): number | undefined {
    const to = Math.min(chunk.length, from + partBytesLeft);
    partBytesLeft -= to - from;
    fileBytes += to - from;
    if (fileBytes > MAX_FILE_BYTES) return undefined;
    onPart(chunk.subarray(from, to));
    return to;
  }

  /** Where the next begins; undefined where it is too much. */
  function readText(chunk: Buffer, from: number): number | undefined {
    const at = chunk.indexOf(10, from);
    const to = at < 0 ? chunk.length : at;
    pieces.push(chunk.subarray(from, to));
    length += to - from;
    textBytes += to - from + 1;
    if (length > MAX_LINE_BYTES || textBytes > MAX_TEXT_BYTES) return undefined;
    if (at < 0) return to;
    const line = Buffer.concat(pieces);
    pieces = [];
    length = 0;
    lines += 1;
    if (lines > MAX_LINES || countValues(line) > MAX_VALUES) return undefined;
    const message = parseMessage(line.toString('utf8'));
    if (message?.type === 'part') {
      partBytesLeft = message.bytes;
      // A packed trace is many small parts: what they hold is counted in bytes.
      lines -= 1;
    } else if (message) onMessage(message);
    return partBytesLeft > MAX_PART_BYTES ? undefined : at + 1;
  }
}

/** How many lists, objects and their members a line may hold at most. */
function countValues(line: Buffer): number {
  let count = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1;
  }
  return count;
}
