/**
 * Reads the messages of a program in a cell: lines of JSON, with file parts between them that are passed on unbuffered.
 */
import type { Readable } from 'node:stream';
import { parseMessage } from './parse-message.ts';
import { LIMITS, MAX_LINE_BYTES, MAX_PART_BYTES, type ProgramMessage } from './protocol.ts';

export interface ChannelListener {
  readonly onMessage: (message: Exclude<ProgramMessage, { type: 'part' }>) => void;
  readonly onPart: (bytes: Buffer) => void;
  /** Called when the program exceeds a limit. */
  readonly onOverflow: () => void;
}

/** Maximum size of all lines of a run. */
const MAX_TEXT_BYTES = MAX_LINE_BYTES * 4;
const MAX_LINES = 10_000;
/** Limits the values of a line, because parsed lists and objects take much more memory than their text. */
const MAX_VALUES = 200_000;
/** Maximum size of all files, including discarded ones. */
const MAX_FILE_BYTES = LIMITS.runBytes * 2;

export function readChannel(stream: Readable, { onMessage, onPart, onOverflow }: ChannelListener): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let textBytes = 0;
  let lines = 0;
  let fileBytes = 0;
  /** Remaining bytes of the current part. */
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

  /** Returns the start of the next line or part; undefined if a limit is exceeded. */
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
      // A trace has many small parts, which are limited by bytes instead.
      lines -= 1;
    } else if (message) onMessage(message);
    return partBytesLeft > MAX_PART_BYTES ? undefined : at + 1;
  }
}

/** Returns an upper bound of the lists, objects and members in a line. */
function countValues(line: Buffer): number {
  let count = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1;
  }
  return count;
}
