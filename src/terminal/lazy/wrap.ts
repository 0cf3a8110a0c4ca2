/** Wraps text with fast-wrap-ansi. Lazy-loaded for text longer than its line. */
import { wrapAnsi } from 'fast-wrap-ansi';

/** Wraps a text between words. A word longer than the line (a URL, an ID) stays whole, so that it can be copied. */
export function wrapWords(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const [first = '', ...rest] = wrapAnsi(line, columns, { trim: false }).split('\n');
    // The space at a line break belongs to neither line.
    return [first.trimEnd(), ...rest.map((row) => row.trim()).filter((row) => row !== '')];
  });
}
