/** fast-wrap-ansi, loaded only where a text is longer than its line. */
import { wrapAnsi } from 'fast-wrap-ansi';

/** Breaks a text between words; a word longer than the line (a URL, an id) stays whole, so that it can be copied. */
export function wrapWords(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    const [first = '', ...rest] = wrapAnsi(line, columns, { trim: false }).split('\n');
    // The space that a line was broken at belongs to neither side of it.
    return [first.trimEnd(), ...rest.map((row) => row.trim()).filter((row) => row !== '')];
  });
}
