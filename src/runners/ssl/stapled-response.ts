/** Verifies a stapled OCSP response (RFC 6960): for this certificate, signed by its issuer, current, and good. */
import { constants, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { isValidAt } from '../tls/certificate.ts';
import {
  constructed,
  type DerElement,
  formatObjectIdentifier,
  primitive,
  readBitString,
  readElement,
  readElements,
  readSequence,
  readTime,
  TAG,
} from '../tls/der.ts';
import { readSignatureAlgorithm } from '../tls/signature-algorithms.ts';

/** The certificate that a response must be about. */
interface Subject {
  /** As DER contains it. */
  readonly serialNumber: Buffer;
  /** Undefined if it is not known. */
  readonly issuer: X509Certificate | undefined;
}

interface SingleResponse {
  readonly serialNumber: Buffer;
  readonly statusTag: number;
  /** Milliseconds since the epoch. */
  readonly thisUpdate: number;
  /** Undefined if newer information is always available. */
  readonly nextUpdate: number | undefined;
}

interface BasicResponse {
  readonly signed: DerElement;
  readonly algorithm: DerElement;
  readonly signature: Buffer;
  readonly certificates: readonly DerElement[];
  readonly responses: readonly SingleResponse[];
}

const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
/** The extended key usage of certificates that sign responses for an issuer. */
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const GOOD = primitive(0);
const REVOKED = constructed(1);
/** Clocks of responders may be ahead. */
const CLOCK_SKEW_MS = 300_000;
/** More certificates in a response are not examined. */
const MAX_CERTIFICATES = 10;

/** Returns what is wrong with a response, as a predicate; undefined if it says that the certificate is good. */
export function findStapleProblem(response: Buffer, subject: Subject, now: number): string | undefined {
  const basic = readBasicResponse(response);
  if (basic === undefined) return 'is no successful OCSP response';
  const single = basic.responses.find(({ serialNumber }) => serialNumber.equals(subject.serialNumber));
  if (single === undefined) return 'is about another certificate';
  if (subject.issuer === undefined)
    return 'cannot be verified, because the issuer of the certificate is not known';
  if (!isSignedFor(basic, subject.issuer, now)) return 'is not signed by the issuer of the certificate';
  if (!(single.thisUpdate <= now + CLOCK_SKEW_MS)) return 'is not valid yet';
  if (single.nextUpdate !== undefined && !(single.nextUpdate > now)) return 'has expired';
  if (single.statusTag === REVOKED) return 'says that the certificate is revoked';
  return single.statusTag === GOOD ? undefined : 'does not know the certificate';
}

/** Reads a response with the status `successful`; undefined if it has another status or is malformed. */
function readBasicResponse(der: Buffer): BasicResponse | undefined {
  const [status, body] = readSequence(readElement(der));
  const isSuccessful = status?.tag === TAG.enumerated && status.content.equals(Buffer.of(0));
  if (!isSuccessful || body?.tag !== constructed(0)) return undefined;
  const [type, content] = readSequence(readElement(body.content));
  if (formatObjectIdentifier(type) !== BASIC_RESPONSE || content?.tag !== TAG.octetString) return undefined;
  const [signed, algorithm, bits, ...others] = readSequence(readElement(content.content));
  const signature = readBitString(bits);
  if (signed === undefined || algorithm === undefined || signature === undefined) return undefined;
  const list = others.find(({ tag }) => tag === constructed(0));
  const certificates = list === undefined ? [] : readSequence(readElement(list.content));
  const responses = readSequence(signed).find(({ tag }) => tag === TAG.sequence);
  return {
    signed,
    algorithm,
    signature,
    certificates: certificates.slice(0, MAX_CERTIFICATES),
    responses: readSequence(responses).flatMap(readSingleResponse),
  };
}

function readSingleResponse(element: DerElement): readonly SingleResponse[] {
  const [id, status, thisUpdate, ...others] = readSequence(element);
  const serialNumber = readSequence(id)[3];
  if (serialNumber?.tag !== TAG.integer || status === undefined) return [];
  const next = others.find(({ tag }) => tag === constructed(0));
  return [
    {
      serialNumber: serialNumber.content,
      statusTag: status.tag,
      thisUpdate: readTime(thisUpdate),
      nextUpdate: next && readTime(readElements(next.content)[0]),
    },
  ];
}

/** Returns whether the issuer signed the response, or a certificate that it issued for this purpose. */
function isSignedFor(response: BasicResponse, issuer: X509Certificate, now: number): boolean {
  const delegates = response.certificates
    .flatMap(({ bytes }) => parseCertificate(bytes))
    .filter(
      (one) => (one.keyUsage ?? []).includes(OCSP_SIGNING) && isValidAt(one, now) && isIssuedBy(one, issuer),
    );
  return [issuer, ...delegates].some((signer) => isSignedBy(response, signer));
}

function isSignedBy({ signed, algorithm, signature }: BasicResponse, signer: X509Certificate): boolean {
  const known = readSignatureAlgorithm(algorithm);
  if (known === undefined) return false;
  try {
    return verify(known.digest, signed.bytes, keyOptions(signer.publicKey, known.isPss), signature);
  } catch {
    // OpenSSL does not know the algorithm, or the key has another.
    return false;
  }
}

const keyOptions = (key: KeyObject, isPss = false) =>
  isPss ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : key;

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function parseCertificate(der: Buffer): readonly X509Certificate[] {
  try {
    return [new X509Certificate(der)];
  } catch {
    return [];
  }
}
