/** How questions look: as the rest of sonde, in the terminal's own colours or none. */
import type { Styles } from '../color.ts';

/** The theme that the prompts library takes. */
export function themeOf({ bold, cyan, dim, red }: Styles) {
  const mark = cyan('?');
  return {
    prefix: { idle: mark, done: mark },
    style: {
      answer: cyan,
      message: bold,
      error: (text: string) => red(text),
      defaultAnswer: (text: string) => dim(`(${text})`),
      help: dim,
      highlight: cyan,
      key: bold,
      maskedText: '',
    },
  };
}

/** What keys do, on one line: `↑↓ move · Enter choose`. */
export const keysLine = (keys: readonly (readonly [key: string, does: string])[], styles: Styles): string =>
  keys.map(([key, does]) => `${key} ${styles.dim(does)}`).join(styles.dim(' · '));
