/** Private keys that take far longer to read than their length suggests: the service itself never reads them. */
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cert } from '../client/certificate.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService();
});
afterAll(() => service.close());

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

/** A key without its public part, which OpenSSL computes when it reads the key: one power with huge numbers. */
const hugeKey = (algorithm: string, bytes: number): Buffer =>
  sequence(
    element(0x02, Buffer.from([0])),
    sequence(oid(algorithm), sequence(integer(bytes), integer(32), integer(bytes))),
    octets(integer(bytes)),
  );
const DSA = '2a8648ce380401';
const DH = '2a864886f70d010301';

function encrypt(key: Buffer): Buffer {
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

const pem = (label: string, der: Buffer) =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

/** Processor time of the service's process, without its children, in seconds. */
function processorSeconds(): number {
  const text = readFileSync(`/proc/${service.pid()}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

it.each([
  ['a DSA key', pem('PRIVATE KEY', hugeKey(DSA, 3900)), undefined],
  ['a DH key', pem('PRIVATE KEY', hugeKey(DH, 3900)), undefined],
  ['an encrypted DSA key', pem('ENCRYPTED PRIVATE KEY', encrypt(hugeKey(DSA, 3900))), 'word'],
  ['a DSA key in its own form', pem('DSA PRIVATE KEY', hugeKey(DSA, 3900)), undefined],
])('refuses %s of 16 KB without reading it in the process of the service', async (_, key, passphrase) => {
  expect(key.length).toBeLessThanOrEqual(16_384);
  const before = processorSeconds();
  const { status, body } = await service.api('POST /v1/client-certificates', {
    ...{ host: 'a.example', cert, key, ...(passphrase === undefined ? {} : { passphrase }) },
  });
  expect([status, body]).toMatchObject([400, { message: expect.stringMatching(/^key (?:must be|takes)/) }]);
  // Reading it costs more than ten seconds.
  expect(processorSeconds() - before).toBeLessThan(5);
});
