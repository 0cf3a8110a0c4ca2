/** HTTPS servers with the certificates of `certificates.ts`. */
import { createServer, type ServerOptions } from 'node:https';
import { freePort } from '../../support/free-port.ts';
import type { CertificateName, Certificates } from './certificates.ts';
import { type Endpoint, listen } from './listen.ts';

interface TlsServer {
  /** The certificates that it presents, its own first. */
  readonly chain: readonly [CertificateName, ...CertificateName[]];
  readonly options?: ServerOptions;
  /** Clients need a certificate of this authority. */
  readonly clientsOf?: CertificateName;
}

export const tlsServers = {
  noIntermediate: { chain: ['good'] },
  byNoAuthority: { chain: ['byNoAuthority', 'good', 'intermediate'] },
  byOtherNames: { chain: ['byOtherNames', 'intermediateOfOtherNames'] },
  otherName: { chain: ['otherName', 'intermediate'] },
  loopbackAsName: { chain: ['loopbackAsName', 'intermediate'] },
  ofUnknownRootAlone: { chain: ['ofUnknownRoot'] },
  bareStar: { chain: ['bareStar', 'intermediate'] },
  partialStar: { chain: ['partialStar', 'intermediate'] },
  goodWithRoot: { chain: ['good', 'intermediate', 'root'] },
  goodTwice: { chain: ['good', 'good', 'intermediate'] },
  tls12: { chain: ['good', 'intermediate'], options: { maxVersion: 'TLSv1.2' } },
  tls13: { chain: ['good', 'intermediate'], options: { minVersion: 'TLSv1.3' } },
  notYetValid: { chain: ['notYetValid', 'intermediate'] },
  intermediateExpiresSoon: { chain: ['underExpiringIntermediate', 'intermediateExpiresSoon'] },
  intermediateExpired: { chain: ['underExpiredIntermediate', 'intermediateExpired'] },
  rootExpiresSoon: { chain: ['underExpiringRoot', 'intermediateOfShortRoot'] },
  wildcard: { chain: ['wildcard', 'intermediate'] },
  commonNameOnly: { chain: ['commonNameOnly', 'intermediate'] },
  emailOnly: { chain: ['emailOnly', 'intermediate'] },
  otherAddressOnly: { chain: ['otherAddressOnly', 'intermediate'] },
  expiresIn20Days: { chain: ['expiresIn20Days', 'intermediate'] },
  manyNames: { chain: ['manyNames', 'intermediate'] },
  good: { chain: ['good', 'intermediate'] },
  wrongOrder: { chain: ['good', 'root', 'intermediate'] },
  expired: { chain: ['expired', 'intermediate'] },
  selfSigned: { chain: ['selfSigned'] },
  ofUnknownRoot: { chain: ['ofUnknownRoot', 'rootOfClients'] },
  intermediateNotYetValid: { chain: ['underFutureIntermediate', 'intermediateNotYetValid'] },
  sendsExpiredStrangers: { chain: ['good', 'expired', 'intermediate', 'rootExpired'] },
  rootCrossSignedExpired: { chain: ['good', 'intermediate', 'rootCrossSignedExpired'] },
  rootCrossSignedExpiresSoon: { chain: ['good', 'intermediate', 'rootCrossSignedExpiresSoon'] },
  sendsOldAndNewIntermediate: {
    chain: ['underExpiredIntermediate', 'intermediateExpired', 'intermediateRenewed'],
  },
  sendsShortAndLongIntermediate: {
    chain: ['underExpiringIntermediate', 'intermediateExpiresSoon', 'intermediateExtended'],
  },
  expiresIn20DaysLess: { chain: ['expiresIn20DaysLess', 'intermediate'] },
  wildcardBelow: { chain: ['wildcardBelow', 'intermediate'] },
  partialWildcard: { chain: ['partialWildcard', 'intermediate'] },
  upperCase: { chain: ['upperCase', 'intermediate'] },
  international: { chain: ['international', 'intermediate'] },
  ipv6: { chain: ['ipv6', 'intermediate'] },
  addressAsName: { chain: ['addressAsName', 'intermediate'] },
  forClients: { chain: ['forClients', 'intermediate'] },
  tls11: {
    chain: ['good', 'intermediate'],
    options: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
  },
  finiteFieldKeys: {
    chain: ['good', 'intermediate'],
    options: { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' },
  },
  asksClientTls13: {
    chain: ['good', 'intermediate'],
    options: { minVersion: 'TLSv1.3' },
    clientsOf: 'rootOfClients',
  },
  invitesClient: {
    chain: ['good', 'intermediate'],
    options: { maxVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized: false },
  },
  asksClientTls12: {
    chain: ['good', 'intermediate'],
    options: { maxVersion: 'TLSv1.2' },
    clientsOf: 'rootOfClients',
  },
} satisfies Record<string, TlsServer>;

export async function startTlsServer(
  { chain, options, clientsOf }: TlsServer,
  certificates: Certificates,
): Promise<Endpoint> {
  const clients = clientsOf && {
    ...{ requestCert: true, rejectUnauthorized: true },
    ca: (await certificates.chain(clientsOf)).cert,
  };
  const server = createServer(
    { ...(await certificates.chain(...chain)), ...options, ...clients },
    (_, response) => response.end('hello'),
  );
  server.on('tlsClientError', () => {});
  return listen(server, await freePort());
}
