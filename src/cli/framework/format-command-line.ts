/** Command lines that are shown to be copied. */
import type { Invocation } from './index.ts';

/** A word as a shell reads it back; for zsh `=` at its beginning has a meaning. */
export const shellWord = (word: string): string =>
  /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A command line that talks to the same service as this one: the options that chose it are repeated. */
export function commandLine({ globals }: Pick<Invocation, 'globals'>, ...words: readonly string[]): string {
  const { profile, baseUrl, account } = globals;
  const chosen = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(account === undefined ? [] : ['--account', account]),
  ];
  return ['sonde', ...words, ...chosen].map(shellWord).join(' ');
}
