/** Defines the random source that code receives as a value. */
import { randomUUID } from 'node:crypto';

export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns a new UUID (version 4). */
  uuid(): string;
}

/**
 * Returns a UUID of version 7 (RFC 9562), which starts with its time in ms since the epoch: a database writes few
 * pages for rows in key order.
 */
export function createUuidV7(random: Random, at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.uuid().slice(15)}`;
}

export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };
