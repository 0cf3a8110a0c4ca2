/** A throw-away certificate authority: certificates that are good, and ones that nobody should trust. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { needs } from '../needs.ts';

export interface Authority {
  /** The authority's own certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** By the name of the fault, and `good`. */
  readonly contexts: ReadonlyMap<string, SecureContext>;
  readonly remove: () => Promise<void>;
}

export const needsOpenssl = needs('openssl');

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Returns a private key (PEM) as openssl encrypts it, with these iterations or options of scrypt. */
export async function encryptKey(
  key: string,
  passphrase: string,
  cost: number | readonly string[],
): Promise<string> {
  const derivation = typeof cost === 'number' ? ['-v2', 'aes-256-cbc', '-iter', String(cost)] : cost;
  const options = [...derivation, '-passout', `pass:${passphrase}`];
  const encrypting = run('openssl', ['pkcs8', '-topk8', ...options]);
  encrypting.child.stdin?.end(key);
  return (await encrypting).stdout;
}

/** Makes one by openssl, in a folder of its own. */
export async function makeAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-authority-'));
  const path = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });
  await openssl(
    ...['req', '-x509', ...KEY, '-days', '30', '-subj', '/CN=Nobody'],
    ...['-keyout', 'ca.key', '-out', 'ca.pem'],
  );
  const signed = async (name: string, host: string, days: string): Promise<void> => {
    await writeFile(path(`${name}.ext`), `subjectAltName=${host}\n`);
    await openssl('req', ...KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    await openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', days, '-extfile', `${name}.ext`, '-out', `${name}.pem`],
    );
  };
  await signed('good', 'IP:127.0.0.1', '2');
  await signed('wrong host', 'DNS:elsewhere.test', '2');
  await signed('expired', 'IP:127.0.0.1', '-1');
  await openssl(
    ...['req', '-x509', ...KEY, '-days', '2', '-subj', '/CN=self', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', 'self-signed.key', '-out', 'self-signed.pem'],
  );
  const contexts = new Map<string, SecureContext>();
  for (const name of ['good', 'wrong host', 'expired', 'self-signed']) {
    const [key, cert] = [await readFile(path(`${name}.key`)), await readFile(path(`${name}.pem`))];
    contexts.set(name, createSecureContext({ key, cert }));
  }
  return {
    file: path('ca.pem'),
    contexts,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
