/** Measures text with string-width. Lazy-loaded for text beyond ASCII: emoji, CJK, combining marks. */
import stringWidth from 'string-width';

export interface Measure {
  readonly width: (text: string) => number;
  /** Splits a text into graphemes, which are never broken. */
  readonly letters: (text: string) => Iterable<string>;
  /** Cuts a text to a number of columns, with an ellipsis if it was longer. */
  readonly cut: (text: string, columns: number) => string;
}

const graphemes = new Intl.Segmenter();
const width = (text: string): number => stringWidth(text);

function* letters(text: string): Generator<string> {
  for (const { segment } of graphemes.segment(text)) yield segment;
}

export const wide: Measure = {
  width,
  letters,
  cut(text, columns) {
    if (width(text) <= columns) return text;
    let result = '';
    let used = 0;
    for (const letter of letters(text)) {
      const more = width(letter);
      if (used + more > columns - 1) break;
      result += letter;
      used += more;
    }
    return `${result}…`;
  },
};
