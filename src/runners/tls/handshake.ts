/** Completes a TLS handshake that accepts any certificate, and returns what the server presented. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, {
  type ConnectionOptions,
  connect,
  createSecureContext,
  DEFAULT_CIPHERS,
  type DetailedPeerCertificate,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { systemClock } from '../../base/clock.ts';
import { formatLongDuration } from '../../base/format-duration.ts';
import type { RunContext } from '../core/runner.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { errorCode, TargetFault } from '../network/fault.ts';
import { explainTlsCode, meansMissingCertificate, refusalCodeOf, tlsCodeOf } from '../network/tls-errors.ts';
import { isValidAt } from './certificate.ts';
import { normalizeServerName } from './names.ts';
import type { FindTrustedIssuer } from './path.ts';

/** The certificates and the parameters that a server presented in a handshake. */
export interface Presented {
  /** In the order of the server, its own first; empty if it presented none. */
  readonly certificates: readonly X509Certificate[];
  /** The code of the reason why OpenSSL refuses the chain; null if it is trusted. The name is not considered. */
  readonly refusal: string | null;
  /** `TLSv1.3` */
  readonly protocol: string | null;
  readonly cipher: { readonly name: string; readonly standardName: string } | null;
  /** The OCSP response that the server stapled; null if it sent none, or if the handshake did not ask for one. */
  readonly staple: Buffer | null;
  readonly findTrustedIssuer: FindTrustedIssuer;
}

export interface Handshake {
  readonly socket: TLSSocket;
  readonly presented: Presented;
}

/** Options of Node, whose types lack the last. */
export interface HandshakeOptions extends ConnectionOptions {
  /** Asks the server for a stapled OCSP response. */
  readonly requestOCSP?: boolean;
}

/** The handshake failed. */
export class HandshakeFault extends TargetFault {
  /** Set if the server presented its certificate, then ended the handshake because it requires one of the client. */
  readonly presented: Presented | undefined;

  constructor(reason: 'closed' | 'tls', message: string, code: string | null, presented?: Presented) {
    super(reason, message, code);
    this.presented = presented;
  }
}

/**
 * Without keys of finite fields, because the server chooses their size: one of 9,984 bits costs 0.6 s of this thread.
 * Browsers do not offer them either.
 */
export const OFFERED_CIPHERS = `${DEFAULT_CIPHERS}:!DHE`;
/** More certificates are not examined. */
const MAX_SENT = 50;
/** The key log of TLS 1.2 has this line: the client has examined the certificate, and answers. */
const TLS_1_2_SECRET = /^CLIENT_RANDOM /;

/**
 * Completes a handshake that accepts any certificate; `host` is sent as the server name. Throws TargetFault if it fails.
 * Whether the chain is trusted and the name matches is for the caller to decide.
 */
export function shakeHands(
  socket: Duplex,
  host: string,
  { ca, ...options }: HandshakeOptions,
  { ca: trusted = [] }: Pick<RunContext, 'ca'>,
  deadline: Deadline,
): Promise<Handshake> {
  const timeoutError = () =>
    new TargetFault(
      'timeout',
      `${host} did not answer the TLS handshake within ${formatLongDuration(deadline.timeoutMs)}`,
      'ETIMEDOUT',
    );
  const additional = [...trusted, ...(ca ? [ca].flat() : [])];
  const { cert, key, ...rest } = options;
  const isUsual = cert === undefined && key === undefined && additional.length === 0;
  const { secureContext, findTrustedIssuer } = isUsual
    ? getUsualTrust()
    : createTrust(
        {
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
        },
        additional.length === 0 ? {} : { ca: [...defaultAuthorities(), ...additional] },
      );
  return withTimeout<Handshake>(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    const name = normalizeServerName(host);
    const connecting = connect({
      socket,
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      ...rest,
      secureContext,
      ...(isIP(name) === 0 ? { servername: name } : { host: name }),
    });
    // Node would decode the whole chain for `checkServerIdentity`, which ignores it.
    connecting.getPeerCertificate = () => NO_CERTIFICATE;
    let staple: Buffer | null = null;
    if (rest.requestOCSP)
      connecting.once('OCSPResponse', (response: Buffer | null) => {
        staple = response;
      });
    let early: Presented | undefined;
    const read = () => readPresented(connecting, findTrustedIssuer, staple);
    connecting.on('keylog', (line) => {
      if (TLS_1_2_SECRET.test(line.toString('latin1'))) early = read();
    });
    const onError = (error: Error) =>
      settle.fail(toHandshakeFault(error, host, cert === undefined ? early : undefined));
    connecting.once('error', onError);
    connecting.once('secureConnect', () => {
      connecting.off('error', onError);
      connecting.on('error', () => {});
      settle.succeed({ socket: connecting, presented: early ?? read() });
    });
    return () => {
      connecting.on('error', () => {});
      connecting.destroy();
    };
  });
}

