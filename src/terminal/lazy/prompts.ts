/** Draws prompts with @inquirer/prompts and our own list. Lazy-loaded for the first question. */
import { confirm, input, password } from '@inquirer/prompts';
import type { PromptContext, Prompter } from '../prompts/types.ts';
import { createTheme, select } from './select.ts';

/** Creates a prompter for a terminal that can draw. */
export function createPrompter({
  input: keys,
  output,
  styles,
  rows,
  columns,
  signal,
}: PromptContext): Prompter {
  const context = {
    input: keys,
    output,
    signal,
    // A cancelled question leaves nothing on the screen.
    get clearPromptOnDone() {
      return signal.aborted;
    },
  };
  const theme = createTheme(styles);
  return {
    confirm: ({ message, defaultValue }) => confirm({ message, default: defaultValue, theme }, context),
    text: ({ message, defaultValue, validate }) =>
      input(
        {
          message,
          theme,
          validate: async (answer) => (await validate(answer)) ?? true,
          ...(defaultValue === undefined ? {} : { default: defaultValue }),
        },
        context,
      ),
    secret: ({ message, validate }) =>
      password(
        {
          message,
          mask: '*',
          toggleMask: false,
          // The answered prompt must not reveal the length of the secret.
          theme: { ...theme, style: { ...theme.style, answer: () => styles.dim('(hidden)') } },
          validate: async (answer) => (await validate(answer)) ?? true,
        },
        context,
      ),
    select: (question) => select({ ...question, styles, theme, rows, columns }, context),
  };
}
