/** Questions that are drawn: @inquirer/prompts and our picker, loaded only when a person is really asked. */
import { confirm, input, password } from '@inquirer/prompts';
import type { Asker, Scene } from '../prompts/types.ts';
import { pick } from './pick.ts';
import { themeOf } from './prompt-theme.ts';

/** Asks in a terminal that can draw. */
export function openAsker({ input: keys, output, styles, rows, columns, signal }: Scene): Asker {
  const context = {
    ...{ input: keys, output, signal },
    // Of a question that was left nothing stays on the screen.
    get clearPromptOnDone() {
      return signal.aborted;
    },
  };
  const theme = themeOf(styles);
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
          // In the end not even its length is there to be read.
          theme: { ...theme, style: { ...theme.style, answer: () => styles.dim('(hidden)') } },
          validate: async (answer) => (await check(answer)) ?? true,
        },
        context,
      ),
    pick: (picking) => pick({ ...picking, styles, theme, rows, columns }, context),
  };
}
