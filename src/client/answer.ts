/** Evaluates an answer: usable, refused, or not from the API. */

import { isUtf8 } from 'node:buffer';
import { explainExcess } from '../base/depth.ts';
import { parseExact } from '../base/exact-numbers.ts';
import { isUrl } from '../base/parse-url.ts';
import { plainLine } from './error-body.ts';
import type { WireAnswer } from './exchange.ts';
import { describePage, detectPage, getPageHint } from './web-page.ts';

/** The expected body. `json`: an object or a list. `nothing`: no body is needed. `any`: also text or a file. */
export type ExpectedBody = 'json' | 'nothing' | 'any';

export type AnswerEvaluation =
  /** `file` contains a body that is not text. */
  | { readonly kind: 'good'; readonly body: unknown; readonly text: string; readonly file?: Buffer }
  | { readonly kind: 'refused'; readonly text: string }
  /** `why`: a sentence without subject and full stop. `hint`: the way out. */
  | { readonly kind: 'unusable'; readonly why: string; readonly hint?: string };

const ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid', 'cf-ray'];

/** Returns the request ID of the service or of a proxy. `redactKey` removes the key from it. */
export function findRequestId(
  headers: WireAnswer['headers'],
  redactKey: (text: string) => string,
): string | undefined {
  return ID_HEADERS.map((name) => plainLine(redactKey(headers[name] ?? ''), 200)).find(Boolean);
}

/** Returns the decompressed body. sonde requests no compression, but some proxies compress anyway. */
async function decompressBody({ bytes, headers }: WireAnswer, maxBytes: number): Promise<Buffer> {
  const coding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (coding === 'identity' || bytes.length === 0) return bytes;
  const { brotliDecompress, gunzip, inflate } = await import('node:zlib');
  const unpack = new Map([
    ['gzip', gunzip],
    ['x-gzip', gunzip],
    ['deflate', inflate],
    ['br', brotliDecompress],
  ]).get(coding) as typeof gunzip | undefined;
  if (!unpack) throw new Error(`unknown encoding: ${plainLine(coding, 50)}`);
  return new Promise((resolve, reject) => {
    unpack(bytes, { maxOutputLength: maxBytes }, (error, plain) => (error ? reject(error) : resolve(plain)));
  });
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExact(text) };
  } catch {
    return undefined;
  }
}

/** Describes a body that is not the expected JSON. */
function describeBody(text: string): string {
  if (text === '') return 'an empty body';
  return /^\s*[[{]/.test(text) ? 'incomplete or invalid JSON' : 'a body that is not JSON';
}

/** Evaluates an answer that is not a redirect. `origin` is its server; `maxBytes` limits the decompressed body. */
export async function evaluateAnswer(
  answer: WireAnswer,
  expected: ExpectedBody,
  { origin, maxBytes }: { readonly origin: string; readonly maxBytes: number },
): Promise<AnswerEvaluation> {
  const { status, headers } = answer;
  let bytes: Buffer;
  try {
    bytes = await decompressBody(answer, maxBytes);
  } catch (error) {
    if (status >= 400) return { kind: 'refused', text: '' };
    return {
      kind: 'unusable',
      why: `responded with ${status} and a body that cannot be decompressed (${(error as Error).message})`,
    };
  }
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (status >= 400) return { kind: 'refused', text };
  if (status < 200 || status >= 300)
    return { kind: 'unusable', why: `responded with ${status}, which is not a status of the API` };
  if (expected !== 'json' && text.trim() === '') return { kind: 'good', body: undefined, text };
  const isText = isUtf8(bytes);
  if (expected === 'any' && !isText) return { kind: 'good', body: undefined, text: '', file: bytes };
  const json = isText ? parseJson(text) : undefined;
  const excess = json && explainExcess(text);
  if (excess)
    return {
      kind: 'unusable',
      why: `responded with ${status} and JSON that ${excess}`,
    };
  if (expected === 'any' && (json || !/^\s*<(!doctype|html)/i.test(text)))
    return { kind: 'good', body: json?.value, text };
  if (json && (expected === 'nothing' || (typeof json.value === 'object' && json.value !== null)))
    return { kind: 'good', body: json.value, text };
  const page = json || text === '' ? undefined : detectPage(text, headers['content-type']);
  if (page)
    return {
      kind: 'unusable',
      why: `responded with ${describePage(String(status), page)}`,
      hint: getPageHint(status, origin),
    };
  return {
    kind: 'unusable',
    why: `responded with ${status} and ${json ? 'JSON that is neither an object nor a list' : describeBody(text)}`,
  };
}

/** Returns the redirect target, or why sonde does not follow it. */
export function resolveRedirect(
  { status, headers }: WireAnswer,
  from: URL,
  method: string,
): { readonly follow: URL } | { readonly refused: AnswerEvaluation } | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = headers.location;
  const to = location && isUrl(location, from.href) ? new URL(location, from) : undefined;
  if (!to)
    return { refused: { kind: 'unusable', why: `responded with ${status} without a Location header` } };
  if (to.origin !== from.origin) {
    // Only the origin is shown, because the rest of the URL may contain secrets.
    const target = to.origin === 'null' ? to.protocol : to.origin;
    const why = `redirects to ${target}, and sonde does not send the key there`;
    return {
      refused: {
        kind: 'unusable',
        why,
        hint: 'if this is a sign-in page of a network or proxy, sign in first with a browser or a VPN\nif the API has moved, change the base URL',
      },
    };
  }
  if (method !== 'GET' && method !== 'HEAD')
    return {
      refused: { kind: 'unusable', why: `redirects a ${method} request, which sonde does not follow` },
    };
  return { follow: to };
}
