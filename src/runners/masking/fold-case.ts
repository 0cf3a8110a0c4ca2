/** Makes texts comparable that differ in upper and lower case only. */

const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Returns a text in lower case, of the same length: characters whose lower case is longer stay. */
export function foldCase(text: string): string {
  const folded = fold(text);
  return folded.length === text.length ? folded : Array.from(text, foldCharacter).join('');
}

function foldCharacter(character: string): string {
  const folded = fold(character);
  return folded.length === character.length ? folded : character;
}
