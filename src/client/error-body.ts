/** Extracts the best message from an error body of any kind; never returns HTML. */

import type { Problem } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/object.ts';
import { oneLine } from '../base/sanitize.ts';
import { detectPage, MARKUP, type Page } from './web-page.ts';

export interface ErrorBody {
  /** The server's message; undefined if there is none. */
  readonly message: string | undefined;
  /** Individual problems, if the body lists them. */
  readonly details: readonly Problem[];
  /** Whether the body is JSON with a reason, as the API sends it. Other bodies may come from a proxy. */
  readonly fromApi: boolean;
  /** Set if the body is a page for browsers, which contains no message. */
  readonly page?: Page | undefined;
}

/** The limit is for programs; the terminal limits what people see. */
const MAX_MESSAGE = 1_000_000;
const MAX_DETAILS = 20_000;
const MAX_DEPTH = 20;

/** Returns one line of bounded plain text without markup; undefined if it is empty. */
export function plainLine(value: unknown, maxLength = MAX_MESSAGE): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).slice(0, maxLength * 8);
  const markup = text.search(MARKUP);
  return oneLine(markup < 0 ? text : text.slice(0, markup), maxLength) || undefined;
}

function formatPath(path: unknown): string | undefined {
  if (!Array.isArray(path)) return plainLine(path, 200);
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return plainLine(steps.join('').replace(/^\./, ''), 200);
}

const toTexts = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .map((item) => plainLine(String(item), 100) ?? '')
        .filter(Boolean)
        .slice(0, 100)
    : [];

/** Parses one violation of this service, or a problem in another format. */
function parseProblem(item: unknown): Problem | undefined {
  if (!isObject(item)) {
    const message = plainLine(item);
    return message ? { place: '', message } : undefined;
  }
  const message = plainLine(item.message ?? item.msg ?? item.error ?? item.reason ?? item.detail);
  if (!message) return undefined;
  const place = formatPath(item.path ?? item.field ?? item.property ?? item.param ?? item.key);
  const [allowed, nearest] = [toTexts(item.allowed), plainLine(item.nearest, 100)];
  return {
    place: place ?? '',
    message,
    ...(allowed.length > 0 ? { allowed } : {}),
    ...(nearest ? { nearest } : {}),
  };
}

/** Parses lists of problems, and maps from fields to problems. */
function parseProblems(value: unknown, depth = 0): Problem[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value))
    return value
      .slice(0, MAX_DETAILS)
      .map(parseProblem)
      .filter((problem) => !!problem);
  if (!isObject(value)) return [];
  for (const name of ['violations', 'errors', 'details']) {
    if (Array.isArray(value[name])) return parseProblems(value[name], depth + 1);
  }
  return Object.entries(value)
    .slice(0, MAX_DETAILS)
    .flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).slice(0, MAX_DETAILS).map((one) => {
        const problem = typeof one === 'boolean' ? undefined : parseProblem(one);
        return problem && { ...problem, place: problem.place || (formatPath(field) ?? '') };
      }),
    )
    .filter((problem) => !!problem);
}

/** Parses `validation: {source, keys}`: the rejected fields of one part. */
function parseValidation(value: unknown): Problem[] {
  if (!isObject(value)) return [];
  const source = plainLine(value.source, 50);
  const message = source ? `is not valid in the ${source}` : 'is not valid';
  return toTexts(value.keys).map((place) => ({ place, message }));
}

function findSentence(body: JsonObject, depth = 0): string | undefined {
  const { message, error, errorCode, detail, title, description, error_description: described } = body;
  const nested = isObject(error) && depth < MAX_DEPTH ? findSentence(error, depth + 1) : undefined;
  const candidates = [message, nested, described, detail, description, error, title];
  const sentence = candidates.map((candidate) => plainLine(candidate)).find(Boolean);
  const code = plainLine(errorCode, 100);
  if (!sentence || !code || sentence.includes(code)) return sentence ?? code;
  return `${sentence} (${code})`;
}

function parseObject(body: JsonObject): ErrorBody {
  const details = [
    ...parseProblems(body.attributes),
    ...(Array.isArray(body.message) ? parseProblems(body.message) : []),
    ...parseProblems(body.errors),
    ...(Array.isArray(body.details) ? parseProblems(body.details) : []),
    ...parseValidation(body.validation),
  ].slice(0, MAX_DETAILS);
  const message = findSentence(body);
  const fromApi = message !== undefined || details.length > 0;
  return {
    message: message ?? details[0]?.message,
    details: fromApi ? details : collectLeaves(body),
    fromApi,
  };
}

/** Returns all values of a body of unknown shape, each with its path. */
function collectLeaves(body: unknown): Problem[] {
  const leaves: Problem[] = [];
  const open: { readonly path: readonly (string | number)[]; readonly value: unknown }[] = [
    { path: [], value: body },
  ];
  for (let next = open.pop(); next && leaves.length < MAX_DETAILS; next = open.pop()) {
    const { path, value } = next;
    if (typeof value === 'object' && value !== null && path.length < MAX_DEPTH) {
      const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
      for (const [step, each] of inner.slice(0, MAX_DETAILS).reverse())
        open.push({ path: [...path, step], value: each });
    } else {
      const message = typeof value === 'boolean' ? String(value) : plainLine(value);
      if (message) leaves.push({ place: formatPath(path) ?? '', message });
    }
  }
  return leaves;
}

/** Returns the first line of a text as the message and the others as details. */
function parseText(text: string): ErrorBody {
  const [message, ...others] = text
    .split(/\r\n|[\n\r\u0085]/, MAX_DETAILS)
    .flatMap((line) => plainLine(line) ?? []);
  return { message, details: others.map((line) => ({ place: '', message: line })), fromApi: false };
}

/** Parses an error body. Never throws; all texts are bounded single lines without markup. */
export function parseErrorBody(text: string): ErrorBody {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  let body: unknown;
  try {
    body = JSON.parse(trimmed);
  } catch {
    const page = detectPage(trimmed);
    return page ? { message: undefined, details: [], fromApi: false, page } : parseText(trimmed);
  }
  if (isObject(body)) return parseObject(body);
  if (Array.isArray(body)) {
    const details = parseProblems(body);
    const fromApi = details.length > 0;
    return { message: details[0]?.message, details: fromApi ? details : collectLeaves(body), fromApi };
  }
  const message = plainLine(body);
  return { message, details: [], fromApi: message !== undefined };
}