/** The context of connections, and a lookup in its trust store. */
interface Trust {
  readonly secureContext: SecureContext;
  readonly findTrustedIssuer: FindTrustedIssuer;
}

function createTrust(
  client: Pick<SecureContextOptions, 'cert' | 'key'>,
  authorities: Pick<SecureContextOptions, 'ca'>,
): Trust {
  const secureContext = createSecureContext({ ciphers: OFFERED_CIPHERS, ...client, ...authorities });
  return { secureContext, findTrustedIssuer: createIssuerLookup(authorities) };
}

let usualTrust: Trust | undefined;
/**
 * Returns what connections without a client certificate and without additional authorities share: a context and the lookups of
 * a chain cost a fifth of a check.
 */
function getUsualTrust(): Trust {
  if (usualTrust === undefined) {
    const { secureContext, findTrustedIssuer } = createTrust({}, {});
    usualTrust = { secureContext, findTrustedIssuer: cacheIssuers(findTrustedIssuer) };
  }
  return usualTrust;
}

/** Maximum number of certificates whose issuers are cached. */
const MAX_CACHED = 1000;

/** Caches issuers while they are valid: of several issuers, OpenSSL finds one that is valid now. */
export function cacheIssuers(find: FindTrustedIssuer): FindTrustedIssuer {
  const issuers = new Map<string, X509Certificate | undefined>();
  return (certificate) => {
    const key = certificate.fingerprint256;
    const cached = issuers.get(key);
    const isCurrent = cached === undefined ? issuers.has(key) : isValidAt(cached, systemClock.now());
    if (isCurrent) return cached;
    if (issuers.size >= MAX_CACHED) issuers.clear();
    const found = find(certificate);
    issuers.set(key, found);
    return found;
  };
}

const NO_CERTIFICATE = {} as PeerCertificate & DetailedPeerCertificate;

/** Returns the authorities that Node trusts. Versions before 22.15 cannot name those of NODE_EXTRA_CA_CERTS. */
const defaultAuthorities = (): readonly string[] =>
  (tls as { readonly getCACertificates?: (type: 'default') => readonly string[] }).getCACertificates?.(
    'default',
  ) ?? rootCertificates;

/**
 * Reads what the server presented, once for each handshake: Node removes the certificates from the connection. Its
 * result of the verification has no public name.
 */
function readPresented(
  socket: TLSSocket,
  findTrustedIssuer: FindTrustedIssuer,
  staple: Buffer | null,
): Presented {
  const certificates: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  for (; next !== undefined && certificates.length < MAX_SENT; next = next.issuerCertificate)
    certificates.push(next);
  const { _handle: handle } = socket as TLSSocket & {
    readonly _handle: { verifyError(): NodeJS.ErrnoException | null | undefined };
  };
  const refusal = handle.verifyError();
  return {
    certificates,
    refusal: refusal ? refusalCodeOf(refusal) : null,
    protocol: socket.getProtocol(),
    cipher: socket.getCipher() ?? null,
    staple,
    findTrustedIssuer,
  };
}

/** Looks for issuers in a trust store. It changes its contexts, so no connection may use them. */
function createIssuerLookup(authorities: Pick<SecureContextOptions, 'ca'>): FindTrustedIssuer {
  let strict: SecureContext | undefined;
  let lenient: SecureContext | undefined;
  const find = ({ context }: SecureContext, certificate: X509Certificate) => {
    context.setCert(certificate.toString());
    const issuer: Buffer | null = context.getIssuer();
    return issuer ? new X509Certificate(issuer) : undefined;
  };
  return (certificate) => {
    try {
      strict ??= createSecureContext({ ciphers: OFFERED_CIPHERS, ...authorities });
      return find(strict, certificate);
    } catch {
      // OpenSSL refuses a certificate with a weak signature or key, unless its security level is 0.
      lenient ??= createSecureContext({ ciphers: `${OFFERED_CIPHERS}:@SECLEVEL=0`, ...authorities });
      return find(lenient, certificate);
    }
  };
}

function toHandshakeFault(error: Error, host: string, presented: Presented | undefined): HandshakeFault {
  const tlsCode = tlsCodeOf(error);
  const code = tlsCode ?? errorCode(error);
  if (tlsCode === undefined && (code === 'ECONNRESET' || code === 'EPIPE'))
    return new HandshakeFault(
      'closed',
      `${host} closed the connection during the TLS handshake: check that it speaks TLS on this port, and has a certificate for this name`,
      code,
    );
  if (presented !== undefined && meansMissingCertificate(code))
    return new HandshakeFault('tls', `${host} requires a client certificate`, code, presented);
  return new HandshakeFault(
    'tls',
    `the TLS handshake with ${host} failed: ${explainTlsCode(code)}`,
    code || null,
  );
}
