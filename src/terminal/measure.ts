/** How many columns of a terminal a text takes; the costly answer is loaded only for texts that need it. */
import type { Measure } from './lazy/width.ts';

export type { Measure };

/** Besides ASCII the marks sonde writes itself, each one column wide. */
const NARROW = /^[ -~—…✓✗●│├└─█]*$/;

/** Whether every terminal agrees on how wide the text is. */
export const isNarrow = (text: string): boolean => NARROW.test(text);

const narrow: Measure = {
  width: (text) => text.length,
  letters: (text) => text,
  cut: (text, columns) => (text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`),
};

/** The cheapest measure that is right for all of the texts. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every(isNarrow)) return narrow;
  return (await import('./lazy/width.ts')).wide;
}
