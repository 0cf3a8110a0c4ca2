/** Decodes the answer to an API check and selects the subjects of assertions. */
import { brotliDecompressSync, inflateRawSync, inflateSync, unzipSync } from 'node:zlib';
import { getLargeInteger, parseExact } from '../../base/exact-numbers.ts';
import { isDeeperThan } from '../../base/json-depth.ts';
import { selectJsonPath } from '../assertions/jsonpath.ts';
import { complete, incomplete, type Observed } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, JsonValue, Selection } from '../assertions/types.ts';
import { joinLines, setCookieLines, toHeaderObject } from '../http/headers.ts';
import { MAX_BODY } from '../http/response-reader.ts';
import type { Answer, Header } from '../http/types.ts';
import type { Evaluation } from '../types.ts';
import type { ApiRequest } from './types.ts';

export interface ApiResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly Header[];
  /** The text of the body; incomplete if it was cut or cannot be decoded. */
  readonly body: Observed<string>;
}

export function decodeAnswer({
  status,
  statusText,
  headers,
  body,
  incomplete: why,
}: EncodedAnswer): ApiResponse {
  const bytes = Buffer.from(body, 'base64');
  const text = why === undefined ? decodeBody(bytes, headers) : incomplete(bytes.toString('utf8'), why);
  return { status, statusText, headers, body: text };
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

/** More encodings are rare, and each costs time and memory. */
const MAX_ENCODINGS = 3;

const findHeader = (headers: readonly Header[], name: string): string =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';

function decodeBody(body: Buffer, headers: readonly Header[]): Observed<string> {
  const encodings = findHeader(headers, 'content-encoding')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > MAX_ENCODINGS) {
    const why = `the body has ${encodings.length} content encodings: at most ${MAX_ENCODINGS} are decoded`;
    return incomplete('', why);
  }
  let bytes = body;
  try {
    if (bytes.length > 0) for (const encoding of encodings.toReversed()) bytes = decompress(bytes, encoding);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return incomplete('', `the body cannot be decompressed (${encodings.join(', ')}): ${why}`);
  }
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(findHeader(headers, 'content-type'))?.[1] ?? 'utf-8';
  try {
    return complete(new TextDecoder(charset).decode(bytes));
  } catch {
    return complete(bytes.toString('utf8'));
  }
}

function decompress(bytes: Buffer, encoding: string): Buffer {
  const bounds = { maxOutputLength: MAX_BODY };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return unzipSync(bytes, bounds);
    case 'br':
      return brotliDecompressSync(bytes, bounds);
    case 'deflate':
      // The standard requires zlib's header, but some servers omit it.
      return (bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, bounds) : inflateRawSync(bytes, bounds);
    default:
      throw new Error('an encoding that was not requested');
  }
}

/** Returns whether an assertion examines the body. */
export const readsBody = ({ assertions }: ApiRequest): boolean =>
  (assertions ?? []).some(({ source }) => source === 'TEXT_BODY' || source === 'JSON_BODY');

/** Returns the subject of an assertion. */
export function selectSubject(assertion: Assertion, response: ApiResponse, totalMs: number): Subject {
  const { status, headers, body } = response;
  const property = assertion.property?.trim() ?? '';
  switch (assertion.source) {
    case 'STATUS_CODE':
      return measured(status);
    case 'RESPONSE_TIME':
      return measured(totalMs);
    case 'HEADERS':
      return selectFrom(complete(headers), (all) => selectHeaders(all, property));
    case 'TEXT_BODY':
      return selectFrom(body, (text) => ({ values: [text] }));
    case 'JSON_BODY':
      return selectFrom(body, (text) => selectInJson(response, text, property));
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
  if (isDeeperThan(body, MAX_LEVELS))
    return { why: `the body is nested more than ${MAX_LEVELS} levels deep` };
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
