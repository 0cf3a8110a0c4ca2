/** Describes connection faults with their location and a hint. */

import { formatLongDuration } from '../base/format-duration.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { plainLine } from './error-body.ts';
import type { Fault } from './exchange.ts';
import { isLoopbackHostname } from './url.ts';

export interface FaultDescription {
  /** A sentence without a full stop. */
  readonly message: string;
  readonly hint?: string;
  /** The fault is permanent, so the request is not retried. */
  readonly permanent: boolean;
  /** The request cannot have reached the service. */
  readonly neverSent: boolean;
  /** This machine reported that no process listens on the port. */
  readonly noListener?: boolean;
}

const CERTIFICATE_CODES =
  /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;
const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'temporary DNS failure',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'this machine has no source address',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${formatLongDuration(CONNECT_TIMEOUT_MS)}`,
};

const AUTHORITY_HINT = 'to trust another certificate authority, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem';
const BASE_URL_HINT = 'to see the source of the base URL, run: sonde profiles show';

/** The target of a request. */
export interface Destination {
  readonly origin: string;
  /** The host and port of the proxy, if one is used. */
  readonly proxy: string | undefined;
  /** The command that starts the service, if it is known. */
  readonly startCommand?: string | undefined;
}

/** Returns `http://api.example` or `http://api.example (through the proxy 10.0.0.1:3128)`. */
export const formatDestination = ({ origin, proxy }: Destination): string =>
  proxy ? `${origin} (through the proxy ${proxy})` : origin;

const errorCode = (error: Error): string => {
  const { code, cause } = error as Error & { code?: unknown };
  if (typeof code === 'string' && !/^UND_ERR_(PRX_TLS|INVALID_ARG|ABORTED)$/.test(code)) return code;
  return cause instanceof Error ? errorCode(cause) : typeof code === 'string' ? code : '';
};

/** Describes why a certificate is not trusted, with a hint. */
function describeCertificate(code: string, error: Error): { readonly why: string; readonly hint: string } {
  if (code === 'CERT_HAS_EXPIRED')
    return {
      why: 'its certificate has expired',
      hint: 'the operator of the service must renew the certificate\nif the certificate is new, check the clock of this machine',
    };
  if (code === 'CERT_NOT_YET_VALID')
    return { why: 'its certificate is not valid yet', hint: 'check the clock of this machine' };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      why: `its certificate is for another name${certificateNames(error)}`,
      hint: `use a base URL with a host name of the certificate\n${BASE_URL_HINT}`,
    };
  if (/SELF_SIGNED/.test(code))
    return {
      why: 'its certificate is self-signed, and this machine does not trust it',
      hint: AUTHORITY_HINT,
    };
  if (/^UNABLE_TO_/.test(code))
    return { why: 'this machine does not trust the issuer of its certificate', hint: AUTHORITY_HINT };
  return {
    why: `its certificate is not trusted (${plainLine(error.message, 200) ?? code})`,
    hint: AUTHORITY_HINT,
  };
}

/** Returns the names of a certificate, if known: ` (api.example, *.example)`. */
function certificateNames(error: Error): string {
  const { cert, cause } = error as Error & { readonly cert?: { readonly subjectaltname?: unknown } };
  if (!cert) return cause instanceof Error ? certificateNames(cause) : '';
  const names = plainLine(String(cert.subjectaltname ?? '').replaceAll(/\b(?:DNS|IP Address):/g, ''), 200);
  return names ? ` (${names})` : '';
}

/** Returns a hint for a failed connection. */
function connectionHint(code: string, { origin, proxy, startCommand }: Destination): string | undefined {
  if (proxy) {
    const variable = origin.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    return `check ${variable}; to bypass the proxy for a host, set NO_PROXY`;
  }
  const { hostname, port } = new URL(origin);
  if (code === 'ECONNREFUSED' && isLoopbackHostname(hostname)) {
    const start = startCommand ?? (port === DEFAULT_PORT ? 'sonde service start' : undefined);
    return start === undefined
      ? `check that the service is running on this port\n${BASE_URL_HINT}`
      : `to start the service, run: ${start}`;
  }
  if (code === 'ECONNREFUSED') return `check the port and that the service is running\n${BASE_URL_HINT}`;
  if (code === 'ENOTFOUND') return `check the spelling of the base URL\n${BASE_URL_HINT}`;
  if (code === 'EAI_AGAIN') return 'check the network and its DNS servers';
  return 'check the network: the host may require a VPN or a proxy (HTTPS_PROXY)';
}

