/** Judges a TLS connection by the rules of the security baseline: what the handshake and the chain really are. */
import { createHash, type X509Certificate } from 'node:crypto';
import {
  BASELINE_RULE_NAMES,
  BASELINE_RULES,
  type BaselineRule,
  type BaselineSeverity,
  type SecurityBaseline,
} from '../../contract/security-baseline.ts';
import { isSelfIssued, quoteName } from '../tls/certificate.ts';
import { type CertificateParts, readCertificateParts } from '../tls/certificate-parts.ts';
import { readElement, readElements, TAG } from '../tls/der.ts';
import type { Presented } from '../tls/handshake.ts';
import { describeCertificate, type Examination } from '../tls/problems.ts';
import { isWeak } from '../tls/signature-algorithms.ts';
import { findCipherWeakness } from './cipher-suites.ts';
import { DISTRUSTED_ISSUERS, DISTRUSTED_KEYS } from './distrusted-authorities.ts';
import { strengthOf } from './key-strength.ts';
import { findStapleProblem } from './stapled-response.ts';

/** A rule that a check applies. */
export interface ActiveRule {
  readonly rule: BaselineRule;
  readonly severity: Exclude<BaselineSeverity, 'ignore'>;
  readonly value: string | number | undefined;
}

/** What became of a rule. */
export interface BaselineFinding {
  readonly rule: BaselineRule;
  readonly severity: ActiveRule['severity'];
  readonly passed: boolean;
  /** What is, and what the rule asks for; null if the rule passed. */
  readonly message: string | null;
}

