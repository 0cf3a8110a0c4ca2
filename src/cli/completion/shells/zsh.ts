/** What zsh hands over and takes: words without their quotation marks, and whole words back. */
import { formatHead, joinLines, lineFromWords, type ReadShellLine } from './shell-adapter.ts';

const escaped = (text: string): string => text.replaceAll(/[\\:]/g, '\\$&');

/** Index and words. The prefix is taken off by the script, so that lists show what follows it alone. */
export const readZsh: ReadShellLine = (argv) => ({
  line: lineFromWords(argv),
  write: (found) =>
    joinLines([
      formatHead(found),
      found.title,
      found.prefix,
      ...found.words.map(({ value, description }) =>
        description ? `${escaped(value)}:${description.replaceAll('\\', '\\\\')}` : escaped(value),
      ),
    ]),
});
