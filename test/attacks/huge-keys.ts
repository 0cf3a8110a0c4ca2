/** Makes private keys that take OpenSSL far longer to read than their length suggests. */
import { createCipheriv, generateKeyPairSync, pbkdf2Sync, randomBytes } from 'node:crypto';

const element = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...parts: readonly Buffer[]) => element(0x30, ...parts);
const octets = (content: Buffer) => element(0x04, content);
const oid = (hex: string) => element(0x06, Buffer.from(hex, 'hex'));
const integer = (bytes: number): Buffer => {
  const digits = randomBytes(bytes);
  digits.writeUInt8(0x41, 0);
  digits.writeUInt8(0x41, bytes - 1);
  return element(0x02, digits);
};

/** Makes a key without its public part, which OpenSSL computes when it reads the key: one power with huge numbers. */
export const hugeKey = (algorithm: string, bytes: number): Buffer =>
  sequence(
    element(0x02, Buffer.from([0])),
    sequence(oid(algorithm), sequence(integer(bytes), integer(32), integer(bytes))),
    octets(integer(bytes)),
  );
export const DSA = '2a8648ce380401';
export const DH = '2a864886f70d010301';

/** Encrypts a key with the passphrase `word`. */
export function encrypt(key: Buffer): Buffer {
  const [salt, iv] = [randomBytes(16), randomBytes(16)];
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync('word', salt, 1000, 32, 'sha256'), iv);
  const derivation = sequence(
    octets(salt),
    element(0x02, Buffer.from([0x03, 0xe8])),
    sequence(oid('2a864886f70d0209'), element(0x05)),
  );
  const algorithm = sequence(
    oid('2a864886f70d01050d'),
    sequence(
      sequence(oid('2a864886f70d01050c'), derivation),
      sequence(oid('60864801650304012a'), octets(iv)),
    ),
  );
  return sequence(algorithm, octets(Buffer.concat([cipher.update(key), cipher.final()])));
}

export const pem = (label: string, der: Buffer) =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

/** Makes an RSA key with exponents of 32,000 bits, which each signature would take. */
export function longRsaKey(): Buffer {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e, d, p, q, qi } = privateKey.export({ format: 'jwk' });
  const number = (text = ''): Buffer => {
    const digits = Buffer.from(text, 'base64url');
    return element(0x02, Buffer.alloc(digits.readUInt8(0) > 0x7f ? 1 : 0), digits);
  };
  const version = element(0x02, Buffer.from([0]));
  return sequence(version, ...[n, e, d, p, q].map(number), integer(4000), integer(4000), number(qi));
}
