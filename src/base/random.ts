/** Chance as a value that is handed in. */
import { randomUUID } from 'node:crypto';

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A fresh UUID (version 4). */
  uuid(): string;
}

export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };
