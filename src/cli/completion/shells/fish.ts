/** What fish hands over and takes: the word at the cursor as it is typed; whole words back, each with its description. */
import { headOf, linesOf, questionOf, type ReadLine } from './shell-adapter.ts';
import { tokensOf } from './tokenize-line.ts';

const DIALECT = { escapes: '\\', escaped: '\\"$\n' };

/** Index and words, the last one with its quotation marks. */
export const readFish: ReadLine = (argv) => {
  const { current, ...rest } = questionOf(argv);
  const question = { ...rest, current: tokensOf(current, DIALECT).at(-1)?.value ?? '' };
  return {
    question,
    write: (found) =>
      linesOf([
        headOf(found),
        found.prefix,
        ...found.words.map(({ value, description }) =>
          [`${found.prefix}${value}`, ...(description ? [description] : [])].join('\t'),
        ),
      ]),
  };
};
