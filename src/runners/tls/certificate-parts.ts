/** Reads the parts of a certificate that `node:crypto` does not show: its signature algorithm, key and extensions. */
import {
  constructed,
  type DerElement,
  formatObjectIdentifier,
  readElement,
  readSequence,
  TAG,
} from './der.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm } from './signature-algorithms.ts';

export interface CertificateParts {
  /** Undefined if sonde does not know it. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  /** The integer as DER contains it. */
  readonly serialNumber: Buffer;
  /** SubjectPublicKeyInfo, by which lists name keys. */
  readonly publicKeyInfo: Buffer;
  /** The values of the extensions, by their object identifiers. */
  readonly extensions: ReadonlyMap<string, Buffer>;
}

/** Returns the parts of a certificate (DER); undefined if it is malformed. */
export function readCertificateParts(der: Buffer): CertificateParts | undefined {
  const [signed, algorithm] = readSequence(readElement(der));
  const fields = readSequence(signed);
  // The version is missing in certificates of version 1.
  const hasVersion = fields[0]?.tag === constructed(0);
  const [serialNumber, , , , , publicKeyInfo, ...others] = hasVersion ? fields.slice(1) : fields;
  if (serialNumber?.tag !== TAG.integer || publicKeyInfo?.tag !== TAG.sequence) return undefined;
  const extensions = readExtensions(others.find(({ tag }) => tag === constructed(3)));
  return (
    extensions && {
      signatureAlgorithm: readSignatureAlgorithm(algorithm),
      serialNumber: serialNumber.content,
      publicKeyInfo: publicKeyInfo.bytes,
      extensions,
    }
  );
}

/** Returns the extensions; undefined if one is malformed. */
function readExtensions(element: DerElement | undefined): ReadonlyMap<string, Buffer> | undefined {
  const extensions = new Map<string, Buffer>();
  if (element === undefined) return extensions;
  const list = readSequence(readElement(element.content));
  if (list.length === 0) return undefined;
  for (const extension of list) {
    const parts = readSequence(extension);
    const [identifier, value] = [formatObjectIdentifier(parts[0]), parts.at(-1)];
    if (identifier === undefined || value?.tag !== TAG.octetString) return undefined;
    extensions.set(identifier, value.content);
  }
  return extensions;
}
