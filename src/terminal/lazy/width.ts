/** string-width, loaded only where a text has more than ASCII: emoji, CJK, combining marks. */
import stringWidth from 'string-width';

export interface Measure {
  width(text: string): number;
  /** The text cut to at most so many columns, with an ellipsis where something is gone. */
  cut(text: string, columns: number): string;
}

const graphemes = new Intl.Segmenter();

export const wide: Measure = {
  width: (text) => stringWidth(text),
  cut(text, columns) {
    if (stringWidth(text) <= columns) return text;
    let kept = '';
    let used = 0;
    for (const { segment } of graphemes.segment(text)) {
      const width = stringWidth(segment);
      if (used + width > columns - 1) break;
      kept += segment;
      used += width;
    }
    return `${kept}…`;
  },
};
