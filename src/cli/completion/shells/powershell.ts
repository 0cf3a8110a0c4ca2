/** What PowerShell hands over and takes: the line up to the cursor, and what is to stand in place of the word there. */
import type { Completion } from '../types.ts';
import { formatHead, joinLines, type ReadShellLine } from './shell-adapter.ts';
import { tokenizeLine } from './tokenize-line.ts';

const DIALECT = { escapes: '`', doubles: true } as const;

/** The line up to the cursor and the word that PowerShell takes for the current one, each in Base64: no quoting spoils that. */
export const readPowershell: ReadShellLine = (argv) => {
  const [line = '', word = ''] = argv.map((text) => Buffer.from(text, 'base64').toString('utf8'));
  const [, ...tokens] = tokenizeLine(line, DIALECT);
  const current = tokens.pop()?.value ?? '';
  // What stands before PowerShell's word stays: it may have taken a list or `--flag=` apart.
  const head = current.endsWith(word) ? current.slice(0, current.length - word.length) : '';
  const textOf = ({ prefix }: Completion, value: string): string =>
    quote(`${prefix}${value}`.slice(head.length));
  return {
    line: { before: tokens.map(({ value }) => value), current, after: [] },
    write: (found) =>
      joinLines([
        formatHead(found),
        ...found.words.map(({ value, description }) =>
          [textOf(found, value), value.trim(), description || value.trim()].join('\t'),
        ),
      ]),
  };
};

const quote = (value: string): string =>
  /^[\w@+=:./-]+$/.test(value) && !value.startsWith('@') ? value : `'${value.replaceAll("'", "''")}'`;
