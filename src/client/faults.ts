/** What went wrong below HTTP, in words that name the place and the way out. */
import { isLoopback } from './address.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { plainLine } from './error-body.ts';
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
  /** This machine itself said that nothing listens there. */
  readonly noListener?: boolean;
}

const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;
const BEFORE_SENDING: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be looked up just now',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'this machine has no address to send from',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${duration(CONNECT_TIMEOUT_MS)}`,
};

const OWN_AUTHORITY =
  'a certificate authority of your own is named by NODE_EXTRA_CA_CERTS=/path/to/ca.pem (a file in PEM form, read when sonde starts)';
const WHERE_FROM = '"sonde profiles show" says where the base URL comes from';

/** Where a request was to go. */
export interface Destination {
  readonly origin: string;
  /** The proxy's host and port; undefined where none is used. */
  readonly proxy: string | undefined;
  /** The command that starts the service, where that is known. */
  readonly startCommand?: string | undefined;
}

/** `http://api.example`, `http://api.example (through the proxy 10.0.0.1:3128)`. */
export const whereText = ({ origin, proxy }: Destination): string =>
  proxy ? `${origin} (through the proxy ${proxy})` : origin;

const codeOf = (error: Error): string => {
  const { code, cause } = error as Error & { code?: unknown };
  if (typeof code === 'string' && !/^UND_ERR_(PRX_TLS|INVALID_ARG|ABORTED)$/.test(code)) return code;
  return cause instanceof Error ? codeOf(cause) : typeof code === 'string' ? code : '';
};

/** Why a certificate is not trusted, and what helps. */
function certificateText(code: string, error: Error): { readonly why: string; readonly hint: string } {
  if (code === 'CERT_HAS_EXPIRED')
    return {
      why: 'its certificate has expired',
      hint: 'whoever runs the service must renew it\nwhere it is new, look at the clock of this machine',
    };
  if (code === 'CERT_NOT_YET_VALID')
    return { why: 'its certificate is not valid yet', hint: 'look at the clock of this machine' };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      why: `its certificate is for another name${namesIn(error)}`,
      hint: `use the name that the certificate has as the base URL\n${WHERE_FROM}`,
    };
  if (/SELF_SIGNED/.test(code))
    return {
      why: 'its certificate is signed by nobody this machine trusts (self-signed)',
      hint: OWN_AUTHORITY,
    };
  if (/^UNABLE_TO_/.test(code))
    return { why: 'its certificate is signed by nobody this machine trusts', hint: OWN_AUTHORITY };
  return {
    why: `its certificate cannot be trusted (${plainLine(error.message, 200) ?? code})`,
    hint: OWN_AUTHORITY,
  };
}

/** ` (api.example, *.example)`: the names that a certificate has, as far as they are told. */
function namesIn(error: Error): string {
  const { cert, cause } = error as Error & { readonly cert?: { readonly subjectaltname?: unknown } };
  if (!cert) return cause instanceof Error ? namesIn(cause) : '';
  const names = plainLine(String(cert.subjectaltname ?? '').replaceAll(/\b(?:DNS|IP Address):/g, ''), 200);
  return names ? ` (${names})` : '';
}

/** What helps where no connection came about. */
function connectionHint(code: string, { origin, proxy, startCommand }: Destination): string | undefined {
  if (proxy) {
    const variable = origin.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    return `${variable} names the proxy; NO_PROXY names the hosts that are reached without`;
  }
  const { hostname, port } = new URL(origin);
  if (code === 'ECONNREFUSED' && isLoopback(hostname)) {
    const start = startCommand ?? (port === DEFAULT_PORT ? 'sonde service start' : undefined);
    return start === undefined
      ? `nothing listens there: does the service run, and on this port?\n${WHERE_FROM}`
      : `start it with: ${start}`;
  }
  if (code === 'ECONNREFUSED') return `check the port, and that the service runs\n${WHERE_FROM}`;
  if (code === 'ENOTFOUND') return `check the spelling of the base URL\n${WHERE_FROM}`;
  if (code === 'EAI_AGAIN') return 'check the network and its name servers';
  return 'check the network: a VPN or a proxy (HTTPS_PROXY) may be needed to get there';
}

