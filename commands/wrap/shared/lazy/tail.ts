/** Collects the end of an output. */

/** The service stores this many bytes of a text. */
const MAX_BYTES = 10_240;
/** Space for the note of what is left out. */
const NOTE_BYTES = 60;

export function createTail() {
  const chunks: Buffer[] = [];
  let kept = 0;
  let total = 0;
  return {
    add(chunk: Buffer): void {
      chunks.push(chunk);
      kept += chunk.length;
      total += chunk.length;
      while (chunks[0] !== undefined && kept - chunks[0].length >= MAX_BYTES)
        kept -= chunks.shift()?.length ?? 0;
    },
    /** Returns the whole output, or its last lines with a note before them. */
    read(): string {
      const bytes = Buffer.concat(chunks);
      if (total <= MAX_BYTES) return bytes.toString();
      const end = bytes.subarray(bytes.length - MAX_BYTES + NOTE_BYTES);
      const line = end.indexOf('\n') + 1;
      // A line that is longer than the space is cut within.
      const lines = line > 0 && line < end.length ? end.subarray(line) : end.subarray(firstCharacter(end));
      return `[${total - lines.length} bytes before are left out]\n${lines.toString()}`;
    },
  };
}

/** Returns where the first whole UTF-8 character starts. */
function firstCharacter(bytes: Buffer): number {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}
