/** string-width, loaded only where a text has more than ASCII: emoji, CJK, combining marks. */
import stringWidth from 'string-width';
import type { Measure } from '../measure.ts';

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
