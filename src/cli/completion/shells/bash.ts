/** What bash hands over and takes. It splits words at `=` and `:`, and wants back only what stands behind the last of these. */
import type { Completion, Word } from '../types.ts';
import { formatHead, joinLines, type ReadShellLine } from './shell-adapter.ts';
import { type Token, tokenizeLine } from './tokenize-line.ts';

/** COMP_TYPE where a list is shown and nothing of it is put into the line but what all of it begins with. */
const LISTING = ['?', '!', '@'];

const dialect = (breaks: string) => ({ escapes: '\\', escaped: '\\"$`\n', breaks });
const REDIRECTION = /^(?:\d*|&)[<>]{1,3}[&|]?/;

/** `COMP_POINT COMP_TYPE COMP_WORDBREAKS COMP_LINE` */
export const readBash: ReadShellLine = ([point = '0', type = '9', breaks = '', line = '']) => {
  const letters = [...line];
  const at = Number(point);
  const [, ...tokens] = tokenizeLine(letters.slice(0, at).join(''), dialect(breaks));
  const [, ...after] = tokenizeLine(`_${letters.slice(at).join('')}`, dialect(breaks));
  const last = tokens.pop() ?? { value: '', raw: '', open: '', from: 0, head: '' };
  const { words, isFile } = withoutRedirections(tokens);
  const question = {
    before: words.map(({ value }) => value),
    current: last.value,
    after: after.map(({ value }) => value).filter((value) => value !== ''),
  };
  const isListing = LISTING.includes(String.fromCharCode(Number(type)));
  return {
    line: question,
    isFile: isFile || REDIRECTION.test(last.raw),
    write: (found) =>
      joinLines([formatHead(found), ...found.words.map((word) => formatReply(word, found, last, isListing))]),
  };
};

/** Drops `> file` and its kin; `isFile`: the last word is one, so that its file comes next. */
function withoutRedirections(tokens: readonly Token[]): { words: readonly Token[]; isFile: boolean } {
  const words: Token[] = [];
  let isFile = false;
  for (const token of tokens) {
    const [arrow] = token.raw.match(REDIRECTION) ?? [];
    if (arrow === undefined && !isFile) words.push(token);
    isFile = arrow !== undefined && arrow === token.raw;
  }
  return { words, isFile };
}

function formatReply(
  { value, description }: Word,
  { prefix, words }: Completion,
  last: Token,
  isListing: boolean,
): string {
  const text = quote(`${prefix}${value}`.slice(last.head.length), last.open);
  // One alone is put into the line, whatever the list is for.
  if (!isListing || words.length < 2 || !description) return text;
  return `${text}  (${description.replaceAll(/[`$\\;&|<>"'(){}!]/g, '')})`;
}

/** A value as bash reads it back, outside of quotation marks or within those that are open. */
function quote(value: string, open: string): string {
  if (open === "'") return value.replaceAll("'", "'\\''");
  if (open === '"') return value.replaceAll(/["$`\\]/g, '\\$&');
  return value.replaceAll(/[^\w@%+=:,./-]/g, '\\$&');
}
