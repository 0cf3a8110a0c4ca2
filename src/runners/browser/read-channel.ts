/** Reads what a program in a cell says: lines of JSON, and between them parts of files, which are never gathered. */
import type { Readable } from 'node:stream';
import { readTold } from './parse-message.ts';
import { BOUNDS, LONGEST_LINE, LONGEST_PART, type Told } from './protocol.ts';

export interface Listener {
  readonly onTold: (told: Exclude<Told, { type: 'part' }>) => void;
  readonly onPart: (bytes: Buffer) => void;
  /** It says more than anything that is worth keeping. */
  readonly onFlood: () => void;
}

/** All that a program may say in one run, but for files. */
const MOST_BYTES = LONGEST_LINE * 4;
const MOST_LINES = 10_000;
/** Lists and objects take many times the memory of the text that they are read from; those of a report are not so many. */
const MOST_PARTS = 200_000;
/** All that files may have, those that are not kept included. */
const MOST_FILE_BYTES = BOUNDS.runBytes * 2;

export function readTelling(stream: Readable, { onTold, onPart, onFlood }: Listener): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let said = 0;
  let lines = 0;
  let fileBytes = 0;
  /** What is still to come of a part. */
  let left = 0;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      const taken = left > 0 ? part(chunk, from) : text(chunk, from);
      if (taken === undefined) {
        stream.destroy();
        return onFlood();
      }
      from = taken;
    }
  });

  function part(chunk: Buffer, from: number): number | undefined {
    const to = Math.min(chunk.length, from + left);
    left -= to - from;
    fileBytes += to - from;
    if (fileBytes > MOST_FILE_BYTES) return undefined;
    onPart(chunk.subarray(from, to));
    return to;
  }

  /** Where the next begins; undefined where it is too much. */
  function text(chunk: Buffer, from: number): number | undefined {
    const at = chunk.indexOf(10, from);
    const to = at < 0 ? chunk.length : at;
    pieces.push(chunk.subarray(from, to));
    length += to - from;
    said += to - from + 1;
    if (length > LONGEST_LINE || said > MOST_BYTES) return undefined;
    if (at < 0) return to;
    const line = Buffer.concat(pieces);
    pieces = [];
    length = 0;
    lines += 1;
    if (lines > MOST_LINES || partsOf(line) > MOST_PARTS) return undefined;
    const told = readTold(line.toString('utf8'));
    if (told?.type === 'part') {
      left = told.bytes;
      // A packed trace is many small parts: what they hold is counted in bytes.
      lines -= 1;
    } else if (told) onTold(told);
    return left > LONGEST_PART ? undefined : at + 1;
  }
}

/** How many lists, objects and their members a line may hold at most. */
function partsOf(line: Buffer): number {
  let count = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1;
  }
  return count;
}
