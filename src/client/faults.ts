/** What went wrong below HTTP, in words that name the place and the way out. */
import { CONNECT_TIMEOUT_MS } from './config.ts';
import type { Fault } from './exchange.ts';
import { duration } from './words.ts';

export interface FaultText {
  /** A sentence without a full stop. */
  readonly message: string;
  readonly hint?: string;
  /** It will be the same next time, so it is not tried again. */
  readonly permanent: boolean;
  /** The request cannot have reached the service. */
  readonly neverSent: boolean;
}

const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;
const BEFORE_SENDING: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be looked up just now',
  ECONNREFUSED: 'the connection was refused',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'this machine has no address to send from',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${duration(CONNECT_TIMEOUT_MS)}`,
};

const codeOf = (error: Error): string => {
  const { code, cause } = error as Error & { code?: unknown };
  if (typeof code === 'string' && !/^UND_ERR_(PRX_TLS|INVALID_ARG|ABORTED)$/.test(code)) return code;
  return cause instanceof Error ? codeOf(cause) : typeof code === 'string' ? code : '';
};

function certificateText(code: string, error: Error): string {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name';
  if (/SELF_SIGNED/.test(code))
    return 'its certificate is signed by nobody this machine trusts (self-signed)';
  if (/^UNABLE_TO_/.test(code)) return 'its certificate is signed by nobody this machine trusts';
  return `its certificate cannot be trusted (${error.message})`;
}

/** Describes a fault. `where`: the origin, and the proxy where there is one. */
export function faultText(
  { reason, error, sent }: Fault,
  where: string,
  { answerTimeoutMs, mostBytes }: { readonly answerTimeoutMs: number; readonly mostBytes: number },
): FaultText {
  const code = codeOf(error);
  const told = (why: string, more: Partial<FaultText> = {}): FaultText => ({
    message: `${where} could not be reached: ${why}`,
    permanent: false,
    neverSent: !sent,
    ...more,
  });
  if (reason === 'connect-timeout') return told(`no connection within ${duration(CONNECT_TIMEOUT_MS)}`);
  if (reason === 'answer-timeout') {
    return {
      message: `${where} gave no complete answer within ${duration(answerTimeoutMs)}`,
      hint: 'A longer time is given with --request-timeout.',
      permanent: false,
      neverSent: false,
    };
  }
  if (reason === 'too-large') {
    return {
      message: `${where} answered with more than ${mostBytes / 1024 / 1024} MiB`,
      permanent: true,
      neverSent: false,
    };
  }
  if (CERTIFICATE.test(code)) {
    return told(certificateText(code, error), {
      hint: 'A certificate authority of your own is named by NODE_EXTRA_CA_CERTS=/path/to/ca.pem.',
      permanent: true,
    });
  }
  const before = sent ? undefined : BEFORE_SENDING[code];
  if (before) return told(before);
  if (!sent && (code === 'EPROTO' || code.startsWith('ERR_SSL')))
    return told('what answers there does not speak TLS', {
      hint: 'Check whether the base URL should begin with http://.',
      permanent: true,
    });
  const status = /\((\d{3})\)/.exec(error.message)?.[1];
  if (/proxy/i.test(error.message) && status)
    return told(`the proxy answered ${status}`, {
      ...(status === '407' ? { hint: 'The proxy wants a user name and a password in its URL.' } : {}),
      permanent: status === '407',
      neverSent: true,
    });
  if (error.name === 'HTTPParserError')
    return { ...told(''), message: `What answered at ${where} is not HTTP` };
  if (sent)
    return { ...told(''), message: `The connection to ${where} broke before the answer was complete` };
  return told(
    code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' ? 'the connection was closed' : error.message,
  );
}
