/** Chance as a value that is handed in. */
import { randomUUID } from 'node:crypto';

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A fresh UUID (version 4). */
  uuid(): string;
}

/**
 * A UUID that begins with its time, in ms since the epoch (version 7, RFC 9562): where rows come in the order of their keys, a
 * database writes few of its pages for many of them.
 */
export function createUuidV7(random: Random, at: number): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.uuid().slice(15)}`;
}

export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };
