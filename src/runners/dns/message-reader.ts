/** Reads the fields of a DNS message. Names and texts get the form that dig prints. */

/** The message does not have the form that the protocol requires. */
export class MalformedError extends Error {}

const MAX_NAME_BYTES = 255;
const POINTER = 0xc0;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const TO_LOWER_CASE = 0x20;

/** Reads from an offset to an end. Every method throws MalformedError instead of reading beyond it. */
export class MessageReader {
  readonly message: Buffer;
  at: number;
  readonly end: number;

  constructor(message: Buffer, at = 0, end = message.length) {
    if (end > message.length) throw new MalformedError('beyond the end');
    this.message = message;
    this.at = at;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at === this.end;
  }

  bytes(count: number): Buffer {
    const start = this.at;
    if (start + count > this.end) throw new MalformedError('beyond the end');
    this.at += count;
    return this.message.subarray(start, this.at);
  }

  /** Reads the bytes that are left. */
  rest(): Buffer {
    return this.bytes(this.end - this.at);
  }

  /** Reads an unsigned integer of 1 to 4 bytes. */
  uint(size: 1 | 2 | 4): number {
    return this.bytes(size).readUIntBE(0, size);
  }

  /** Reads bytes after the one byte with their count. */
  string(): Buffer {
    return this.bytes(this.uint(1));
  }

  /** Returns a reader of the next `size` bytes and skips them. Pointers may lead to the whole message. */
  slice(size: number): MessageReader {
    const start = this.at;
    this.bytes(size);
    return new MessageReader(this.message, start, this.at);
  }

  /** Reads a name: in lower case, with a final dot. */
  name(): string {
    let text = '';
    let bytes = 0;
    let labels: MessageReader = this;
    for (;;) {
      const start = labels.at;
      const length = labels.uint(1);
      if (length >= POINTER) {
        const target = ((length - POINTER) << 8) | labels.uint(1);
        // A pointer leads backwards, so that no name is endless.
        if (target >= start) throw new MalformedError('a pointer that does not lead backwards');
        labels = new MessageReader(this.message, target, start);
        continue;
      }
      if (length === 0) return text || '.';
      if (length >= POINTER / 3) throw new MalformedError('an unknown kind of label');
      bytes += length + 1;
      if (bytes >= MAX_NAME_BYTES) throw new MalformedError('a name that is too long');
      text += `${formatLabel(labels.bytes(length))}.`;
    }
  }
}

/** The characters that zone files escape in names. */
const SPECIAL_IN_NAMES = /["$().;@\\]/;

function formatLabel(label: Buffer): string {
  let text = '';
  for (const byte of label) {
    const isCapital = byte >= CAPITAL_A && byte <= CAPITAL_Z;
    text += formatByte(isCapital ? byte + TO_LOWER_CASE : byte, SPECIAL_IN_NAMES, '!');
  }
  return text;
}

/** Formats the bytes of a text as dig does, without the quotes around it. */
export function formatText(text: Buffer): string {
  return Array.from(text, (byte) => formatByte(byte, /["\\]/, ' ')).join('');
}

/** Formats a byte: `\DDD` unless it is between the first printable character and `~`. */
function formatByte(byte: number, special: RegExp, firstPrintable: string): string {
  const character = String.fromCharCode(byte);
  if (character < firstPrintable || character > '~') return `\\${String(byte).padStart(3, '0')}`;
  return special.test(character) ? `\\${character}` : character;
}
