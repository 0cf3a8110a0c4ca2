/** The words of the DNS runner: the check it runs and what it learns on the way. */
import type { DNS_PROTOCOLS, DNS_RECORD_TYPES } from '../../contract/enumerations.ts';
import type { Assertion } from '../assertions/types.ts';

/** The record types a check may ask for. */
export type RecordType = (typeof DNS_RECORD_TYPES)[number];

export type Protocol = (typeof DNS_PROTOCOLS)[number];

/** What the runner needs of a DNS check. */
export interface DnsCheck {
  readonly request: {
    readonly query: string;
    /** Default A. */
    readonly recordType?: RecordType;
    /** Default UDP. */
    readonly protocol?: Protocol;
    /** A host name or an address; absent means the location's resolvers. */
    readonly nameServer?: string | null;
    /** Default 53. */
    readonly port?: number | null;
    readonly assertions?: readonly Assertion[] | null;
  };
  /** Milliseconds; null means no such limit. */
  readonly degradedResponseTime?: number | null;
  /** Milliseconds; null means no such limit. */
  readonly maxResponseTime?: number | null;
  /** Turns pass and fail around. Default false. */
  readonly shouldFail?: boolean;
}

/** One address to ask. */
export interface Server {
  readonly address: string;
  readonly port: number;
}

/** Why no answer came. */
export type NoAnswerReason = 'timeout' | 'refused' | 'unreachable' | 'closed' | 'malformed' | 'lookup';

/** The network, not an answer, ended the exchange. It is the target's failure, never an error of the monitor. */
export class NoAnswer extends Error {
  readonly reason: NoAnswerReason;

  constructor(reason: NoAnswerReason, message: string) {
    super(message);
    this.name = 'NoAnswer';
    this.reason = reason;
  }
}
