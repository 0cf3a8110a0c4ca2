/** Splits received bytes into lines, which may arrive in any number of pieces. */
import { invalidResponse } from './unusable-response.ts';

/** Maximum length of a line and of a header section, in bytes. */
export const MAX_LINES_SIZE = 64 * 1024;

const LF = 10;
const CR = 13;

export interface Line {
  /** The line without its end. */
  readonly text: Buffer;
  /** CRLF is the standard. */
  readonly end: 'CRLF' | 'LF' | 'CRCRLF';
  /** The position after the line in the bytes that ended it. */
  readonly next: number;
}

export class LineReader {
  #pieces: Buffer[] = [];
  #size = 0;

  /** Returns the line that ends in `bytes` from `at` on; otherwise takes all of them, and returns undefined. */
  read(bytes: Buffer, at: number): Line | undefined {
    const feed = bytes.indexOf(LF, at);
    const piece = bytes.subarray(at, feed < 0 ? bytes.length : feed);
    this.#size += piece.length;
    if (this.#size > MAX_LINES_SIZE)
      throw invalidResponse(`a line is longer than ${MAX_LINES_SIZE / 1024} KB`);
    if (feed < 0) {
      this.#pieces.push(piece);
      return undefined;
    }
    const whole = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece]);
    this.#pieces = [];
    this.#size = 0;
    let length = whole.length;
    while (whole[length - 1] === CR) length--;
    const returns = whole.length - length;
    const end = returns === 1 ? 'CRLF' : returns === 0 ? 'LF' : 'CRCRLF';
    return { text: whole.subarray(0, length), end, next: feed + 1 };
  }

  /** Returns the first bytes of the line that has not ended yet: at least `count` of them, or fewer if fewer arrived. */
  start(count: number): Buffer {
    return Buffer.concat(this.#pieces.slice(0, count));
  }
}
