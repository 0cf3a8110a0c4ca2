/** Reads one HTTP/1 response from the bytes of a connection: heads, body, chunks and trailers, within limits. */
import { type BodyFraming, findBodyFraming } from './body-framing.ts';
import { createGrowingBuffer } from './growing-buffer.ts';
import { type Line, LineReader, MAX_LINES_SIZE } from './line-reader.ts';
import { checkStatusLineStart, parseHeaders, parseStatusLine, type StatusLine } from './response-head.ts';
import type { Header } from './types.ts';
import { invalidResponse, UnusableResponse } from './unusable-response.ts';

/** Maximum number of body bytes that are read. */
export const MAX_BODY = 5 * 1024 * 1024;
/** Maximum number of body chunks, because even a small one costs time. */
export const MAX_CHUNKS = 50_000;
/** Maximum number of connection bytes outside the body: headers, chunk sizes and extensions. */
export const MAX_OVERHEAD = 2 * 1024 * 1024;
/** Maximum number of informational responses (1xx). */
export const MAX_INFORMATIONAL = 20;
/** Maximum number of named flaws. */
const MAX_FLAWS = 20;

export interface ResponseHead extends StatusLine {
  readonly headers: readonly Header[];
}

type State =
  | 'status line'
  | 'headers'
  | 'body'
  | 'chunk size'
  | 'chunk'
  | 'chunk end'
  | 'trailers'
  | 'complete';

const CHUNK_SIZE = /^([ \t]*)([\da-f]+)([ \t]*)(?:;|$)/i;

export class ResponseReader {
  readonly #method: string;
  readonly #lines = new LineReader();
  readonly #body = createGrowingBuffer(MAX_BODY);
  readonly #flaws = new Set<string>();
  #state: State = 'status line';
  #statusLine: StatusLine | undefined;
  #headerLines: Buffer[] = [];
  #headSize = 0;
  #informational = 0;
  #received = 0;
  #chunks = 0;
  /** The bytes that are missing of the body or chunk. */
  #remaining = 0;

  /** The final head; undefined until it has arrived. */
  head: ResponseHead | undefined;
  framing: BodyFraming = { kind: 'none' };
  /** The received bytes of the body. */
  bodyBytes = 0;
  /** True if the body is longer than the limit. */
  isCut = false;

  constructor(method: string) {
    this.#method = method;
  }

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  /** True if the connection sent a part of a head. */
  get hasStarted(): boolean {
    return this.#received > 0;
  }

  get flaws(): readonly string[] {
    return [...this.#flaws];
  }

  /** Returns a copy of the body, without what exceeds the limit. */
  body(): Buffer {
    return this.#body.bytes();
  }

  /** Throws UnusableResponse. */
  push(bytes: Buffer): void {
    this.#received += bytes.length;
    let at = 0;
    while (at < bytes.length && !this.isComplete) at = this.#read(bytes, at);
    if (this.isComplete) {
      if (at < bytes.length && !this.isCut) this.#note('the server sent data after the end of its response');
    } else if (this.#received - this.bodyBytes > MAX_OVERHEAD)
      throw this.#unusable(`with more than ${MAX_OVERHEAD / 1024 / 1024} MB that are not part of the body`);
  }

  /** Ends a body without a length. Leaves every other response incomplete, because the connection cut it. */
  end(): void {
    if (this.#state === 'body' && this.framing.kind === 'close') this.#state = 'complete';
  }

  readonly #note = (flaw: string): void => {
    if (this.#flaws.size < MAX_FLAWS) this.#flaws.add(flaw);
  };

  #unusable(what: string): UnusableResponse {
    return new UnusableResponse(`answered ${this.head?.status ?? 'only in part'} ${what}`);
  }

  /** Reads from `at` on, and returns the position after it. */
  #read(bytes: Buffer, at: number): number {
    if (this.#state === 'body' || this.#state === 'chunk') return this.#readBody(bytes, at);
    const line = this.#lines.read(bytes, at);
    if (line === undefined) {
      if (this.#state === 'status line') checkStatusLineStart(this.#lines.start(5));
      return bytes.length;
    }
    if (line.end === 'LF') this.#note('the server ends lines with a bare LF');
    if (line.end === 'CRCRLF') this.#note('the server ends lines with more than one CR');
    this.#readLine(line);
    return line.next;
  }

  #readLine({ text }: Line): void {
    switch (this.#state) {
      case 'status line':
        if (text.length === 0) this.#note('the server sent empty lines before its status line');
        else {
          this.#statusLine = parseStatusLine(text, this.#note);
          this.#state = 'headers';
        }
        break;
      case 'headers':
        this.#headSize += text.length;
        if (this.#headSize > MAX_LINES_SIZE)
          throw invalidResponse(`its headers are longer than ${MAX_LINES_SIZE / 1024} KB`);
        if (text.length === 0) this.#endHead();
        else this.#headerLines.push(text);
        break;
      case 'chunk size':
        this.#startChunk(text.toString('latin1'));
        break;
      case 'chunk end':
        if (text.length > 0) throw invalidResponse('a chunk is longer than its size');
        this.#state = 'chunk size';
        break;
      default:
        if (text.length === 0) this.#state = 'complete';
    }
  }

  #endHead(): void {
    const headers = parseHeaders(this.#headerLines, this.#note);
    const statusLine = this.#statusLine as StatusLine;
    this.#headerLines = [];
    this.#headSize = 0;
    const { status } = statusLine;
    if (status >= 100 && status < 200 && status !== 101) {
      this.#informational++;
      if (this.#informational > MAX_INFORMATIONAL)
        throw new UnusableResponse(`sent more than ${MAX_INFORMATIONAL} informational responses (1xx)`);
      this.#state = 'status line';
      return;
    }
    this.head = { ...statusLine, headers };
    this.framing = findBodyFraming(headers, status, this.#method, this.#note);
    this.#startBody();
  }

  #startBody(): void {
    const { framing } = this;
    this.#remaining = framing.kind === 'length' ? framing.bytes : Number.POSITIVE_INFINITY;
    if (framing.kind === 'none' || this.#remaining === 0) this.#state = 'complete';
    else this.#state = framing.kind === 'chunked' ? 'chunk size' : 'body';
  }

  #startChunk(line: string): void {
    const [, before = '', size, after] = CHUNK_SIZE.exec(line) ?? [];
    if (size === undefined)
      throw invalidResponse(`the size of a chunk is not a number: ${JSON.stringify(line.slice(0, 40))}`);
    if (before !== '' || after !== '') this.#note('there are spaces around the size of a chunk');
    this.#remaining = Number.parseInt(size, 16);
    this.#state = this.#remaining === 0 ? 'trailers' : 'chunk';
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
    this.#body.add(piece);
    this.bodyBytes += piece.length;
    this.#remaining -= piece.length;
    this.#chunks++;
    if (this.bodyBytes > MAX_BODY) {
      this.isCut = true;
      this.#state = 'complete';
    } else if (this.#chunks > MAX_CHUNKS)
      throw this.#unusable(`with a body in more than ${MAX_CHUNKS} chunks`);
    else if (this.#remaining === 0) this.#state = this.#state === 'chunk' ? 'chunk end' : 'complete';
    return end;
  }
}
