/** The words of HTTP checks: what is sent, what came back, and how it came. */
import type { IpFamily } from '../network/addresses.ts';
import type { Endpoint, FaultData } from '../network/fault.ts';
import type { TlsFacts } from './tls.ts';

export type Header = readonly [name: string, value: string];

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** Left out: IPv4 first. */
  readonly ipFamily?: IpFamily | undefined;
  readonly skipSsl?: boolean | undefined;
  readonly followRedirects?: boolean | undefined;
}

/** A request as a result shows it: the address without user and password. */
export interface SentRequest extends Omit<HttpRequest, 'url' | 'body'> {
  readonly url: string;
}

/** Milliseconds, with decimals; null for a phase that was not gone through. */
export interface Phases {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From the request's last byte to the answer's head. */
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
  /** At most MOST_BODY bytes. */
  readonly body: Buffer;
  /** The length of `body`. */
  readonly bytes: number;
  /** True where there was more of it, which was not read. */
  readonly isCut: boolean;
}

/** One request on its way to an answer or a redirection. */
export interface Hop {
  readonly url: string;
  readonly method: string;
  readonly status: number | null;
  /** The one that was connected to, or tried last; null where there is none, or a proxy connected. */
  readonly address: string | null;
  readonly proxy: string | null;
  readonly tls: TlsFacts | null;
  readonly phases: Phases;
  readonly notes: readonly string[];
}

/** What became of a request, redirects and all. */
export interface HttpExchange<Answered = Answer> {
  /** In their order; the last is the one that was answered, or failed. */
  readonly hops: readonly Hop[];
  readonly answer: Answered | undefined;
  readonly fault: FaultData | undefined;
  /** Where the last hop went; undefined where it had no address, or went through a proxy. */
  readonly endpoint: Endpoint | undefined;
  /** Milliseconds over all hops. */
  readonly totalMs: number;
}
