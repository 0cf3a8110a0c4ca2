/** Decodes the answer to an API check and selects the subjects of assertions. */

import { describeExcess, findExcess, formatPlace } from '../../base/depth.ts';
import { getLargeInteger, parseExact } from '../../base/exact-numbers.ts';
import { selectJsonPath } from '../assertions/jsonpath.ts';
import { complete, incomplete, isComplete, type Observed, partOf } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, JsonValue, Selection } from '../core/assertion.ts';
import type { Evaluation } from '../core/runner.ts';
import { joinLines, setCookieLines, toHeaderObject } from '../http/headers.ts';
import type { Answer, Header } from '../http/types.ts';
import { type Doubt, decodeText } from './charset.ts';
import type { ApiRequest } from './types.ts';
import { unpackBody } from './unpack-body.ts';

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly Header[];
  /** The text of the body; incomplete if it was cut or cannot be decoded. */
  readonly body: Observed<string>;
  /** Why the text is incomplete although all of it is there. */
  readonly doubt?: Doubt;
  /** The flaws of the body's encoding: sentences without a full stop. */
  readonly notes?: readonly string[];
}

export function decodeAnswer({
  status,
  statusText,
  headers,
  body,
  incomplete: why,
}: EncodedAnswer): ApiResponse {
  const received = Buffer.from(body, 'base64');
  const head = { status, statusText, headers };
  if (why !== undefined) return { ...head, body: incomplete(decodeText(received, headers).text, why) };
  const { bytes, notes } = unpackBody(received, headers);
  if (!isComplete(bytes)) return { ...head, body: incomplete('', bytes.incomplete) };
  const { text, doubt, notes: textNotes } = decodeText(bytes.complete, headers);
  return {
    ...head,
    body: doubt === undefined ? complete(text) : incomplete(text, doubt.why),
    ...(doubt && { doubt }),
    notes: [...notes, ...textNotes],
  };
}

/** An answer for the evaluator process, with its body in base64. */
export interface EncodedAnswer extends Omit<Answer, 'body'> {
  readonly body: string;
}

export const encodeAnswer = (answer: Answer): EncodedAnswer => ({
  ...answer,
  body: answer.body.toString('base64'),
});

/** Decodes an answer for a script. */
export const responseDecoding: Evaluation<EncodedAnswer, ApiResponse> = {
  name: 'response',
  run: decodeAnswer,
};

/** Comparisons that hold because something is there. */
const POSITIVE: ReadonlySet<string> = new Set(['CONTAINS', 'EQUALS', 'HAS_KEY', 'HAS_VALUE']);
const isAscii = (text: string | null | undefined): boolean => !/[\u0080-\uffff]/.test(text ?? '');

/**
 * Returns the body for an assertion. A text whose charset is in doubt is complete for what it proves: that a text is
 * there, or whether ASCII text is.
 */
function bodyFor(assertion: Assertion, { body, doubt }: ApiResponse): Observed<string> {
  if (doubt === undefined || assertion.regex || !isAscii(assertion.property)) return body;
  const isPositive = POSITIVE.has(assertion.comparison);
  const isProven = doubt.isAsciiCertain
    ? isPositive || isAscii(assertion.target)
    : isPositive && assertion.source === 'TEXT_BODY';
  return isProven ? complete(partOf(body)) : body;
}

/** Returns whether an assertion examines the body. */
export const readsBody = ({ assertions }: ApiRequest): boolean =>
  (assertions ?? []).some(({ source }) => source === 'TEXT_BODY' || source === 'JSON_BODY');

/** Returns the subject of an assertion. */
export function selectSubject(assertion: Assertion, response: ApiResponse, totalMs: number): Subject {
  const { status, headers } = response;
  const property = assertion.property?.trim() ?? '';
  switch (assertion.source) {
    case 'STATUS_CODE':
      return measured(status);
    case 'RESPONSE_TIME':
      return measured(totalMs);
    case 'HEADERS':
      return selectFrom(complete(headers), (all) => selectHeaders(all, property));
    case 'TEXT_BODY':
      return selectFrom(bodyFor(assertion, response), (text) => ({ values: [text] }));
    case 'JSON_BODY':
      return selectFrom(bodyFor(assertion, response), (text) => selectInJson(response, text, property));
    default:
      return invalidSubject(`unknown assertion source for API checks: ${assertion.source}`);
  }
}

/**
 * Returns the value of a header, ignoring the case of its name; without a name all headers, by lower-case name. The
 * lines of Set-Cookie are separate values.
 */
function selectHeaders(headers: readonly Header[], property: string): Selection {
  const cookies = setCookieLines(headers);
  if (property === '') {
    const [first, ...further] = cookies;
    const all = toHeaderObject(headers);
    return {
      values: [
        first === undefined ? all : { ...all, 'set-cookie': first },
        ...further.map((line) => ({ 'set-cookie': line })),
      ],
      isAnyOf: true,
    };
  }
  const name = property.toLowerCase();
  const absence = `the response has no header ${property}`;
  if (name === 'set-cookie') return { values: cookies, isAnyOf: true, absence };
  const value = joinLines(headers, name);
  return { values: value === undefined ? [] : [value], absence };
}

/** Matches text that may contain an integer beyond JavaScript's safe range. */
const MAY_BE_LARGE_INTEGER = /\d[\d.]{15}|\d[eE][-+]?\d/;

/** Maximum nesting. A body of a few megabytes could have millions of levels and exhaust the memory. */
const MAX_LEVELS = 10_000;

type ParsedBody = { readonly value: JsonValue } | { readonly why: string };
/** Caches the parsed body, which all assertions share. */
const documents = new WeakMap<ApiResponse, ParsedBody>();

function parseOnce(response: ApiResponse, text: string): ParsedBody {
  const cached = documents.get(response);
  if (cached !== undefined) return cached;
  const parsed = parseBody(text);
  documents.set(response, parsed);
  return parsed;
}

function parseBody(body: string): ParsedBody {
  const excess = findExcess(body, MAX_LEVELS);
  if (excess) return { why: `the body ${describeExcess(MAX_LEVELS)} (${formatPlace(excess)})` };
  try {
    return { value: (MAY_BE_LARGE_INTEGER.test(body) ? parseExact(body) : JSON.parse(body)) as JsonValue };
  } catch (error) {
    return { why: `the body is not valid JSON: ${error instanceof Error ? error.message : error}` };
  }
}

function selectInJson(response: ApiResponse, text: string, property: string): Selection {
  const document = parseOnce(response, text);
  if ('why' in document) return { values: [], unusable: document.why };
  const subject = selectJsonPath(document.value, property);
  // The document is a number, so its original text is the body.
  return getLargeInteger(document.value) === undefined || subject.values.length === 0
    ? subject
    : { ...subject, largeIntegers: new Map([[0, text.trim()]]) };
}
