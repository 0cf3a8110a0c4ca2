/** Certificate authorities of openssl with any key, signature and extension, and their OCSP responses. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const KEYS = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  ec384: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'],
  ed25519: ['-newkey', 'ed25519'],
  rsa1024: ['-newkey', 'rsa:1024'],
  rsa2048: ['-newkey', 'rsa:2048'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export interface CertificateOptions {
  /** Default: ec. */
  readonly key?: keyof typeof KEYS;
  /** Hash of the signature; default: sha256. */
  readonly digest?: 'md5' | 'sha1' | 'sha256';
  /** More lines of extensions. */
  readonly extensions?: readonly string[];
}

/** A certificate and its key, in PEM. */
export interface Credentials {
  readonly name: string;
  readonly cert: string;
  readonly key: string;
}

export interface ResponseOptions {
  readonly isRevoked?: boolean;
  /** Who signs the response; default: the issuer. */
  readonly signer?: Credentials;
}

export interface Issuer {
  /** Makes a root. */
  readonly makeRoot: (name: string, options?: CertificateOptions) => Promise<Credentials>;
  readonly makeAuthority: (
    by: Credentials,
    name: string,
    options?: CertificateOptions,
  ) => Promise<Credentials>;
  /** Makes a certificate for 127.0.0.1. */
  readonly makeServer: (by: Credentials, name: string, options?: CertificateOptions) => Promise<Credentials>;
  /** Returns an OCSP response (DER) about a certificate, valid for a day. */
  readonly respond: (by: Credentials, about: Credentials, options?: ResponseOptions) => Promise<Buffer>;
  readonly remove: () => Promise<void>;
}

const AUTHORITY = [
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign,cRLSign,digitalSignature',
];
const SERVER = ['subjectAltName=IP:127.0.0.1'];

/** Makes certificates in a folder of their own. Their names must be different. */
export async function makeIssuer(): Promise<Issuer> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-issuer-'));
  const path = (file: string): string => join(folder, file);
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });

  async function issue(
    by: Credentials | undefined,
    name: string,
    { key = 'ec', digest = 'sha256', extensions = [] }: CertificateOptions,
    usage: readonly string[],
  ): Promise<Credentials> {
    await writeFile(path(`${name}.ext`), `${[...usage, ...extensions].join('\n')}\n`);
    await openssl(
      ...['req', ...KEYS[key], '-nodes', '-subj', `/CN=${name}`],
      ...['-keyout', `${name}.key`, '-out', `${name}.csr`],
    );
    await openssl(
      ...[
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-days',
        '5',
        '-extfile',
        `${name}.ext`,
        '-out',
        `${name}.pem`,
      ],
      ...(by === undefined
        ? ['-signkey', `${name}.key`]
        : ['-CA', `${by.name}.pem`, '-CAkey', `${by.name}.key`, '-CAcreateserial']),
      ...(key === 'ed25519' && by === undefined ? [] : [`-${digest}`]),
    );
    const read = (end: string) => readFile(path(`${name}.${end}`), 'utf8');
    return { name, cert: await read('pem'), key: await read('key') };
  }

  async function respond(
    by: Credentials,
    about: Credentials,
    { isRevoked = false, signer = by }: ResponseOptions = {},
  ): Promise<Buffer> {
    const { stdout } = await openssl('x509', '-in', `${about.name}.pem`, '-noout', '-serial');
    const serial = stdout.trim().replace('serial=', '');
    const status = isRevoked ? 'R\t991231235959Z\t250101000000Z' : 'V\t991231235959Z\t';
    await writeFile(path('index.txt'), `${status}\t${serial}\tunknown\t/CN=${about.name}\n`);
    await openssl(
      ...[
        'ocsp',
        '-issuer',
        `${by.name}.pem`,
        '-cert',
        `${about.name}.pem`,
        '-no_nonce',
        '-reqout',
        'request.der',
      ],
    );
    await openssl(
      ...['ocsp', '-index', 'index.txt', '-CA', `${by.name}.pem`, '-reqin', 'request.der', '-ndays', '1'],
      ...['-rsigner', `${signer.name}.pem`, '-rkey', `${signer.name}.key`, '-respout', 'response.der'],
    );
    return readFile(path('response.der'));
  }

  return {
    makeRoot: (name, options = {}) => issue(undefined, name, options, AUTHORITY),
    makeAuthority: (by, name, options = {}) => issue(by, name, options, AUTHORITY),
    makeServer: (by, name, options = {}) => issue(by, name, options, SERVER),
    respond,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
