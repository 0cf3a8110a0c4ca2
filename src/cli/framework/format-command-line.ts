/** Formats command lines for users to copy. */
import type { Invocation } from './index.ts';

/** Quotes a word for a shell; a leading `=` has a meaning in zsh. */
export const quoteShellWord = (word: string): string =>
  /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Formats a command line for the same service: it repeats the flags that selected the service. */
export function formatCommandLine(
  { globals }: Pick<Invocation, 'globals'>,
  ...words: readonly string[]
): string {
  const { profile, baseUrl, account, accountHeader } = globals;
  const chosen = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(account === undefined ? [] : ['--account', account]),
    ...(accountHeader === undefined ? [] : ['--account-header', accountHeader]),
  ];
  return ['sonde', ...words, ...chosen].map(quoteShellWord).join(' ');
}
