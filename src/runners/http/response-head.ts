/** Parses the head of an HTTP response as leniently as RFC 9112 lets a client, and names each flaw. */
import { isUtf8 } from 'node:buffer';
import type { Header } from './types.ts';
import { invalidResponse } from './unusable-response.ts';

export interface StatusLine {
  readonly status: number;
  readonly statusText: string;
  /** `1.1` */
  readonly httpVersion: string;
}

/** Receives a flaw of the response: a sentence without a full stop. */
export type NoteFlaw = (flaw: string) => void;

const STATUS_LINE = /^(?:HTTP\/(\d+(?:\.\d+)?)|ICY)[ \t]+(\d{3})(?:[ \t]+(.*))?$/is;
const WELL_FORMED_STATUS_LINE = /^HTTP\/1\.[01] \d{3} /;
const STATUS_LINE_STARTS = ['HTTP/', 'ICY '];
const MAX_QUOTE = 80;
const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;
const OUTSIDE_ASCII = /[\u0080-\uffff]/;
const CONTROL = /(?!\t)\p{Cc}/u;

export const isToken = (text: string): boolean => TOKEN.test(text);

const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);

/** Servers send UTF-8 or Latin-1; ASCII is the same in both. */
const decode = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

/** Throws UnusableResponse for bytes with which no status line begins. */
export function checkStatusLineStart(bytes: Buffer): void {
  const start = bytes.toString('latin1').replace(/^\r+/, '');
  const isStart = STATUS_LINE_STARTS.some((one) => one.startsWith(start.slice(0, one.length).toUpperCase()));
  if (!isStart) throw invalidResponse(`it does not begin with a status line, but with ${quote(start)}`);
}

/** Throws UnusableResponse for a line that is no status line. */
export function parseStatusLine(bytes: Buffer, note: NoteFlaw): StatusLine {
  const line = decode(bytes);
  const [matched, httpVersion = '1.0', status, statusText = ''] = STATUS_LINE.exec(line) ?? [];
  if (matched === undefined)
    throw invalidResponse(`it does not begin with a status line, but with ${quote(line)}`);
  if (!WELL_FORMED_STATUS_LINE.test(line))
    note(`the status line does not have the standard form: ${quote(line)}`);
  return { status: Number(status), statusText, httpVersion };
}

/** Parses the lines after the status line. Throws UnusableResponse for a NUL byte, which browsers and curl refuse. */
export function parseHeaders(lines: readonly Buffer[], note: NoteFlaw): Header[] {
  const headers: [name: string, value: string][] = [];
  let previous: [name: string, value: string] | undefined;
  for (const bytes of lines) {
    if (bytes.includes(0)) throw invalidResponse('a header contains a NUL byte');
    const line = decode(bytes);
    const isContinued = /^[ \t]/.test(line);
    if (isContinued && previous !== undefined) {
      previous[1] = `${previous[1]} ${trim(line)}`.trim();
      note(`the header ${quote(previous[0])} is folded over several lines, which is obsolete`);
      continue;
    }
    previous = isContinued ? undefined : parseHeaderLine(line, note);
    if (previous === undefined) note(`a header line without a name and a colon is ignored: ${quote(line)}`);
    else headers.push(previous);
  }
  return headers;
}

const trim = (text: string): string => text.replaceAll('\r', ' ').replace(/^[ \t]+|[ \t]+$/g, '');

function parseHeaderLine(line: string, note: NoteFlaw): [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const written = line.slice(0, Math.max(0, colon));
  const name = trim(written);
  if (name === '') return undefined;
  if (name !== written) note(`there is a space before the colon of the header ${quote(name)}`);
  if (!isToken(name)) note(`the header name ${quote(name)} contains characters that are not allowed`);
  const value = trim(line.slice(colon + 1));
  if (CONTROL.test(line)) note(`the header ${quote(name)} contains control characters`);
  else if (OUTSIDE_ASCII.test(value)) note(`the header ${quote(name)} contains characters outside ASCII`);
  return [name, value];
}
