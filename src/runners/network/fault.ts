/** Classifies network faults: whether the target or this machine caused them, and their messages. */

import { explainTlsCode, tlsCodeOf } from './tls-errors.ts';

/** Why there was no usable answer. */
export type FaultReason =
  | 'lookup'
  | 'refused'
  | 'unreachable'
  | 'closed'
  | 'timeout'
  | 'tls'
  | 'malformed'
  | 'redirect';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The data of a fault that an evaluation needs. */
export type FaultData = Pick<TargetFault, 'reason' | 'code' | 'isNetwork' | 'message'>;

/** The target, or the network on the way to it, failed. It is never a monitor error. */
export class TargetFault extends Error {
  readonly reason: FaultReason;
  /** The system's code (`ECONNREFUSED`), if there is one. */
  readonly code: string | null;
  /** The endpoint that was tried last; undefined without an address. */
  lastEndpoint: Endpoint | undefined;

  constructor(reason: FaultReason, message: string, code: string | null = null) {
    super(message);
    this.name = 'TargetFault';
    this.reason = reason;
    this.code = code;
  }

  /** Returns whether no answer arrived: a bad certificate, a malformed answer or a redirect is not a network fault. */
  get isNetwork(): boolean {
    return this.reason !== 'tls' && this.reason !== 'malformed' && this.reason !== 'redirect';
  }

  /** Returns the fault as data for another process. */
  get data(): FaultData {
    const { reason, code, isNetwork, message } = this;
    return { reason, code, isNetwork, message };
  }
}

/** Resources or permissions that this machine lacks, which say nothing about the target. */
const LOCAL_ERROR_CODES: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EACCES',
  'EPERM',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
]);

const CLOSED_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Converts a socket error at `name` (`192.0.2.1:443`) to a fault; returns errors of this machine unchanged. */
export function toTargetFault(error: Error, name: string): Error {
  if (error instanceof TargetFault) return error;
  const tlsCode = tlsCodeOf(error);
  if (tlsCode !== undefined)
    return new TargetFault(
      'tls',
      `the TLS connection to ${name} failed: ${explainTlsCode(tlsCode)}`,
      tlsCode,
    );
  const code = errorCode(error);
  if (LOCAL_ERROR_CODES.has(code)) return error;
  if (code === 'ECONNREFUSED') {
    return new TargetFault('refused', `connection to ${name} refused: ECONNREFUSED`, code);
  }
  if (CLOSED_CODES.has(code))
    return new TargetFault('closed', `${name} closed the connection: ${code}`, code);
  if (code === 'ETIMEDOUT') return new TargetFault('timeout', `${name} does not respond: ETIMEDOUT`, code);
  return new TargetFault('unreachable', `${name} cannot be reached: ${code || error.message}`, code || null);
}

/** Returns `192.0.2.1:443` or `[2001:db8::1]:443`. */
export function formatEndpoint(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
