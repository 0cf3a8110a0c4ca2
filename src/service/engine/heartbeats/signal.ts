/** Defines what a job reports with a ping, and reads it from the URL and the body of the request. */
import { TextDecoder } from 'node:util';
import { sanitizeBlock } from '../../../base/sanitize.ts';

/** SUCCESS ends a run, FAILURE ends it with an error, START begins one, LOG only adds to its text. */
export type SignalKind = 'SUCCESS' | 'FAILURE' | 'START' | 'LOG';

/** A report of a job, and the HTTP request that carried it. */
export interface Signal {
  readonly kind: SignalKind;
  /** The ID of the run, if runs may overlap; null: none. */
  readonly runId: string | null;
  readonly exitCode: number | null;
  /** One line that the job sent in the URL; null: none. */
  readonly message: string | null;
  /** How long the run took, in ms, if the job says it. */
  readonly durationMs: number | null;
  /** The text that the job sent in the body; empty: none. */
  readonly output: string;
  /** Whether the text was longer than `LONGEST_TEXT`. */
  readonly isCut: boolean;
  readonly method: string;
  readonly userAgent: string | null;
}

/** Maximum length of a text, in bytes of the body and in characters. */
export const LONGEST_TEXT = 10_240;
const LONGEST_MESSAGE = 1000;
const LONGEST_USER_AGENT = 200;
const LONGEST_DURATION_MS = 365 * 86_400_000;

const KIND_OF_PATH: ReadonlyMap<string, SignalKind> = new Map([
  ['', 'SUCCESS'],
  ['start', 'START'],
  ['fail', 'FAILURE'],
  ['log', 'LOG'],
]);
/** Statuses in queries, as Uptime Kuma and other services have them. Every other status is a failure. */
const KIND_OF_STATUS: ReadonlyMap<string, SignalKind> = new Map([
  ['up', 'SUCCESS'],
  ['ok', 'SUCCESS'],
  ['success', 'SUCCESS'],
  ['complete', 'SUCCESS'],
  ['start', 'START'],
  ['run', 'START'],
  ['in_progress', 'START'],
]);
const EXIT_CODE = /^-?\d{1,10}$/;
const RUN_ID = /^[\w-]{1,64}$/;

/** The parts of a request that carry a signal. */
export interface SignalRequest {
  /** The last part of the path after the token: `fail`, `start`, `log` or an exit code; empty: none. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: { readonly bytes: Uint8Array; readonly isCut: boolean } | undefined;
  readonly contentType: string | undefined;
  readonly method: string;
  readonly userAgent: string | undefined;
}

/** Reads a signal. Returns 'unknown path' or 'wrong run ID' for requests that carry none. */
export function readSignal(request: SignalRequest): Signal | 'unknown path' | 'wrong run ID' {
  const { path, body, method, userAgent } = request;
  const query = (name: string): string => request.query.getAll(name).at(-1) ?? '';
  const runId = query('rid');
  if (runId !== '' && !RUN_ID.test(runId)) return 'wrong run ID';
  const exitCode = EXIT_CODE.test(path) ? Number(path) : null;
  const ofPath = exitCode === null ? KIND_OF_PATH.get(path) : exitCode === 0 ? 'SUCCESS' : 'FAILURE';
  if (ofPath === undefined) return 'unknown path';
  const status = query('status') || query('state');
  const duration = Number.parseFloat(query('ping') || query('duration'));
  const message = sanitizeBlock(query('msg') || query('message'))
    .slice(0, LONGEST_MESSAGE)
    .trim();
  return {
    kind: worseOf(ofPath, status),
    runId: runId === '' ? null : runId,
    exitCode,
    message:
      message === ''
        ? isFailure(status)
          ? `status "${sanitizeBlock(status).slice(0, 100)}"`
          : null
        : message,
    durationMs: duration >= 0 && duration <= LONGEST_DURATION_MS ? Math.round(duration) : null,
    output: body === undefined ? '' : decodeText(body.bytes, request.contentType),
    isCut: body?.isCut ?? false,
    method,
    userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
  };
}

const kindOfStatus = (status: string): SignalKind | undefined =>
  status === '' ? undefined : (KIND_OF_STATUS.get(status.toLowerCase()) ?? 'FAILURE');
const isFailure = (status: string): boolean => kindOfStatus(status) === 'FAILURE';

/** Combines the path and the status of a query: a failure in either counts. */
function worseOf(ofPath: SignalKind, status: string): SignalKind {
  const ofStatus = kindOfStatus(status);
  if (ofStatus === undefined || ofPath === 'FAILURE') return ofPath;
  return ofStatus === 'FAILURE' || ofPath === 'SUCCESS' ? ofStatus : ofPath;
}

/** Decodes a text in the charset of its content type, by default UTF-8. Removes what could control a terminal. */
function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const [, charset = 'utf-8'] = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '') ?? [];
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    decoder = new TextDecoder();
  }
  // A character that was cut in two is left out: the decoder waits for its rest.
  const text = decoder.decode(bytes, { stream: true });
  return sanitizeBlock(text).slice(0, LONGEST_TEXT);
}

/** Returns whether a signal says more than that the job is alive. Uptime Kuma's clients send the message `OK` by default. */
export function hasDetails(signal: Signal): boolean {
  const { kind, exitCode, message, durationMs, output } = signal;
  const says = message !== null && message.toLowerCase() !== 'ok';
  return kind === 'FAILURE' || says || output.trim() !== '' || exitCode !== null || durationMs !== null;
}
