/** Takes known secret values out of what a run is about to report. */

const MASK = '***';
/** Shorter secrets are masked only where they are a whole value: within others they would deface everything. */
const SHORTEST_WITHIN = 4;

/**
 * A function that answers a copy of any JSON-like value (keys included) in which the secrets are masked: as they are,
 * percent-encoded, as a JSON string and in both alphabets of base64.
 */
export function scrubber(secrets: readonly string[]): <Value>(value: Value) => Value {
  const known = secrets.filter((secret) => secret !== '');
  if (known.length === 0) return (value) => value;
  const whole = new Set(known);
  const forms = [...new Set(known.filter((secret) => secret.length >= SHORTEST_WITHIN).flatMap(formsOf))];
  // The longest first: one secret may be part of another.
  forms.sort((left, right) => right.length - left.length);
  const mask = (text: string): string => {
    if (whole.has(text)) return MASK;
    let masked = text;
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK);
    return masked;
  };
  return (value) => walk(value, mask) as typeof value;
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(bytes.toString()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}

function walk(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => walk(item, mask));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), walk(item, mask)]));
}
