/** Finds where the body of an HTTP response ends (RFC 9112, section 6.3). */
import { joinLines } from './headers.ts';
import type { NoteFlaw } from './response-head.ts';
import type { Header } from './types.ts';
import { invalidResponse } from './unusable-response.ts';

export type BodyFraming =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly bytes: number };

/** Returns the elements of all lines of a header with a list. */
export const listHeader = (headers: readonly Header[], name: string): string[] =>
  joinLines(headers, name)
    ?.split(',')
    .map((element) => element.trim()) ?? [];

/** Returns the transfer codings in lower case and without parameters, in the order of their application. */
export const listTransferCodings = (headers: readonly Header[]): string[] =>
  listHeader(headers, 'transfer-encoding')
    .map((coding) => (coding.split(';', 1)[0] ?? '').trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

/** Throws UnusableResponse for lengths that contradict each other or are no numbers. */
export function findBodyFraming(
  headers: readonly Header[],
  status: number,
  method: string,
  note: NoteFlaw,
): BodyFraming {
  const codings = listTransferCodings(headers);
  const lengths = listHeader(headers, 'content-length');
  if (codings.length > 0 && lengths.length > 0)
    note('the response has both Transfer-Encoding and Content-Length, which is ignored');
  if (codings.filter((coding) => coding === 'chunked').length > 1)
    note('the response names the transfer coding chunked several times');
  const length = codings.length > 0 ? undefined : parseLength(lengths, note);
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' };
  if (codings.at(-1) === 'chunked') return { kind: 'chunked' };
  return length === undefined ? { kind: 'close' } : { kind: 'length', bytes: length };
}

function parseLength(lengths: readonly string[], note: NoteFlaw): number | undefined {
  const [first, ...others] = new Set(lengths);
  if (first === undefined) return undefined;
  if (others.length > 0) throw invalidResponse(`Content-Length has different values: ${lengths.join(', ')}`);
  if (!/^\d+$/.test(first)) throw invalidResponse(`Content-Length is not a number: ${JSON.stringify(first)}`);
  if (lengths.length > 1) note('the response repeats Content-Length with the same value');
  return Number(first);
}

/** Content types of bodies that may never end. */
const STREAM_TYPES =
  /^(?:text\/event-stream|multipart\/x-mixed-replace|(?:audio|video)\/.+|application\/(?:ogg|x-ndjson|ndjson|json-seq|stream\+json))$/;

/** Returns the content type if it is one of a stream. */
export function findStreamType(headers: readonly Header[]): string | undefined {
  const written = headers.find(([key]) => key.toLowerCase() === 'content-type')?.[1] ?? '';
  const type = written.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return STREAM_TYPES.test(type) ? type.slice(0, 80) : undefined;
}