/** The port that the embedded service listens on where none is said. */
const DEFAULT_PORT = '4100';

/** A handshake that broke, in the words of OpenSSL: `tlsv1 alert protocol version`. */
const handshakeReason = (error: Error): string =>
  plainLine(/:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1] ?? error.message, 200) ??
  'no reason was given';

/** Describes a fault. */
export function faultText(
  { reason, error, sent }: Fault,
  destination: Destination,
  { answerTimeoutMs, mostBytes }: { readonly answerTimeoutMs: number; readonly mostBytes: number },
): FaultText {
  const code = codeOf(error);
  const where = whereText(destination);
  const told = (why: string, more: Partial<FaultText> = {}): FaultText => ({
    message: `${where} could not be reached: ${why}`,
    permanent: false,
    neverSent: !sent,
    ...more,
  });
  const unconnected = (why: string): FaultText => {
    const hint = connectionHint(code, destination);
    const { origin, proxy } = destination;
    // Only the proxy itself was tried.
    const message = `The proxy ${proxy} could not be reached for ${origin}: ${why}`;
    const noListener = code === 'ECONNREFUSED' && !proxy && isLoopback(new URL(origin).hostname);
    return told(why, { noListener, ...(hint ? { hint } : {}), ...(proxy ? { message } : {}) });
  };
  if (reason === 'connect-timeout') {
    // A proxy may have been reached, and have stayed silent.
    const hint = connectionHint(code, destination);
    return told(`no connection within ${duration(CONNECT_TIMEOUT_MS)}`, hint ? { hint } : {});
  }
  if (reason === 'answer-timeout') {
    return {
      message: `${where} gave no complete answer within ${duration(answerTimeoutMs)}`,
      hint: 'a longer time is given with --request-timeout',
      permanent: false,
      neverSent: false,
    };
  }
  if (reason === 'too-large') {
    return {
      message: `${where} answered with more than ${mostBytes / 1024 / 1024} MiB`,
      hint: 'ask for less at once, such as a smaller --limit',
      permanent: true,
      neverSent: false,
    };
  }
  if (CERTIFICATE.test(code)) {
    const { why, hint } = certificateText(code, error);
    return told(why, { hint, permanent: true });
  }
  const before = sent ? undefined : BEFORE_SENDING[code];
  if (before) return unconnected(before);
  if (!sent && (code === 'EPROTO' || code.startsWith('ERR_SSL'))) {
    if (
      /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code) ||
      /wrong version number|packet length too long|http request/i.test(error.message)
    )
      return told('what answers there does not speak TLS', {
        hint: `check whether the base URL should begin with http://\n${WHERE_FROM}`,
        permanent: true,
      });
    return told(`no TLS connection came about (${handshakeReason(error)})`, {
      hint: 'the two sides share no version or cipher of TLS, or the service wants a certificate of its clients',
      permanent: true,
    });
  }
  const status = /\((\d{3})\)/.exec(error.message)?.[1];
  if (/proxy/i.test(error.message) && status) return proxyText(status, told);
  if (error.name === 'HTTPParserError')
    return {
      ...told(''),
      message: `What answered at ${where} is not HTTP`,
      hint: `check the port, and whether the base URL should begin with https://\n${WHERE_FROM}`,
    };
  if (sent)
    return { ...told(''), message: `The connection to ${where} broke before the answer was complete` };
  return told(
    code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'
      ? 'the connection was closed'
      : (plainLine(error.message, 500) ?? 'for a reason that nobody told'),
  );
}

/** A proxy that opens no tunnel. */
function proxyText(status: string, told: (why: string, more: Partial<FaultText>) => FaultText): FaultText {
  const hints: Readonly<Record<string, string>> = {
    '403': 'the proxy does not allow this host; NO_PROXY names hosts that are reached without it',
    '407':
      'the proxy wants a user name and a password in its URL: HTTPS_PROXY=http://user:password@host:port',
  };
  const hint =
    hints[status] ?? 'the proxy could not reach the host: check the base URL, or ask who runs the proxy';
  return told(`the proxy answered ${status}`, { hint, permanent: status === '407', neverSent: true });
}
