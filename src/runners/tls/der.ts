/** Reads DER, the binary form of certificates, keys and OCSP responses. Malformed input gives undefined. */

export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** The element with its tag and its length. */
  readonly bytes: Buffer;
  /** The offset of the next element. */
  readonly end: number;
}

/** Tags of universal types. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;
/** The tag of an element that the context numbers, such as `[3]`. */
export const constructed = (number: number): number => 0xa0 + number;
export const primitive = (number: number): number => 0x80 + number;

/** A length that DER does not allow. */
const INDEFINITE = 0x80;

/** Reads the element at an offset; undefined if it is incomplete. */
export function readElement(der: Buffer, at = 0): DerElement | undefined {
  const [tag, first] = [der[at], der[at + 1]];
  if (tag === undefined || first === undefined || first === INDEFINITE) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 4 || at + 2 + lengthBytes > der.length) return undefined;
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  const end = start + length;
  if (end > der.length) return undefined;
  return { tag, content: der.subarray(start, end), bytes: der.subarray(at, end), end };
}

/** Reads all elements of a content; empty if one is incomplete. */
export function readElements(content: Buffer | undefined): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; content !== undefined && at < content.length; ) {
    const element = readElement(content, at);
    if (element === undefined) return [];
    elements.push(element);
    at = element.end;
  }
  return elements;
}

/** Reads the elements of a sequence; empty if it is none. */
export const readSequence = (element: DerElement | undefined): readonly DerElement[] =>
  element?.tag === TAG.sequence ? readElements(element.content) : [];

/** Formats an object identifier with dots; undefined if the element is none. */
export function formatObjectIdentifier(element: DerElement | undefined): string | undefined {
  if (element?.tag !== TAG.objectIdentifier || element.content.length === 0) return undefined;
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of element.content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first = 0, ...others] = arcs;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...others].join('.');
}

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** Returns a GeneralizedTime in milliseconds since the epoch; NaN if the element is none. */
export function readTime(element: DerElement | undefined): number {
  const text = element?.tag === TAG.generalizedTime ? element.content.toString('latin1') : '';
  return TIME.test(text) ? Date.parse(text.replace(TIME, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN;
}

/** Returns the bytes of a bit string without unused bits; undefined if the element is none. */
export const readBitString = (element: DerElement | undefined): Buffer | undefined =>
  element?.tag === TAG.bitString && element.content[0] === 0 ? element.content.subarray(1) : undefined;
