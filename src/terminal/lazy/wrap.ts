/** fast-wrap-ansi, loaded only where a text is longer than its line. */
import { wrapAnsi } from 'fast-wrap-ansi';

/** Breaks a text between words; a word longer than the line (a URL, an id) stays whole, so that it can be copied. */
export function wrapWords(text: string, columns: number): string[] {
  return wrapAnsi(text, columns, { trim: false }).split('\n');
}
