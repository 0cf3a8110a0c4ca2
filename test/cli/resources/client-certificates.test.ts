/** `sonde client-certificates`: files make a certificate, and nothing shows its key or passphrase. */
import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command as create } from '../../../commands/client-certificates/create.ts';
import { command as remove } from '../../../commands/client-certificates/delete.ts';
import { command as get } from '../../../commands/client-certificates/get.ts';
import { command as list } from '../../../commands/client-certificates/list.ts';
import { cert, key } from '../../client/certificate.ts';
import { runLine } from '../../support/command.ts';
import { askedLine } from '../../support/person.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { envOf, well } from './journey.ts';

const PASSPHRASE = 'correct horse battery staple';
const encryptedKey = String(
  createPrivateKey(key).export({
    ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSPHRASE },
  }),
);
const files = { 'client.pem': cert, 'client.key': key, 'encrypted.key': encryptedKey, 'ca.pem': cert };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const line = (host: string, keyFile: string, ...more: readonly string[]) => [
  ...['--host', host, '--certificate', 'client.pem', '--key', keyFile, ...more],
];

it('is created from files, listed with its expiry, shown and deleted', async () => {
  const env = envOf(service);
  const argv = line('*.a.test', 'client.key', '--ca', 'ca.pem', '--json');
  const made = await well(create, argv, { env, files });
  const { id, ...shown } = JSON.parse(made.stdout);
  expect(shown).toEqual({ host: '*.a.test', cert, ca: cert, created_at: expect.any(String) });
  expect(made.stderr).toBe(`Created the client certificate *.a.test (${id}).\n`);
  const listed = await well(list, ['--fields', 'host,expires'], { env });
  expect(listed.stdout).toMatch(/^\*\.a\.test\t2126-10-28T03:42:31/m);
  expect(JSON.parse((await well(get, ['*.a.test', '--json'], { env })).stdout)).toEqual({ id, ...shown });
  await well(remove, [id, '--yes'], { env });
  expect((await runLine(get, [id], { env })).code).not.toBe(0);
});

it('takes the passphrase from the environment, from a prompt, and never from a flag', async () => {
  const env = envOf(service);
  const argv = line('b.test', 'encrypted.key');
  const fromEnv = await well(create, argv, { env: { ...env, SONDE_KEY_PASSPHRASE: PASSPHRASE }, files });
  const asked = await askedLine(create, argv, { env, files }, [
    'Passphrase of the private key:',
    `${PASSPHRASE}\n`,
  ]);
  expect(asked.code).toBe(0);
  const wrong = await runLine(create, argv, { env: { ...env, SONDE_KEY_PASSPHRASE: 'hunter2' }, files });
  expect(wrong.stderr).toContain('does not decrypt the private key');
  const missing = await runLine(create, argv, { env, files });
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('set SONDE_KEY_PASSPHRASE')]);
  const flag = await runLine(create, [...argv, '--passphrase', PASSPHRASE], { env, files });
  expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining('unknown flag: --passphrase')]);
  for (const { stdout, stderr } of [fromEnv, asked, wrong, missing])
    expect(stdout + stderr).not.toMatch(/battery|hunter2|PRIVATE KEY/);
});

it('reads the key from stdin, and names the flags that are missing', async () => {
  const env = envOf(service);
  await well(create, line('c.test', '-'), { env, files, input: key });
  const { code, stderr } = await runLine(create, ['--host', 'c.test'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('--certificate');
  expect(stderr).toContain('--key');
});
