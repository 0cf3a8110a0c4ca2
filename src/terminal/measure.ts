/** Measures the width of text in terminal columns. The exact measure is lazy-loaded for texts that need it. */
import type { Measure } from './lazy/width.ts';

export type { Measure };

/** ASCII and the symbols that sonde itself writes, each one column wide. */
const NARROW = /^[ -~—…✓✗●│├└─█]*$/;

/** Returns whether the text has the same width in every terminal. */
export const isNarrow = (text: string): boolean => NARROW.test(text);

const narrow: Measure = {
  width: (text) => text.length,
  letters: (text) => text,
  cut: (text, columns) => (text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`),
};

/** Returns the cheapest measure that is exact for all texts. */
export async function measureFor(texts: readonly string[]): Promise<Measure> {
  if (texts.every(isNarrow)) return narrow;
  return (await import('./lazy/width.ts')).wide;
}
