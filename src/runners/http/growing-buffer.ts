/** Bytes that arrive in chunks, copied into one buffer: an object for each of many small chunks costs far more than its bytes. */

export interface GrowingBuffer {
  /** Bytes beyond the limit are ignored. */
  add(chunk: Buffer): void;
  /** A copy of exactly the bytes that were added. */
  bytes(): Buffer;
}

export function createGrowingBuffer(maxBytes: number): GrowingBuffer {
  let held = Buffer.alloc(0);
  let length = 0;
  return {
    add(chunk) {
      const needed = Math.min(maxBytes, length + chunk.length);
      if (needed > held.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, held.length * 2)));
        held.copy(larger, 0, 0, length);
        held = larger;
      }
      length += chunk.copy(held, length, 0, needed - length);
    },
    // Not a view: to send it to another process or thread would send all of the memory behind it.
    bytes: () => Buffer.from(held.subarray(0, length)),
  };
}
