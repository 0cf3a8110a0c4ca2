/** Puts variables where a request names them: `{{NAME}}`. */
import { randomInt, randomUUID } from 'node:crypto';

/** A request names a variable that there is not. */
export class UnknownVariable extends Error {}

/** `{{ NAME }}` and `{{{ NAME }}}`, unless a backslash stands before it. */
const PLACEHOLDER = /(\\?)\{\{(\{?)\s*(\$?[A-Za-z_][\w.-]*)\s*\}?\}\}/g;

const GENERATED: Readonly<Record<string, () => string>> = {
  $UUID: () => randomUUID(),
  $RANDOM_NUMBER: () => String(randomInt(1_000_000_000)),
};

/**
 * A function that fills a text in. What is between braces and is no name stays as it stands; so does what has a backslash before
 * it, without that. It throws UnknownVariable for a name that there is not: an empty text in its place could pass for an answer.
 */
export function createInterpolator(
  variables: ReadonlyMap<string, string>,
): (text: string, where: string) => string {
  return (text, where) =>
    text.replace(PLACEHOLDER, (whole, slash: string, _, name: string) => {
      if (slash !== '') return whole.slice(1);
      const value = variables.get(name) ?? GENERATED[name]?.();
      if (value !== undefined) return value;
      throw new UnknownVariable(
        `${where} uses the unknown variable {{${name}}}: set it for the check, its group or the account, or write \\{{${name}}} for the literal text`,
      );
    });
}
