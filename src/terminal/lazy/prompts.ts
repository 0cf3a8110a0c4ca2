/** Draws prompts with @inquirer/prompts and our own list. Lazy-loaded for the first question. */
import { confirm, input, password } from '@inquirer/prompts';
import type { Prompter, PromptContext } from '../prompts/types.ts';
import { select } from './pick.ts';
import { createTheme } from './prompt-theme.ts';

/** Creates a prompter for a terminal that can draw. */
export function createPrompter({ input: keys, output, styles, rows, columns, signal }: PromptContext): Prompter {
  const context = {
    ...{ input: keys, output, signal },
    // A cancelled question leaves nothing on the screen.
    get clearPromptOnDone() {
      return signal.aborted;
    },
  };
  const theme = createTheme(styles);
  return {
    confirm: ({ message, standard }) => confirm({ message, default: standard, theme }, context),
    text: ({ message, standard, check }) =>
      input(
        {
          message,
          theme,
          validate: async (answer) => (await check(answer)) ?? true,
          ...(standard === undefined ? {} : { default: standard }),
        },
        context,
      ),
    secret: ({ message, check }) =>
      password(
        {
          message,
          mask: '*',
          toggleMask: false,
          // The answered prompt must not reveal the length of the secret.
          theme: { ...theme, style: { ...theme.style, answer: () => styles.dim('(hidden)') } },
          validate: async (answer) => (await check(answer)) ?? true,
        },
        context,
      ),
    select: (picking) => select({ ...picking, styles, theme, rows, columns }, context),
  };
}
