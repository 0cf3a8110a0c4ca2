/** Recognizes secrets by their names and by their form. Imports and exports share these rules. */

const SECRET_NAME =
  /token|secret|passw(?:or)?d|pwd|credential|cookie|signature|auth(?!or(?!i))|(?:api|app|access|private)[-_]?key|^key$/i;

/** Returns whether a header, parameter or field probably contains a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Values that switches, counts and missing values have. */
const TRIVIAL = /^(?:true|false|null|undefined|none|yes|no|on|off|\d{1,3})$/i;

/** Returns whether a value with the name of a secret can be one: it has text, and takes nothing from a variable. */
export const canBeSecret = (value: string): boolean =>
  value.trim() !== '' && !TRIVIAL.test(value) && !/\{\{|^\*+$/.test(value);

/** Keys with the prefix of a provider. */
const PREFIXED = [
  String.raw`(?:[sprw]k|rk|pk)_(?:live|test)_\w{8,}`,
  '(?:sk|pl|dk|cu|whsec|npm|dop_v1|shpat|lin_api)_[A-Za-z0-9]{16,}',
  String.raw`gh[oprsu]_\w{20,}`,
  String.raw`github_pat_\w{20,}`,
  String.raw`gl(?:pat|ptt|dt|rt)-[\w-]{16,}`,
  String.raw`xox[abeoprs]-[\w-]{10,}`,
  String.raw`xapp-[\w-]{10,}`,
  '(?:AKIA|ASIA)[0-9A-Z]{16}',
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`sk-[\w-]{20,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  String.raw`hv[bs]\.[\w-]{20,}`,
  'key-[0-9a-f]{32}',
  String.raw`dckr_pat_[\w-]{20,}`,
  'NRAK-[A-Z0-9]{20,}',
  String.raw`PMAK-[\w-]{20,}`,
  'AGE-SECRET-KEY-[A-Z0-9]{20,}',
  // JSON Web Tokens.
  String.raw`eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
].join('|');

/** Returns a pattern of keys with known prefixes, wherever they are in a text. */
export const prefixedKeys = (): RegExp => new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXED})`, 'g');
const WHOLE_KEY = new RegExp(`^(?:${PREFIXED})$`);

const MIN_RANDOM = 20;

/** Returns whether a whole text looks like a generated key, whatever its name. UUIDs and words do not. */
export function isKeyLike(text: string): boolean {
  if (WHOLE_KEY.test(text)) return true;
  if (text.length < MIN_RANDOM || !/^[\w+/=~-]+$/.test(text) || UUID.test(text)) return false;
  if (/^[\da-f]{32,}$/i.test(text)) return true;
  const digits = text.replace(/\D/g, '').length;
  // Paths and names in words have separators between short lower-case parts.
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text) && digits >= 2;
  return (
    (isMixed && !/[/].*[/]/.test(text)) || (/^[a-z\d]+$/i.test(text) && /[a-z]/i.test(text) && digits >= 4)
  );
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
