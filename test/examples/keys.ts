/** What keeps a runner of these tests from passing over what it does not do. */

/** Throws where a part of a file has a key that is not among those that are obeyed. */
export function checkKeys(value: object, known: readonly string[], place: string): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) throw new Error(`${place}: this runner does not know ${other}`);
}
