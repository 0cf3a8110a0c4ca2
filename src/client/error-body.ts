/** Finds the best sentence in the body of an error, whatever kind of body it is; never shows raw HTML. */

import type { Problem } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/object.ts';

export interface ErrorBody {
  /** What went wrong in the server's own words; undefined where it has none. */
  readonly message: string | undefined;
  /** One by one, where the body tells. */
  readonly details: readonly Problem[];
  /** Whether it is JSON with a reason in it, as this API answers. Anything else may come from something in between. */
  readonly fromApi: boolean;
}

const MAX_MESSAGE = 500;
const MAX_DETAILS = 50;
const MARKUP =
  /<\s*(!doctype|!--|\/?(html|(head|body|title|script|style|meta|div|center|h\d|p|br|pre|table|span)\b))/i;

/** One line of plain text, bounded; undefined where nothing is left. Markup ends it. */
export function plainLine(value: unknown, most = MAX_MESSAGE): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // Far more than is shown is cut first, so that a body of megabytes costs nothing.
  const line = String(value)
    .slice(0, most * 8)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ');
  const markup = line.search(MARKUP);
  const text = (markup < 0 ? line : line.slice(0, markup)).trim();
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text || undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", nbsp: ' ', ndash: '–' };

/** The title of an HTML page, or its first heading. */
function titleOf(html: string): string | undefined {
  const found = /<(title|h1)\b[^>]*>([^<]{1,1000})/i.exec(html.slice(0, 100_000))?.[2];
  return plainLine(
    found?.replaceAll(/&(\w+|#39);/g, (_entity, name: string) => ENTITIES[name] ?? ' '),
    200,
  );
}

function placeOf(path: unknown): string | undefined {
  if (!Array.isArray(path)) return plainLine(path, 200);
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return plainLine(steps.join('').replace(/^\./, ''), 200);
}

const texts = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .map((item) => plainLine(String(item), 100) ?? '')
        .filter(Boolean)
        .slice(0, 100)
    : [];

/** One violation as this service writes it, or a problem as others do. */
function problemOf(item: unknown): Problem | undefined {
  if (!isObject(item)) {
    const message = plainLine(item);
    return message ? { place: '', message } : undefined;
  }
  const message = plainLine(item.message ?? item.msg ?? item.error ?? item.reason ?? item.detail);
  if (!message) return undefined;
  const place = placeOf(item.path ?? item.field ?? item.property ?? item.param ?? item.key);
  const [allowed, nearest] = [texts(item.allowed), plainLine(item.nearest, 100)];
  return {
    place: place ?? '',
    message,
    ...(allowed.length > 0 ? { allowed } : {}),
    ...(nearest ? { nearest } : {}),
  };
}

/** Lists of problems, and maps of a field to its problem or problems. */
function problemsOf(value: unknown): Problem[] {
  if (Array.isArray(value))
    return value
      .slice(0, MAX_DETAILS)
      .map(problemOf)
      .filter((problem) => !!problem);
  if (!isObject(value)) return [];
  for (const name of ['violations', 'errors', 'details']) {
    if (Array.isArray(value[name])) return problemsOf(value[name]);
  }
  return Object.entries(value)
    .slice(0, MAX_DETAILS)
    .flatMap(([field, told]) =>
      (Array.isArray(told) ? told : [told]).slice(0, MAX_DETAILS).map((one) => {
        const problem = typeof one === 'boolean' ? undefined : problemOf(one);
        return problem && { ...problem, place: problem.place || (placeOf(field) ?? '') };
      }),
    )
    .filter((problem) => !!problem);
}

/** `validation: {source, keys}`: which fields of which part were refused. */
function validationOf(value: unknown): Problem[] {
  if (!isObject(value)) return [];
  const source = plainLine(value.source, 50);
  const message = source ? `is not valid in the ${source}` : 'is not valid';
  return texts(value.keys).map((place) => ({ place, message }));
}

function sentenceOf(body: JsonObject): string | undefined {
  const { message, error, errorCode, detail, title, description, error_description: described } = body;
  const nested = isObject(error) ? sentenceOf(error) : undefined;
  const candidates = [message, nested, described, detail, description, error, title];
  const sentence = candidates.map((candidate) => plainLine(candidate)).find(Boolean);
  const code = plainLine(errorCode, 100);
  if (!sentence || !code || sentence.includes(code)) return sentence ?? code;
  return `${sentence} (${code})`;
}

function readObject(body: JsonObject): ErrorBody {
  const details = [
    ...problemsOf(body.attributes),
    ...(Array.isArray(body.message) ? problemsOf(body.message) : []),
    ...problemsOf(body.errors),
    ...(Array.isArray(body.details) ? problemsOf(body.details) : []),
    ...validationOf(body.validation),
  ].slice(0, MAX_DETAILS);
  const message = sentenceOf(body);
  return {
    message: message ?? details[0]?.message,
    details,
    fromApi: message !== undefined || details.length > 0,
  };
}

/** Reads an error's body. Never throws; all texts are single lines, bounded, and free of markup. */
export function readErrorBody(text: string): ErrorBody {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  let body: unknown;
  try {
    body = JSON.parse(trimmed);
  } catch {
    const html = MARKUP.test(trimmed.slice(0, 2000));
    return { message: html ? titleOf(trimmed) : plainLine(trimmed), details: [], fromApi: false };
  }
  if (isObject(body)) return readObject(body);
  if (Array.isArray(body)) {
    const details = problemsOf(body);
    return { message: details[0]?.message, details, fromApi: details.length > 0 };
  }
  const message = plainLine(body);
  return { message, details: [], fromApi: message !== undefined };
}
