/** Masks the secrets in two states of a resource, and bundles what renders their difference. */
import { isObject } from '../../../base/object.ts';
import { HIDDEN, SECRET_HEADER } from '../../../client/redact.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { isMask } from '../../../contract/mask-credential.ts';

export { toYaml } from '../../../terminal/lazy/yaml.ts';
export { diffYaml, renderDiff } from './diff.ts';

interface MaskedStates {
  readonly before: unknown;
  readonly after: unknown;
  /** Whether a secret that the service does not return is removed or replaced: the undo file cannot restore it. */
  readonly losesSecret: boolean;
}

const OTHER_VALUE = `${HIDDEN} (another value)`;
const PASSWORD_IN_URL = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;

/** Returns the key or ID that identifies an entry of a list, at any position. */
const keyOf = (entry: unknown): unknown => (isObject(entry) ? (entry.key ?? entry.id) : undefined);

/** Masks write-only fields, headers that contain keys, and passwords in URLs. */
export function maskSecrets(schema: JsonSchema, before: unknown, after: unknown): MaskedStates {
  let losesSecret = false;

  const maskSecret = (value: unknown, other: unknown, isLater: boolean): string => {
    if (!isLater && (value === '' || isMask(value)) && other !== value) losesSecret = true;
    return isLater && other !== undefined && other !== value ? OTHER_VALUE : HIDDEN;
  };
  /** Masks a value. `other`: its counterpart in the other state. */
  const mask = (here: JsonSchema | undefined, value: unknown, other: unknown, isLater: boolean): unknown => {
    if (value === undefined || value === null) return value;
    if (here?.writeOnly) return maskSecret(value, other, isLater);
    if (Array.isArray(value)) {
      const others: readonly unknown[] = Array.isArray(other) ? other : [];
      return value.map((entry, index) => {
        const name = keyOf(entry);
        const match = name === undefined ? others[index] : others.find((one) => keyOf(one) === name);
        return mask(here?.items, entry, match, isLater);
      });
    }
    if (isObject(value)) {
      const pair: Readonly<Record<string, unknown>> = isObject(other) ? other : {};
      const isSecretHeader = typeof value.key === 'string' && SECRET_HEADER.test(value.key);
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => {
          const field = here?.properties?.[name];
          // The service omits some secrets, such as a password beside its user name.
          if (isLater && field?.writeOnly && isObject(other) && pair[name] === undefined) losesSecret = true;
          const isSecret = isSecretHeader && name === 'value';
          return [
            name,
            isSecret ? maskSecret(each, pair[name], isLater) : mask(field, each, pair[name], isLater),
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

  const [old, fresh] = [mask(schema, before, after, false), mask(schema, after, before, true)];
  return { before: old, after: fresh, losesSecret };
}
