/** What fish hands over and takes: the word at the cursor as it is typed; whole words back, each with its description. */
import { formatHead, joinLines, lineFromWords, type ReadShellLine } from './shell-adapter.ts';
import { tokenizeLine } from './tokenize-line.ts';

const DIALECT = { escapes: '\\', escaped: '\\"$\n' };

/** Index and words, the last one with its quotation marks. */
export const readFish: ReadShellLine = (argv) => {
  const { current, ...rest } = lineFromWords(argv);
  const question = { ...rest, current: tokenizeLine(current, DIALECT).at(-1)?.value ?? '' };
  return {
    line: question,
    write: (found) =>
      joinLines([
        formatHead(found),
        found.prefix,
        ...found.words.map(({ value, description }) =>
          [`${found.prefix}${value}`, ...(description ? [description] : [])].join('\t'),
        ),
      ]),
  };
};
