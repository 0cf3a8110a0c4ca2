/** What goes wrong between this machine and a target: whose fault it is, and how it is said. */

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

/** What a verdict needs to know of a fault. */
export type FaultData = Pick<TargetFault, 'reason' | 'code' | 'isNetwork' | 'message'>;

/** The target, or the network on the way to it, ended the exchange: never an error of the monitor. */
export class TargetFault extends Error {
  readonly reason: FaultReason;
  /** The system's name of it (`ECONNREFUSED`), where it has one. */
  readonly code: string | null;
  /** Where it was tried last; undefined: there was no address. */
  lastEndpoint: Endpoint | undefined;

  constructor(reason: FaultReason, message: string, code: string | null = null) {
    super(message);
    this.name = 'TargetFault';
    this.reason = reason;
    this.code = code;
  }

  /** True where no answer came at all: what an answer brings (a certificate, garbage, a redirect) is no fault of the network. */
  get isNetwork(): boolean {
    return this.reason !== 'tls' && this.reason !== 'malformed' && this.reason !== 'redirect';
  }

  /** The fault as plain data, which can be sent to another process. */
  get data(): FaultData {
    const { reason, code, isNetwork, message } = this;
    return { reason, code, isNetwork, message };
  }
}

/** What this machine ran out of, or forbids itself: no word about the target. */
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

/** The fault that a socket's error means at `name` (`192.0.2.1:443`); the error itself where it is this machine's own. */
export function toTargetFault(error: Error, name: string): Error {
  if (error instanceof TargetFault) return error;
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

/** `192.0.2.1:443`, `[2001:db8::1]:443`. */
export function formatEndpoint(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
