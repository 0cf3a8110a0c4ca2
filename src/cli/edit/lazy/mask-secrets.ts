/** Two states of one thing side by side, without what must not be seen of either: a secret that differs is said to differ. */
import { isObject } from '../../../base/object.ts';
import { HIDDEN, SECRET_HEADER } from '../../../client/redact.ts';
import type { JsonSchema } from '../../../contract/index.ts';

/** Two states as a person may see them. */
export interface Concealed {
  readonly before: unknown;
  readonly after: unknown;
  /** True where a secret goes or is replaced that the service did not show: what was kept cannot bring it back. */
  readonly losesSecret: boolean;
}

const ANOTHER = `${HIDDEN} (another value)`;
const PASSWORD_IN_URL = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;

/** A list's entries that have a key or an id are known by it, wherever they stand. */
const nameOf = (entry: unknown): unknown => (isObject(entry) ? (entry.key ?? entry.id) : undefined);

/** Hides in both states what the schema calls write-only, headers that carry keys, and passwords inside addresses. */
export function conceal(schema: JsonSchema, before: unknown, after: unknown): Concealed {
  let losesSecret = false;

  const secret = (value: unknown, other: unknown, isLater: boolean): string => {
    if (!isLater && value === '' && other !== value) losesSecret = true;
    return isLater && other !== undefined && other !== value ? ANOTHER : HIDDEN;
  };
  /** What is shown of a value, given its counterpart in the other state. */
  const shown = (here: JsonSchema | undefined, value: unknown, other: unknown, isLater: boolean): unknown => {
    if (value === undefined || value === null) return value;
    if (here?.writeOnly) return secret(value, other, isLater);
    if (Array.isArray(value)) {
      const others: readonly unknown[] = Array.isArray(other) ? other : [];
      return value.map((entry, index) => {
        const name = nameOf(entry);
        const match = name === undefined ? others[index] : others.find((one) => nameOf(one) === name);
        return shown(here?.items, entry, match, isLater);
      });
    }
    if (isObject(value)) {
      const pair: Readonly<Record<string, unknown>> = isObject(other) ? other : {};
      const isSecretHeader = typeof value.key === 'string' && SECRET_HEADER.test(value.key);
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => {
          const field = here?.properties?.[name];
          // What is hidden by leaving it out, such as a password beside its user name.
          if (isLater && field?.writeOnly && isObject(other) && pair[name] === undefined) losesSecret = true;
          const isSecret = isSecretHeader && name === 'value';
          return [
            name,
            isSecret ? secret(each, pair[name], isLater) : shown(field, each, pair[name], isLater),
          ];
        }),
      );
    }
    if (typeof value !== 'string') return value;
    const hide = (text: string) => text.replace(PASSWORD_IN_URL, `$1${HIDDEN}@`);
    const hidden = hide(value);
    const looksTheSame = typeof other === 'string' && other !== value && hide(other) === hidden;
    return isLater && looksTheSame ? `${hidden} (another value)` : hidden;
  };

  const [old, fresh] = [shown(schema, before, after, false), shown(schema, after, before, true)];
  return { before: old, after: fresh, losesSecret };
}
