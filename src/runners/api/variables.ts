/** Replaces variables in a request: `{{NAME}}`. */
import { randomInt, randomUUID } from 'node:crypto';

/** A request uses an unknown variable. */
export class UnknownVariable extends Error {}

/** Matches `{{ NAME }}` and `{{{ NAME }}}`, with an optional backslash before it. */
const PLACEHOLDER = /(\\?)\{\{(\{?)\s*(\$?[A-Za-z_][\w.-]*)\s*\}?\}\}/g;

const GENERATED: Readonly<Record<string, () => string>> = {
  $UUID: () => randomUUID(),
  $RANDOM_NUMBER: () => String(randomInt(1_000_000_000)),
};

/**
 * Creates a function that replaces variables in a text. Braces without a name stay; a backslash before braces escapes
 * them and is removed. The function throws UnknownVariable, because an empty replacement could let a check pass by
 * mistake.
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
