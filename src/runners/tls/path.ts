/** Finds the path from the certificate of a server to a trusted root, among the certificates that it sent and the trust store. */
import type { X509Certificate } from 'node:crypto';
import { expiryOf, isValidAt } from './certificate.ts';

export interface CertificatePath {
  /** The certificate of the server, then each issuer. */
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
  /** Whether the last certificate is a trusted root. */
  readonly isAnchored: boolean;
}

/** Returns the issuer of a certificate in the trust store; a trusted root is its own issuer. */
export type FindTrustedIssuer = (certificate: X509Certificate) => X509Certificate | undefined;

/** Maximum number of visited certificates, because a hostile server can send certificates with very many paths. */
const MAX_VISITS = 500;

/** Returns the certificate of the path that expires first. */
export const firstToExpire = ({ certificates }: CertificatePath): X509Certificate =>
  certificates.reduce((first, one) => (expiryOf(one) < expiryOf(first) ? one : first));

/**
 * Returns the path that lasts longest, of those that lead to a trusted root and are valid at `now`. If there is none, the
 * path that comes closest. `sent`: all certificates of the server, in any order.
 */
export function findPath(
  leaf: X509Certificate,
  sent: readonly X509Certificate[],
  findTrustedIssuer: FindTrustedIssuer,
  now: number,
): CertificatePath {
  let visits = 0;
  let best: CertificatePath = { certificates: [leaf], isAnchored: false };
  const rank = ({ certificates, isAnchored }: CertificatePath): readonly number[] => [
    Number(isAnchored),
    Number(certificates.every((one) => isValidAt(one, now))),
    isAnchored ? Math.min(...certificates.map(expiryOf)) : certificates.length,
  ];
  const consider = (path: CertificatePath): void => {
    if (compareRanks(rank(path), rank(best)) > 0) best = path;
  };
  const visit = (certificates: CertificatePath['certificates']): void => {
    visits += 1;
    const last = certificates.at(-1) ?? leaf;
    const trusted = findTrustedIssuer(last);
    const isAnchored = trusted?.fingerprint256 === last.fingerprint256;
    consider({ certificates, isAnchored });
    if (isAnchored) return;
    for (const issuer of [...(trusted ? [trusted] : []), ...sent.filter((one) => isIssuer(one, last))]) {
      const isRepeated = certificates.some(({ fingerprint256 }) => fingerprint256 === issuer.fingerprint256);
      if (!isRepeated && visits < MAX_VISITS) visit([...certificates, issuer]);
    }
  };
  visit([leaf]);
  return best;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** Returns whether the issuer signed the certificate. */
function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // The key has an algorithm that OpenSSL does not know.
    return false;
  }
}
