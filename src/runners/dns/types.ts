/** Defines DNS checks and the failures of their queries. */
import type { DNS_PROTOCOLS, DNS_RECORD_TYPES } from '../../contract/enumerations.ts';
import type { Assertion } from '../core/assertion.ts';

/** The record types that a check may query. */
export type RecordType = (typeof DNS_RECORD_TYPES)[number];

export type Protocol = (typeof DNS_PROTOCOLS)[number];

/** The settings of a DNS check that the runner needs. */
export interface DnsCheck {
  readonly request: {
    readonly query: string;
    /** Default A. */
    readonly recordType?: RecordType;
    /** Default UDP. */
    readonly protocol?: Protocol;
    /** A host name or an address; default: the resolvers of the location. */
    readonly nameServer?: string | null;
    /** Default 53. */
    readonly port?: number | null;
    readonly assertions?: readonly Assertion[] | null;
  };
  /** Milliseconds; null disables the limit. */
  readonly degradedResponseTime?: number | null;
  /** Milliseconds; null disables the limit. */
  readonly maxResponseTime?: number | null;
  /** Inverts pass and fail. Default false. */
  readonly shouldFail?: boolean;
}

/** The address of a name server. */
export interface Server {
  readonly address: string;
  readonly port: number;
}

/** Why there was no answer. */
export type NoAnswerReason = 'timeout' | 'refused' | 'unreachable' | 'closed' | 'malformed' | 'lookup';

/** The network failed before an answer arrived. It is a failure of the target, not a monitor error. */
export class NoAnswer extends Error {
  readonly reason: NoAnswerReason;

  constructor(reason: NoAnswerReason, message: string) {
    super(message);
    this.name = 'NoAnswer';
    this.reason = reason;
  }
}
