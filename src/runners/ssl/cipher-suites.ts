/** Tells which cipher suites are weak, by their standard names. */

/** What is wrong with a suite, by a part of its name. The first match counts. */
const WEAKNESSES: readonly (readonly [part: RegExp, weakness: string])[] = [
  [/_NULL(?:_|$)|^TLS_SHA\d+_SHA\d+$/, 'does not encrypt'],
  [/_EXPORT_/, 'has export-grade keys'],
  [/_anon_/i, 'does not authenticate the server'],
  [/_RC4_/, 'encrypts with RC4'],
  [/_(?:3DES|DES|DES40|RC2|IDEA)_/, 'encrypts in blocks of 64 bits'],
  [/_MD5$/, 'authenticates with MD5'],
];

/** The key exchanges with forward secrecy; all of TLS 1.3, whose suites name none. */
const FORWARD_SECRECY = /^TLS_(?:(?:ECDHE|DHE)_\w+_WITH|AES|CHACHA20|ARIA|CAMELLIA|SM4|AEGIS)_/;

/** Returns what is wrong with a suite, as a predicate; undefined if nothing is. */
export function findCipherWeakness(suite: string): string | undefined {
  const [, weakness] = WEAKNESSES.find(([part]) => part.test(suite)) ?? [];
  return weakness ?? (FORWARD_SECRECY.test(suite) ? undefined : 'has no forward secrecy');
}
