/** Takes known secret values out of what a run is about to report. */

const MASK = '***';
/** Shorter secrets are masked only where they are a whole value: within others they would deface everything. */
const SHORTEST_WITHIN = 4;
/** Shorter lines of a secret are braces and the like. */
const SHORTEST_LINE = 8;

/**
 * A function that answers a copy of any JSON-like value (keys included) in which the secrets are masked: as they are,
 * in both alphabets of base64, and escaped as often as may be: percent-encoded, as a JSON string, as HTML. `detect`: masks what
 * nobody declared.
 */
export function scrubber(
  secrets: readonly string[],
  detect?: (text: string) => string,
): <Value>(value: Value) => Value {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0 && detect === undefined) return (value) => value;
  const whole = new Set(known);
  const forms = secretForms(known);
  const loose = longestFirst(known.filter(isSeenWithin)).flatMap((secret) => looseForm(secret) ?? []);
  const mask = (text: string): string => {
    if (whole.has(text)) return MASK;
    let masked = text;
    for (const form of loose) masked = masked.replace(form, MASK);
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK);
    return detect === undefined ? masked : detect(masked);
  };
  return (value) => walk(value, mask) as typeof value;
}

/** All that a secret may look like within a text, the longest first: one secret may be part of another. */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = [...secrets.filter(isSeenWithin).flatMap(formsOf), ...secrets.flatMap(linesOf)];
  return longestFirst([...new Set(forms)]);
}

/** What is shown line by line is looked through line by line: each of a key of many lines is a secret. */
function linesOf(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  return lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : [];
}

const isSeenWithin = (secret: string): boolean => secret.length >= SHORTEST_WITHIN;
const longestFirst = (texts: readonly string[]): string[] =>
  [...texts].sort((left, right) => right.length - left.length);

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(bytes.toString());
  return [
    secret,
    percent,
    // As forms send it, and as others write it: with + for a space, everything encoded that may be, in small letters.
    percent.replaceAll('%20', '+'),
    strict(percent),
    strict(percent).replaceAll('%20', '+'),
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...base64Within(bytes),
  ];
}

/**
 * What finds a secret however often what it stands in was escaped: JSON within JSON, HTML within that, addresses within addresses.
 * Undefined for one that nobody has to escape.
 */
function looseForm(secret: string): RegExp | undefined {
  if (/^[\w.~-]*$/.test(secret)) return undefined;
  // Backslashes in a row are one sign: each by itself would take as many as the others leave, in every way there is.
  return new RegExp((secret.match(/\\+|[^\\]/gsu) ?? []).map(looseSign).join(''), 'gu');
}

const NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};
const LETTERS: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };
/** An ampersand, of HTML within HTML, and within JSON that writes it as a code. */
const AND = String.raw`(?:&|\\{1,16}u0026)(?:amp;)*`;
/** What one backslash becomes at most: escaped four times over. */
const MOST_BACKS = 16;
/** A backslash, also within an address. */
const BACK = String.raw`(?:\\|%(?:25)*5[cC])`;

/** One sign in whatever form: behind backslashes, as a code of JSON, as HTML, or percent-encoded. */
function looseSign(sign: string): string {
  if (/^\w/.test(sign)) return sign;
  if (sign.startsWith('\\')) return `${BACK}{${sign.length},${MOST_BACKS * sign.length}}`;
  const point = sign.codePointAt(0) ?? 0;
  const units = Array.from({ length: sign.length }, (_, at) =>
    sign.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  const bytes = [...Buffer.from(sign)].map((byte) => byte.toString(16).padStart(2, '0'));
  const letter = LETTERS[sign];
  const name = NAMES[sign];
  const forms = [
    ...(name === undefined ? [] : [`${AND}${name};`]),
    `${AND}#0*${point};`,
    `${AND}#[xX]0*${anyCase(point.toString(16))};`,
    ...(letter === undefined ? [] : [`${BACK}{1,${MOST_BACKS}}${letter}`]),
    units.map((unit) => `${BACK}{1,${MOST_BACKS}}u${anyCase(unit)}`).join(''),
    bytes.map((byte) => `%(?:25)*${anyCase(byte)}`).join(''),
    ...(sign === ' ' ? [String.raw`\+`] : []),
    // As it is comes last: an ampersand and a percent sign begin their own codes.
    `${BACK}{0,${MOST_BACKS}}${sign.replace(/[$()*+./?[\]^{|}]/g, '\\$&')}`,
  ];
  return `(?:${forms.join('|')})`;
}

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

function strict(percent: string): string {
  return percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * The bytes in both alphabets of base64, wherever in a longer value they begin (`user:secret` of basic authentication):
 * of the first and last signs only those that hold nothing of what stands beside them.
 */
function base64Within(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const text = padded.toString('base64').slice(from, to);
    return text.length < 8 ? [] : [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), ...forms];
}

function walk(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, mask));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), walk(item, mask)]));
}
