/** Private keys that take far longer to read than their length suggests: the service itself never reads them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cert } from '../client/certificate.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { DH, DSA, encrypt, hugeKey, longRsaKey, pem } from './huge-keys.ts';

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService();
});
afterAll(() => service.close());

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
  ['an RSA key with long exponents', pem('RSA PRIVATE KEY', longRsaKey()), undefined],
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

it('reads one key of an account at a time, so that no account waits for the keys of another', async () => {
  const key = pem('ENCRYPTED PRIVATE KEY', encrypt(hugeKey(DSA, 3900)));
  const create = () =>
    service.api('POST /v1/client-certificates', { host: 'a.example', cert, key, passphrase: 'word' });
  const [first, ...others] = await Promise.all([create(), create(), create()]);
  expect([first.status, ...others.map(({ status }) => status)].sort()).toEqual([400, 429, 429]);
  expect((await create()).status).toBe(400);
});
