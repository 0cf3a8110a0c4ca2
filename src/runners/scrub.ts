/** Takes known secret values out of what a run is about to report. */

const MASK = '***';
/** Shorter secrets are masked only where they are a whole value: within others they would deface everything. */
const SHORTEST_WITHIN = 4;

/**
 * A function that answers a copy of any JSON-like value (keys included) in which the secrets are masked: as they are,
 * percent-encoded, as a JSON string, as HTML and in both alphabets of base64.
 */
export function scrubber(secrets: readonly string[]): <Value>(value: Value) => Value {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0) return (value) => value;
  const whole = new Set(known);
  const forms = secretForms(known);
  const mask = (text: string): string => {
    if (whole.has(text)) return MASK;
    let masked = text;
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK);
    return masked;
  };
  return (value) => walk(value, mask) as typeof value;
}

/** All that a secret may look like within a text, the longest first: one secret may be part of another. */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST_WITHIN).flatMap(formsOf));
  return [...forms].sort((left, right) => right.length - left.length);
}

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
    // A page within an answer in JSON is HTML within JSON, and that may be text within JSON again.
    ...[secret, ...inHtml(secret)].flatMap((text) => [text, ...inJson(text)]),
    ...inJson(JSON.stringify(secret).slice(1, -1)),
    ...base64Within(bytes),
  ];
}

/** Each of the ways in which a text is written as HTML. */
function inHtml(text: string): string[] {
  const numbered = (sign: string) => `&#${sign.codePointAt(0)};`;
  const inHex = (sign: string) => `&#x${sign.codePointAt(0)?.toString(16)};`;
  return [
    ...[HTML, HTML_NUMBERED, HTML_HEX].map((names) =>
      text.replace(/[&<>"']/g, (sign) => names[sign] ?? sign),
    ),
    // Within a text nobody has to escape quotes, nor what closes a tag.
    text.replace(/[&<>]/g, (sign) => HTML[sign] ?? sign),
    text.replace(/[&<]/g, (sign) => HTML[sign] ?? sign),
    // Where pages are all ASCII.
    ...[numbered, inHex].map((code) =>
      text.replace(/[&<>"']|\P{ASCII}/gu, (sign) => HTML[sign] ?? code(sign)),
    ),
  ];
}

/** The same for what stands within a string of JSON. */
function inJson(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const code = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [
    plain,
    plain.replace(/[^\0-\x7f]/g, code),
    plain.replace(/[<>&]/g, code),
    plain.replace(/[<>&']/g, code),
    plain.replaceAll('/', '\\/'),
    plain.replace(/[^\0-\x7f]/g, code).replaceAll('/', '\\/'),
  ];
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const HTML_NUMBERED: Readonly<Record<string, string>> = { ...HTML, '"': '&#34;', "'": '&#039;' };
const HTML_HEX: Readonly<Record<string, string>> = { ...HTML, '"': '&#x22;', "'": '&#x27;' };

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
