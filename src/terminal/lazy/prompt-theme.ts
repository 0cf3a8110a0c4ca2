/** Styles prompts like the rest of sonde, in the colours of the terminal or none. */
import type { Styles } from '../color.ts';

/** Returns the theme for the prompts library. */
export function createTheme({ bold, cyan, dim, red }: Styles) {
  const mark = cyan('?');
  return {
    prefix: { idle: mark, done: mark },
    style: {
      answer: (text: string) => cyan(text),
      // Chalk would join the further arguments of the library.
      message: (text: string) => bold(text),
      error: (text: string) => red(text),
      defaultAnswer: (text: string) => dim(`(${text})`),
      help: (text: string) => dim(text),
      highlight: (text: string) => cyan(text),
      key: (text: string) => bold(text),
      maskedText: '',
    },
  };
}

type Key = readonly [key: string, does: string];
const SEPARATOR = ' · ';

/** Formats the keys on one line: `Space choose · Enter done`. The last ones are omitted if there is no room. */
export function formatKeys(keys: readonly Key[], columns: number, styles: Styles): string {
  const fits = (some: readonly Key[]) => some.map((key) => key.join(' ')).join(SEPARATOR).length <= columns;
  const shown = keys.filter((_, index) => fits(keys.slice(0, index + 1)));
  return shown.map(([key, does]) => `${key} ${styles.dim(does)}`).join(styles.dim(SEPARATOR));
}
