/** How questions look: as the rest of sonde, in the terminal's own colours or none. */
import type { Styles } from '../color.ts';

/** The theme that the prompts library takes. */
export function themeOf({ bold, cyan, dim, red }: Styles) {
  const mark = cyan('?');
  return {
    prefix: { idle: mark, done: mark },
    style: {
      answer: (text: string) => cyan(text),
      // Chalk would join what else it is given.
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
const BETWEEN = ' · ';

/** What keys do, on one line: `Space choose · Enter done`; the last ones only where there is room. */
export function keysLine(keys: readonly Key[], columns: number, styles: Styles): string {
  const fits = (some: readonly Key[]) => some.map((key) => key.join(' ')).join(BETWEEN).length <= columns;
  const shown = keys.filter((_, index) => fits(keys.slice(0, index + 1)));
  return shown.map(([key, does]) => `${key} ${styles.dim(does)}`).join(styles.dim(BETWEEN));
}
