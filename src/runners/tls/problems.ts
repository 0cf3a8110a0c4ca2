/** Examines what a server presented: its path to a trusted root, and what is wrong with it, in plain sentences. */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { plural } from '../../base/plural.ts';
import { oneLine } from '../../base/sanitize.ts';
import { explainRefusal, isDateRefusal } from '../network/tls-errors.ts';
import {
  expiryOf,
  isSelfIssued,
  isValidAt,
  MAX_NAME_LENGTH,
  nameOf,
  quoteName,
  startOf,
} from './certificate.ts';
import type { Presented } from './handshake.ts';
import { type AlternativeName, alternativeNamesOf, isForServer, normalizeServerName } from './names.ts';
import { type CertificatePath, findPath, firstToExpire } from './path.ts';

/** Names that a message lists. */
const LISTED_NAMES = 5;

/** A certificate with its path, and everything that is wrong with both. */
export interface Examination {
  readonly leaf: X509Certificate;
  readonly path: CertificatePath;
  /** The certificate that expires first: of the path if it is trusted, otherwise that of the server. */
  readonly expiresFirst: X509Certificate;
  readonly names: readonly AlternativeName[];
  readonly isNameRight: boolean;
  /** The code of the reason why the chain is not trusted; null if it is trusted. */
  readonly refusal: string | null;
  /** The problems of the certificate's own dates and names. */
  readonly ownProblems: readonly string[];
  /** The problems of the chain. */
  readonly chainProblems: readonly string[];
}

/** Examines the certificate of a server at `now` (ms since the epoch); undefined if the server presented none. */
export function examine(
  { certificates: [leaf, ...sent], refusal, findTrustedIssuer }: Presented,
  host: string,
  now: number,
): Examination | undefined {
  if (leaf === undefined) return undefined;
  const path = findPath(leaf, sent, findTrustedIssuer, now);
  const names = alternativeNamesOf(leaf);
  const server = normalizeServerName(host);
  const isNameRight = isForServer(names, server);
  return {
    leaf,
    path,
    expiresFirst: refusal === null ? firstToExpire(path) : leaf,
    names,
    isNameRight,
    refusal,
    ownProblems: [
      ...findDateProblems(path, [leaf], now),
      ...(isNameRight ? [] : [describeWrongName(leaf, names, server)]),
    ],
    chainProblems: [
      ...findDateProblems(path, path.certificates.slice(1), now),
      ...(refusal === null ? [] : describeRefusal(refusal, path, now)),
    ],
  };
}

/** Returns the problems of a certificate and its chain as one sentence without a full stop; null if there are none. */
export function formatProblems(examination: Examination | undefined): string | null {
  if (examination === undefined) return 'the server presented no certificate';
  return [...examination.ownProblems, ...examination.chainProblems].join('; ') || null;
}

/** Describes a certificate of the path by its place in it: `the intermediate certificate "R11" of "example.com"`. */
export function describeCertificate(
  { certificates, isAnchored }: CertificatePath,
  certificate: X509Certificate,
): string {
  const [leaf] = certificates;
  if (certificate === leaf) return `the certificate ${quoteName(leaf)}`;
  const isRoot = isAnchored && certificate === certificates.at(-1);
  return `the ${isRoot ? 'root' : 'intermediate'} certificate ${quoteName(certificate)} of ${quoteName(leaf)}`;
}

const formatDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Returns what is wrong with the dates of the certificates. */
function findDateProblems(
  path: CertificatePath,
  certificates: readonly X509Certificate[],
  now: number,
): readonly string[] {
  return certificates.flatMap((certificate) => {
    const what = describeCertificate(path, certificate);
    const [start, end] = [startOf(certificate), expiryOf(certificate)];
    const renewal =
      certificate === path.certificates[0] ? 'renew it' : 'install the current chain on the server';
    if (Number.isNaN(start) || Number.isNaN(end)) return [`${what} has an invalid date: ${renewal}`];
    if (end <= now) return [`${what} expired on ${formatDay(end)}: ${renewal}`];
    if (start > now)
      return [
        `${what} is not valid before ${formatDay(start)}: check its dates and the clock of this machine`,
      ];
    return [];
  });
}

/** The dates of the path explain a refusal because of a date. If the path leads to no root, that counts as well. */
function describeRefusal(code: string, path: CertificatePath, now: number): readonly string[] {
  const { certificates, isAnchored } = path;
  const [leaf] = certificates;
  const isExplained = isDateRefusal(code) && certificates.some((one) => !isValidAt(one, now));
  if (isExplained && isAnchored) return [];
  const { reason, advice } = explainRefusal(isExplained ? 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' : code);
  const last = certificates.at(-1) ?? leaf;
  const issuer = isAnchored || isSelfIssued(leaf) ? null : nameOf(last, 'issuer');
  const end = issuer === null ? '' : ` ("${oneLine(issuer, MAX_NAME_LENGTH)}")`;
  return [`the certificate ${quoteName(leaf)} is not trusted, because ${reason}${end}: ${advice}`];
}

const KINDS: Readonly<Record<string, string>> = {
  DNS: 'the DNS name ',
  'IP Address': 'the address ',
  email: 'the e-mail address ',
  URI: 'the URI ',
};

/** Names of the wanted kind come alone, others with their kind: a certificate for the DNS name 127.0.0.1 is for no address. */
function describeWrongName(leaf: X509Certificate, names: readonly AlternativeName[], server: string): string {
  const isAddress = isIP(server) !== 0;
  const certificate = `the certificate ${quoteName(leaf)}`;
  const advice = `issue it with ${server} as an alternative name of type ${isAddress ? 'IP' : 'DNS'}, or check the server name`;
  if (names.length === 0)
    return `${certificate} has no alternative names, and its common name does not count: ${advice}`;
  const wanted = names.filter(({ type }) => type === (isAddress ? 'IP Address' : 'DNS'));
  const listed = wanted.length > 0 ? wanted : names;
  const texts = listed
    .slice(0, LISTED_NAMES)
    .map(({ type, value }) =>
      oneLine(`${wanted.length > 0 ? '' : (KINDS[type] ?? 'the other name ')}${value}`, MAX_NAME_LENGTH),
    );
  const others = listed.length - texts.length;
  const more = others === 0 ? '' : ` and ${plural(others, 'other name')}`;
  const rule = !isAddress && wanted.some(({ value }) => value.includes('*')) ? WILDCARD_RULE : '';
  const target = isAddress ? `the address ${server}` : server;
  return `${certificate} is for ${texts.join(', ')}${more}, not for ${target}${rule}: ${advice}`;
}

const WILDCARD_RULE = ' (a wildcard stands for the whole first label, with two others after it)';