/** What the rules judge. */
export interface BaselineFacts {
  readonly presented: Presented;
  readonly examination: Examination;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What is, and what should be. Undefined: the rule passed. A fact that cannot be read is a violation. */
type Judgement = readonly [is: string, asked: string] | undefined;
type Judge = (facts: BaselineFacts, value: ActiveRule['value']) => Judgement;

/** Returns the rules that a check applies; none without a baseline. */
export function activeRulesOf(baseline: SecurityBaseline | undefined): readonly ActiveRule[] {
  if (baseline === undefined || baseline.enabled === false) return [];
  return BASELINE_RULE_NAMES.flatMap((rule): readonly ActiveRule[] => {
    const settings: { severity?: BaselineSeverity; value?: string | number } = {
      ...BASELINE_RULES[rule],
      ...baseline[rule],
    };
    const { severity = 'fail', value } = settings;
    return severity === 'ignore' ? [] : [{ rule, severity, value }];
  });
}

/** Returns whether a rule needs the OCSP response that the server staples. */
export const needsStaple = (rules: readonly ActiveRule[]): boolean =>
  rules.some(({ rule }) => rule === 'ocspMustStapleRespected');

/** Judges all rules. */
export const judgeBaseline = (
  rules: readonly ActiveRule[],
  facts: BaselineFacts,
): readonly BaselineFinding[] =>
  rules.map(({ rule, severity, value }) => {
    const judgement = JUDGES[rule](facts, value);
    const message =
      judgement === undefined
        ? null
        : `${judgement[0]}, but ${rule} of the security baseline requires ${judgement[1]}`;
    return { rule, severity, passed: judgement === undefined, message };
  });

const VERSIONS = ['TLS1', 'TLS1.1', 'TLS1.2', 'TLS1.3'];

const judgeVersion: Judge = ({ presented }, value) => {
  const version = presented.protocol?.replace('TLSv', 'TLS');
  const asked = `at least ${value}`;
  if (version === undefined) return ['the TLS version of the connection is not known', asked];
  const isEnough = VERSIONS.includes(version) && VERSIONS.indexOf(version) >= VERSIONS.indexOf(String(value));
  return isEnough ? undefined : [`the connection uses ${version}`, asked];
};

const judgeKeys: Judge = ({ examination: { path } }, value) => {
  const asked = `at least ${value} bits of RSA, or another key as strong`;
  for (const certificate of path.certificates) {
    const what = describeCertificate(path, certificate);
    const known = strengthOf(certificate);
    if (known === undefined) return [`${what} has a key of unknown strength`, asked];
    if (known.strength < Number(value)) return [`${what} has ${known.key}`, asked];
  }
  return undefined;
};

const STRONG_SIGNATURE = 'SHA-224 or stronger';

/** The signature of a root is not judged, because nobody verifies it. */
const judgeSignatures: Judge = ({ examination: { path } }) => {
  const { certificates } = path;
  const last = certificates.at(-1);
  const hasRoot = certificates.length > 1 && last !== undefined && isSelfIssued(last);
  for (const certificate of hasRoot ? certificates.slice(0, -1) : certificates) {
    const what = describeCertificate(path, certificate);
    const algorithm = readCertificateParts(certificate.raw)?.signatureAlgorithm;
    if (algorithm === undefined) return [`${what} has an unknown signature algorithm`, STRONG_SIGNATURE];
    if (isWeak(algorithm)) return [`${what} is signed with ${algorithm.name}`, STRONG_SIGNATURE];
  }
  return undefined;
};
const judgeCipher: Judge = ({ presented: { cipher } }) => {
  const asked = 'forward secrecy and a strong cipher';
  if (cipher === null) return ['the cipher suite of the connection is not known', asked];
  const weakness = findCipherWeakness(cipher.standardName);
  return weakness === undefined
    ? undefined
    : [`the connection uses ${cipher.standardName}, which ${weakness}`, asked];
};

const judgeAuthorities: Judge = ({ examination: { path } }) => {
  const asked = 'an authority that browsers trust';
  for (const certificate of path.certificates) {
    const what = describeCertificate(path, certificate);
    const parts = readCertificateParts(certificate.raw);
    if (parts === undefined) return [`${what} has a key that cannot be read`, asked];
    const hash = createHash('sha256').update(parts.publicKeyInfo).digest('hex');
    const distrusted = DISTRUSTED_KEYS.get(hash);
    if (distrusted !== undefined)
      return [`${what} has a key of ${distrusted}, which browsers distrust`, asked];
  }
  return judgeIssuer(path.certificates.at(-1) ?? path.certificates[0], asked);
};

/** Judges the issuer of the last certificate by its name, because its key is not known if it is no root. */
function judgeIssuer(last: X509Certificate, asked: string): Judgement {
  const { CN, O } = last.toLegacyObject().issuer ?? {};
  const distrusted = [CN, O].flat().flatMap((name) => DISTRUSTED_ISSUERS.get(name ?? '') ?? [])[0];
  return distrusted === undefined
    ? undefined
    : [`the issuer of ${quoteName(last)} is ${distrusted}, which browsers distrust`, asked];
}

const TLS_FEATURES = '1.3.6.1.5.5.7.1.24';
/** The features that demand a stapled response: status_request and its second version. */
const STATUS_REQUESTS: readonly string[] = ['05', '11'];

const judgeStaple: Judge = ({ presented: { staple }, examination: { leaf, path }, now }) => {
  const what = describeCertificate(path, leaf);
  const asked = 'a valid stapled response';
  const parts = readCertificateParts(leaf.raw);
  if (parts === undefined) return [`${what} has extensions that cannot be read`, asked];
  if (!demandsStaple(parts)) return undefined;
  if (staple === null) return [`${what} demands a stapled OCSP response and the server sends none`, asked];
  const [, issuer = isSelfIssued(leaf) ? leaf : undefined] = path.certificates;
  const problem = findStapleProblem(staple, { serialNumber: parts.serialNumber, issuer }, now);
  return problem === undefined
    ? undefined
    : [`${what} demands a stapled OCSP response and that of the server ${problem}`, asked];
};

/** Returns whether a certificate has the extension must-staple. One that cannot be read counts. */
function demandsStaple({ extensions }: CertificateParts): boolean {
  const value = extensions.get(TLS_FEATURES);
  if (value === undefined) return false;
  const features = readElements(readElement(value)?.content);
  return (
    features.length === 0 ||
    features.some(
      ({ tag, content }) => tag === TAG.integer && STATUS_REQUESTS.includes(content.toString('hex')),
    )
  );
}

const TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.2';
/** Version 1, and the length of a timestamp without extensions: version, log, time, lengths, and two bytes of algorithm. */
const [TIMESTAMP_VERSION, SHORTEST_TIMESTAMP] = [0, 47];

const judgeTimestamps: Judge = ({ examination: { leaf, path } }) => {
  const value = readCertificateParts(leaf.raw)?.extensions.get(TIMESTAMPS);
  return value !== undefined && hasTimestamps(value)
    ? undefined
    : [
        `${describeCertificate(path, leaf)} contains no Signed Certificate Timestamp`,
        'one from a log of Certificate Transparency',
      ];
};

/** Returns whether the extension is a list of at least one timestamp, and nothing else (RFC 6962, section 3.3). */
function hasTimestamps(value: Buffer): boolean {
  const element = readElement(value);
  const list = element?.tag === TAG.octetString ? element.content : Buffer.alloc(0);
  if (list.length < 4 || list.readUInt16BE(0) !== list.length - 2) return false;
  for (let at = 2; at < list.length; ) {
    const length = at + 2 <= list.length ? list.readUInt16BE(at) : 0;
    const isTimestamp = length >= SHORTEST_TIMESTAMP && list[at + 2] === TIMESTAMP_VERSION;
    at += 2 + length;
    if (!isTimestamp || at > list.length) return false;
  }
  return true;
}

const JUDGES: Readonly<Record<BaselineRule, Judge>> = {
  minTLSVersion: judgeVersion,
  minKeySizeBits: judgeKeys,
  weakSignatureAlgorithm: judgeSignatures,
  weakCipherSuite: judgeCipher,
  knownBadCA: judgeAuthorities,
  recommendedTLSVersion: judgeVersion,
  recommendedKeySizeBits: judgeKeys,
  ocspMustStapleRespected: judgeStaple,
  sctPresent: judgeTimestamps,
};