/** The default port of the embedded service. */
const DEFAULT_PORT = '4100';

/** Returns OpenSSL's reason for a failed handshake: `tlsv1 alert protocol version`. */
const handshakeReason = (error: Error): string =>
  plainLine(/:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1] ?? error.message, 200) ??
  'no reason given';

export function describeFault(
  { reason, error, sent }: Fault,
  destination: Destination,
  { answerTimeoutMs, maxBytes }: { readonly answerTimeoutMs: number; readonly maxBytes: number },
): FaultDescription {
  const code = errorCode(error);
  const destinationLabel = formatDestination(destination);
  const cannotConnect = (why: string, more: Partial<FaultDescription> = {}): FaultDescription => ({
    message: `cannot connect to ${destinationLabel}: ${why}`,
    permanent: false,
    neverSent: !sent,
    ...more,
  });
  const connectionFailed = (why: string): FaultDescription => {
    const hint = connectionHint(code, destination);
    const { origin, proxy } = destination;
    // Only the connection to the proxy was attempted.
    const message = `cannot connect to the proxy ${proxy} for ${origin}: ${why}`;
    const noListener = code === 'ECONNREFUSED' && !proxy && isLoopbackHostname(new URL(origin).hostname);
    return cannotConnect(why, { noListener, ...(hint ? { hint } : {}), ...(proxy ? { message } : {}) });
  };
  if (reason === 'connect-timeout') {
    // The proxy may have been reached but did not respond.
    const hint = connectionHint(code, destination);
    return cannotConnect(
      `no connection within ${formatLongDuration(CONNECT_TIMEOUT_MS)}`,
      hint ? { hint } : {},
    );
  }
  if (reason === 'answer-timeout') {
    return {
      message: `${destinationLabel} did not respond completely within ${formatLongDuration(answerTimeoutMs)}`,
      hint: 'to wait longer, pass --request-timeout',
      permanent: false,
      neverSent: false,
    };
  }
  if (reason === 'too-large') {
    return {
      message: `${destinationLabel} responded with more than ${maxBytes / 1024 / 1024} MiB`,
      hint: 'request less at once, for example with a smaller --limit',
      permanent: true,
      neverSent: false,
    };
  }
  if (CERTIFICATE_CODES.test(code)) {
    const { why, hint } = describeCertificate(code, error);
    return cannotConnect(why, { hint, permanent: true });
  }
  const connectionError = sent ? undefined : CONNECTION_ERRORS[code];
  if (connectionError) return connectionFailed(connectionError);
  if (!sent && (code === 'EPROTO' || code.startsWith('ERR_SSL'))) {
    if (
      /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code) ||
      /wrong version number|packet length too long|http request/i.test(error.message)
    )
      return cannotConnect('the server does not use TLS', {
        hint: `check whether the base URL should begin with http://\n${BASE_URL_HINT}`,
        permanent: true,
      });
    return cannotConnect(`TLS handshake failed (${handshakeReason(error)})`, {
      hint: 'there is no common TLS version or cipher, or the service requires a client certificate',
      permanent: true,
    });
  }
  const status = /\((\d{3})\)/.exec(error.message)?.[1];
  if (/proxy/i.test(error.message) && status) return describeProxyFault(status, cannotConnect);
  if (error.name === 'HTTPParserError')
    return {
      ...cannotConnect(''),
      message: `the response from ${destinationLabel} is not HTTP`,
      hint: `check the port and whether the base URL should begin with https://\n${BASE_URL_HINT}`,
    };
  if (sent)
    return {
      ...cannotConnect(''),
      message: `the connection to ${destinationLabel} closed before the response was complete`,
    };
  return cannotConnect(
    code === 'ECONNRESET' || code === 'UND_ERR_SOCKET'
      ? 'the connection was closed'
      : (plainLine(error.message, 500) ?? 'for an unknown reason'),
  );
}

/** Describes a proxy that refused to open a tunnel. */
function describeProxyFault(
  status: string,
  cannotConnect: (why: string, more: Partial<FaultDescription>) => FaultDescription,
): FaultDescription {
  const hints: Readonly<Record<string, string>> = {
    '403': 'the proxy does not allow this host; to bypass the proxy for it, set NO_PROXY',
    '407': 'the proxy requires a user name and a password: HTTPS_PROXY=http://user:password@host:port',
  };
  const hint =
    hints[status] ?? 'the proxy cannot reach the host: check the base URL, or ask the operator of the proxy';
  return cannotConnect(`the proxy responded with ${status}`, {
    hint,
    permanent: status === '407',
    neverSent: true,
  });
}
