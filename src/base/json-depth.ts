/** Measures how deep a JSON text nests, without building its value. */
import { findStringEnd } from './exact-numbers.ts';

/** Returns whether a JSON text nests deeper than `levels`. Its time is linear in the text; it allocates no memory. */
export function isDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) at = findStringEnd(text, at);
    else if (character === 0x5b || character === 0x7b) {
      if (++depth > levels) return true;
    } else if (character === 0x5d || character === 0x7d) depth--;
  }
  return false;
}
