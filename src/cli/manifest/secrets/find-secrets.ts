/** Finds secrets in texts: in URLs, forms, JSON, XML and code, by the names before them and by their form. */
import { canBeSecret, isKeyLike, isSecretName, prefixedKeys } from './key-like.ts';

/** A secret in a text. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** The name of the secret, such as the parameter that has it. */
  readonly name: string;
}

/** The kind of a text. Values in code have quotes; in a body, a line can start with a name and a colon. */
export type TextKind = 'text' | 'code' | 'body';

interface Rule {
  /** Matches a text with the groups `name`, if it has one, and `value`. Reads texts in linear time. */
  readonly pattern: RegExp;
  readonly kinds?: readonly TextKind[];
  /** Decides about a value. Default: its name looks like that of a secret. */
  readonly isSecret?: (value: string, name: string) => boolean;
  /** The name of secrets without one. */
  readonly fallback?: string;
}

const NAMED = String.raw`(?<quote>["'\x60])(?<value>(?:\\.|(?!\k<quote>)[^\\\n])*)\k<quote>`;
const always = (): boolean => true;
const hasDigit = (value: string): boolean => /\d/.test(value) || isKeyLike(value);

const RULES: readonly Rule[] = [
  // https://user:password@host, and https://key@host
  {
    pattern: /:\/\/[^\s/?#@:"'`<>]*:(?<value>[^\s/?#@"'`<>]+)@/dg,
    isSecret: always,
    fallback: 'password',
  },
  { pattern: /:\/\/(?<value>[^\s/?#@:"'`<>]+):?[^\s/?#@:"'`<>]*@/dg, isSecret: isKeyLike, fallback: 'user' },
  // token=… in queries and forms
  {
    pattern: /(?<=[?&;]|^)(?<name>[\w.[\]%-]+)=(?<value>[^&#;\s]+)/dg,
    kinds: ['text', 'body'],
    isSecret: isNamed,
  },
  {
    pattern: /(?<=[?&;"'`])(?<name>[\w.[\]%-]+)=(?<value>[^&#;\s"'`<>\\${]+)/dg,
    kinds: ['code'],
    isSecret: isNamed,
  },
  // "password": "…", password: '…', const password = '…', token ?? '…'
  {
    pattern: new RegExp(
      String.raw`(?<![\w$.-])(?:process\.env\.)?(?<name>[\w$.-]+)["'\x60]?\]?(?:\s{0,9}:\s{0,9}\w{1,40})?\s{0,9}(?:[:=]|\|\||\?\?)\s{0,99}${NAMED}`,
      'dgs',
    ),
  },
  // headers.set('Authorization', '…'), page.fill('#password', '…')
  {
    pattern: new RegExp(
      String.raw`[(,[]\s{0,9}(["'\x60])(?<name>[^"'\x60\n]{1,200})\1\s{0,9},\s{0,9}${NAMED}`,
      'dg',
    ),
    kinds: ['code'],
  },
  // getByLabel('Password').fill('…')
  {
    pattern: new RegExp(
      String.raw`(?<=(?<name>[^;\n]{0,200}))\.(?:fill|type|pressSequentially)\(\s{0,9}${NAMED}`,
      'dg',
    ),
    kinds: ['code'],
  },
  // password: …, and <password>…</password>
  { pattern: /^[ \t]*(?<name>[\w.-]+):[ \t]+(?<value>[^\s"'][^\r\n]*)$/dgm, kinds: ['body'] },
  { pattern: /<(?:\w+:)?(?<name>[\w.-]+)(?:\s[^<>]*)?>(?<value>[^<>]+)<\//dg },
  {
    pattern: /\b(?:Bearer|Basic|Token|ApiKey|Key)[ \t]+(?<value>[\w.~+/=-]{8,})/dgi,
    isSecret: hasDigit,
    fallback: 'token',
  },
  { pattern: new RegExp(`(?<value>${prefixedKeys().source})`, 'dg'), isSecret: always, fallback: 'key' },
  {
    pattern:
      /(?<value>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}-----END [A-Z ]{0,40}PRIVATE KEY-----)/dg,
    isSecret: always,
    fallback: 'private key',
  },
  // Webhooks, whose paths are keys, and keys in the path or the query of a URL
  {
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/|api\.telegram\.org\/bot|hooks\.zapier\.com\/hooks\/catch\/|webhook\.office\.com\/)(?<value>[^\s?#"'`<>\\]+?)(?=\/send|[\s?#"'`<>\\]|$)/dgi,
    isSecret: always,
    fallback: 'webhook',
  },
  { pattern: /(?<=\/)(?<value>[\w~-]{20,})(?=[/?#\s"'`]|$)/dg, isSecret: isKeyLike, fallback: 'key' },
  { pattern: /(?<=[?&][\w.[\]%-]{1,99}=)(?<value>[\w~+/=-]{20,})/dg, isSecret: isKeyLike, fallback: 'key' },
];

function isNamed(value: string, name: string): boolean {
  return isSecretName(name.replace(/%5b/gi, '[').replace(/%2d/gi, '-')) && !value.startsWith('=');
}

/** Returns the secrets of a text in their order, without those inside of others. */
export function findSecrets(text: string, kind: TextKind = 'text'): readonly SecretSpan[] {
  const found = RULES.filter(({ kinds }) => kinds === undefined || kinds.includes(kind)).flatMap((rule) =>
    applyRule(rule, text, kind),
  );
  return withoutOverlaps(found);
}

function applyRule(
  { pattern, isSecret = isNamed, fallback = '' }: Rule,
  text: string,
  kind: TextKind,
): SecretSpan[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const { name = '', value = '' } = match.groups ?? {};
    const [start, end] = match.indices?.groups?.value ?? [0, 0];
    // In code, `${` starts an expression.
    const isOther =
      !canBeSecret(value) ||
      (kind === 'code' && value.includes('${')) ||
      value === name ||
      !isSecret(value, name);
    return isOther ? [] : [{ start, end, name: lastWord(name) || fallback }];
  });
}

/** Returns the part of a name, a selector or a line of code that names the secret. */
const lastWord = (name: string): string =>
  name
    .split(/[^\w.-]+/)
    .filter((word) => isSecretName(word))
    .at(-1) ??
  name
    .replace(/[^\w.-]+/g, ' ')
    .trim()
    .slice(-40);

/** Returns spans that do not overlap, in their order. Of overlapping ones, the longest remains. */
export function withoutOverlaps<T extends Pick<SecretSpan, 'start' | 'end'>>(
  spans: readonly T[],
): readonly T[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const chosen: T[] = [];
  for (const span of sorted) {
    const last = chosen.at(-1);
    if (last === undefined || span.start >= last.end) chosen.push(span);
    else if (span.end - span.start > last.end - last.start) chosen[chosen.length - 1] = span;
  }
  return chosen;
}
