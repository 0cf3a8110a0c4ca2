/** Defines HTTP requests, answers and exchanges. */
import type { IpFamily } from '../network/addresses.ts';
import type { Endpoint, FaultData } from '../network/fault.ts';
import type { TlsFacts } from './tls.ts';

export type Header = readonly [name: string, value: string];

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** Path and query as they were typed, in characters that a request line can contain. */
  readonly target: string;
  readonly headers: readonly Header[];
  /** Lower-case names of headers whose values are secret. */
  readonly lockedHeaders?: readonly string[];
  readonly body?: Buffer | undefined;
  /** Default: IPv4 first. */
  readonly ipFamily?: IpFamily | undefined;
  readonly skipSsl?: boolean | undefined;
  readonly followRedirects?: boolean | undefined;
  /** False if nothing reads the body, so that a stream ends with its headers. Default true. */
  readonly needsBody?: boolean | undefined;
}

/** A request as a result shows it: its URL has no user and password. */
export interface SentRequest extends Omit<HttpRequest, 'url' | 'target' | 'lockedHeaders' | 'body'> {
  readonly url: string;
}

/** Milliseconds, with decimals; null for a skipped phase. */
export interface Phases {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From the last byte of the request to the headers of the answer. */
  readonly firstByte: number | null;
  readonly download: number | null;
  readonly total: number;
}

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  /** `1.1` */
  readonly httpVersion: string;
  readonly headers: readonly Header[];
  /** At most MAX_BODY bytes. */
  readonly body: Buffer;
  /** The length of `body`. */
  readonly bytes: number;
  /** Why `body` is not the whole body, as a sentence without a full stop; undefined if it is. */
  readonly incomplete?: string | undefined;
}

/** One request and its answer or redirect. */
export interface Hop {
  readonly url: string;
  readonly method: string;
  readonly status: number | null;
  /** The connected or last tried address; null without one or with a proxy. */
  readonly address: string | null;
  readonly proxy: string | null;
  readonly tls: TlsFacts | null;
  readonly phases: Phases;
  readonly notes: readonly string[];
}

/** The outcome of a request with its redirects. */
export interface HttpExchange<Answered = Answer> {
  /** In order; the last one was answered or failed. */
  readonly hops: readonly Hop[];
  readonly answer: Answered | undefined;
  readonly fault: FaultData | undefined;
  /** True if the answer redirects without a Location, although redirects are followed. */
  readonly lacksLocation: boolean;
  /** The endpoint of the last hop; undefined without an address or with a proxy. */
  readonly endpoint: Endpoint | undefined;
  /** Milliseconds over all hops. */
  readonly totalMs: number;
}
