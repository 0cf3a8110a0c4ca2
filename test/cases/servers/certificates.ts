/** Makes certificates with every flaw that the cases need, by `openssl ca`: their dates are relative to now. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HOUR_MS = 3_600_000;
const DAY = 24;

const CONFIG = `[ca]
default_ca=d
[d]
database=index.txt
serial=serial
new_certs_dir=issued
default_md=sha256
policy=p
unique_subject=no
[p]
commonName=supplied
[req]
distinguished_name=dn
prompt=no
[dn]
CN=x
`;
const AUTHORITY =
  'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n';
const leaf = (names = 'IP:127.0.0.1,DNS:localhost,DNS:a.test', usage = 'serverAuth'): string =>
  `basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=${usage}\n${
    names === '' ? '' : `subjectAltName=${names}\n`
  }`;

interface Certificate {
  /** Who signs it; itself without. */
  readonly by?: string;
  /** Whose key it has; its own without. */
  readonly keyOf?: string;
  readonly commonName: string;
  /** From and to, in hours from now. */
  readonly valid: readonly [from: number, to: number];
  readonly extensions: string;
}

const authority = (by: string, commonName: string, to = 3650 * DAY, from = -400 * DAY): Certificate => ({
  ...(by !== '' && { by }),
  ...{ commonName, valid: [from, to], extensions: AUTHORITY },
});
/** Another certificate for the key and name of an authority. */
const crossSigned = (keyOf: string, by: string, commonName: string, to?: number): Certificate => ({
  ...authority(by, commonName, to),
  keyOf,
});
const server = (
  by: string,
  names?: string,
  valid: Certificate['valid'] = [-DAY, 365 * DAY],
): Certificate => ({
  ...(by !== '' && { by }),
  ...{ commonName: 'a.test', valid, extensions: leaf(names) },
});

/** The names of many hosts, and `a.test` as the last. */
const MANY_NAMES = [
  ...Array.from({ length: 400 }, (_, index) => `DNS:h${index + 1}.test`),
  'DNS:a.test',
].join(',');

/** Each authority comes before what it signs. */
const CERTIFICATES = {
  root: authority('', 'Root A'),
  rootExpiresSoon: authority('', 'Root Short', 6 * DAY),
  rootOfClients: authority('', 'Root of clients'),
  intermediate: authority('root', 'Int A'),
  intermediateExpiresSoon: authority('root', 'Int Short', 5 * DAY),
  intermediateExpired: authority('root', 'Int Exp', -2 * DAY),
  intermediateOfShortRoot: authority('rootExpiresSoon', 'Int S'),
  rootExpired: authority('', 'Root Expired', -2 * DAY),
  rootCrossSignedExpired: crossSigned('root', 'rootExpired', 'Root A', -2 * DAY),
  rootCrossSignedExpiresSoon: crossSigned('root', 'rootOfClients', 'Root A', 5 * DAY),
  intermediateExtended: crossSigned('intermediateExpiresSoon', 'root', 'Int Short', 400 * DAY),
  intermediateRenewed: crossSigned('intermediateExpired', 'root', 'Int Exp'),
  intermediateNotYetValid: authority('root', 'Int Future', 3650 * DAY, 3 * DAY),
  intermediateOfOtherNames: {
    ...authority('root', 'Int NC'),
    extensions: `${AUTHORITY}nameConstraints=critical,permitted;DNS:other.test\n`,
  },
  good: server('intermediate'),
  expired: server('intermediate', undefined, [-DAY, -1]),
  selfSigned: server(''),
  ofUnknownRoot: server('rootOfClients'),
  underFutureIntermediate: server('intermediateNotYetValid'),
  expiresIn20DaysLess: server('intermediate', undefined, [-DAY, 20 * DAY - 2]),
  wildcardBelow: server('intermediate', 'DNS:*.a.test'),
  partialWildcard: server('intermediate', 'DNS:f*.a.test,DNS:x.*.test'),
  upperCase: server('intermediate', 'DNS:A.TEST'),
  international: server('intermediate', 'DNS:xn--mnchen-3ya.test'),
  ipv6: server('intermediate', 'IP:2001:db8::1'),
  addressAsName: server('intermediate', 'DNS:10.0.0.1'),
  forClients: { ...server('intermediate'), extensions: leaf(undefined, 'clientAuth') },
  byNoAuthority: server('good'),
  byOtherNames: server('intermediateOfOtherNames', 'DNS:a.test'),
  otherName: server('intermediate', 'DNS:b.test'),
  bareStar: server('intermediate', 'DNS:*'),
  partialStar: server('intermediate', 'DNS:a*.test'),
  loopbackAsName: server('intermediate', 'DNS:127.0.0.1'),
  notYetValid: server('intermediate', undefined, [DAY, 365 * DAY]),
  underExpiringIntermediate: server('intermediateExpiresSoon'),
  underExpiredIntermediate: server('intermediateExpired'),
  underExpiringRoot: server('intermediateOfShortRoot'),
  wildcard: server('intermediate', 'DNS:*.test'),
  commonNameOnly: server('intermediate', ''),
  emailOnly: server('intermediate', 'email:x@a.test'),
  otherAddressOnly: server('intermediate', 'IP:10.0.0.1'),
  expiresIn20Days: server('intermediate', undefined, [-DAY, 20 * DAY + 2]),
  manyNames: server('intermediate', MANY_NAMES),
} satisfies Record<string, Certificate>;

