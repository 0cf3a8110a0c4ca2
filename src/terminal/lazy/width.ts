/** string-width, loaded only where a text has more than ASCII: emoji, CJK, combining marks. */
import stringWidth from 'string-width';

export interface Measure {
  readonly width: (text: string) => number;
  /** What may not be torn apart, in order. */
  readonly letters: (text: string) => Iterable<string>;
  /** The text cut to at most so many columns, with an ellipsis where something is gone. */
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
    let kept = '';
    let used = 0;
    for (const letter of letters(text)) {
      const more = width(letter);
      if (used + more > columns - 1) break;
      kept += letter;
      used += more;
    }
    return `${kept}…`;
  },
};
