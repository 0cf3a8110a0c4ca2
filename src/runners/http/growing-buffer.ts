/** Collects chunks in one buffer: an object for each of many small chunks costs far more than its bytes. */
export interface GrowingBuffer {
  /** Ignores bytes beyond the limit. */
  add(chunk: Buffer): void;
  /** Returns a copy of exactly the added bytes. */
  bytes(): Buffer;
}

export function createGrowingBuffer(maxBytes: number): GrowingBuffer {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(chunk) {
      const needed = Math.min(maxBytes, length + chunk.length);
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, buffer.length * 2)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      length += chunk.copy(buffer, length, 0, needed - length);
    },
    // A view would transfer the whole buffer to another process or thread.
    bytes: () => Buffer.from(buffer.subarray(0, length)),
  };
}