export type CertificateName = keyof typeof CERTIFICATES;

export interface Certificates {
  /** The roots that a client trusts, for NODE_EXTRA_CA_CERTS. */
  readonly trusted: string;
  /** Returns the key of the first certificate and the chain of all, in PEM. */
  readonly chain: (
    ...names: readonly [CertificateName, ...CertificateName[]]
  ) => Promise<{ key: Buffer; cert: Buffer }>;
  readonly remove: () => Promise<void>;
}

/** Returns a time as `openssl ca` wants it: 20261231235959Z. */
const dateOf = (hours: number): string =>
  `${new Date(Date.now() + hours * HOUR_MS).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;

/** Makes all certificates in a folder of their own. */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-certificates-'));
  const path = (file: string): string => join(folder, file);
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: folder });
  await mkdir(path('issued'));
  await writeFile(path('ca.cnf'), CONFIG);
  await writeFile(path('index.txt'), '');
  await writeFile(path('serial'), '1000\n');
  for (const [name, { by, keyOf, commonName, valid, extensions }] of Object.entries<Certificate>(
    CERTIFICATES,
  )) {
    if (keyOf !== undefined) await copyFile(path(`${keyOf}.key`), path(`${name}.key`));
    await openssl(
      ...['req', '-config', 'ca.cnf', '-out', `${name}.csr`, '-subj', `/CN=${commonName}`],
      ...(keyOf === undefined
        ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`]
        : ['-new', '-key', `${name}.key`]),
    );
    await writeFile(path(`${name}.ext`), extensions);
    await openssl(
      ...['ca', '-config', 'ca.cnf', '-batch', '-notext', '-in', `${name}.csr`, '-out', `${name}.pem`],
      ...(by === undefined
        ? ['-selfsign', '-keyfile', `${name}.key`]
        : ['-cert', `${by}.pem`, '-keyfile', `${by}.key`]),
      ...['-startdate', dateOf(valid[0]), '-enddate', dateOf(valid[1]), '-extfile', `${name}.ext`],
    );
  }
  const chain: Certificates['chain'] = async (...names) => ({
    key: await readFile(path(`${names[0]}.key`)),
    cert: Buffer.concat(await Promise.all(names.map((name) => readFile(path(`${name}.pem`))))),
  });
  await writeFile(path('trusted.pem'), (await chain('root', 'rootExpiresSoon')).cert);
  return {
    ...{ chain, trusted: path('trusted.pem') },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
