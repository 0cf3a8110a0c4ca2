/** Evaluates the certificate of an SSL check: validity, name, trust, and assertions. */
import { plural } from '../../base/plural.ts';
import { evaluateAssertions } from '../assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../assertions/jsonpath.ts';
import { complete } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, JsonValue } from '../core/assertion.ts';
import { conclude, type Expectations, withNote } from '../core/conclude.ts';
import type { Evaluation, RunOutcome } from '../core/runner.ts';
import type { FaultData } from '../network/fault.ts';
import type { BaselineFinding } from './baseline.ts';
import type { SslResponse } from './response.ts';

const DAY_MS = 86_400_000;

interface SslEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  readonly fault: FaultData | undefined;
  readonly response: SslResponse | undefined;
  /** The problems of the certificate and, unless the check skips that, of its chain. */
  readonly problems?: readonly string[];
  /** The certificate that expires first, described for a message, and when (ms since the epoch). */
  readonly expiry?: { readonly certificate: string; readonly at: number };
  /** What became of the rules of the security baseline. */
  readonly baseline?: readonly BaselineFinding[];
  readonly alertDaysBeforeExpiry: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** About the addresses that were tried. */
  readonly notes: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

export const sslEvaluation: Evaluation<SslEvidence, RunOutcome> = {
  name: 'ssl',
  run(evidence) {
    const { check, assertions, fault, response, problems = [], baseline = [], notes, details } = evidence;
    const results =
      response === undefined
        ? []
        : evaluateAssertions(assertions, (assertion) => selectSubject(assertion, response));
    const outcome = conclude(
      {
        networkErrors: fault?.isNetwork ? [fault.message] : [],
        timedOut: fault?.reason === 'timeout',
        faults: [
          ...(fault === undefined || fault.isNetwork ? [] : [fault.message]),
          ...problems,
          ...messagesOf(baseline, 'fail'),
        ],
        assertions: results,
        unanswered: assertions.length - results.length,
        responseTime: response?.handshakeTimeMs ?? null,
        details: { ...details, notes, assertions: results },
      },
      check,
    );
    const warnings =
      outcome.errors.length > 0 ? [] : [...messagesOf(baseline, 'degrade'), ...warnOfExpiry(evidence)];
    return warnings.length === 0
      ? outcome
      : { ...outcome, isDegraded: true, details: warnings.reduce(withNote, outcome.details) };
  },
};

/** Returns the violations of the rules of a severity. */
const messagesOf = (baseline: readonly BaselineFinding[], severity: BaselineFinding['severity']) =>
  baseline.flatMap((finding) =>
    finding.severity === severity && finding.message !== null ? [finding.message] : [],
  );

/** Expiry is a failure, not a degradation. With shouldFail that failure makes the check pass. */
function warnOfExpiry({ expiry, alertDaysBeforeExpiry, now }: SslEvidence): readonly string[] {
  if (expiry === undefined) return [];
  const leftMs = expiry.at - now;
  if (leftMs <= 0 || leftMs > alertDaysBeforeExpiry * DAY_MS) return [];
  const days = leftMs < DAY_MS ? 'less than a day' : plural(Math.floor(leftMs / DAY_MS), 'day');
  const day = new Date(expiry.at).toISOString().slice(0, 10);
  return [
    `${expiry.certificate} expires on ${day}, in ${days} (degraded from ${plural(alertDaysBeforeExpiry, 'day')})`,
  ];
}

const CONNECTION_FIELDS = [
  'tlsVersion',
  'cipherSuite',
  'hostnameVerified',
  'chainTrusted',
  'resolvedIp',
] as const;

/** Names of hosts and hexadecimal numbers. */
const CASELESS_FIELDS: ReadonlySet<string> = new Set([
  'sans',
  'serialNumber',
  'fingerprintSha256',
  'issuerFingerprintSha256',
]);

function selectSubject({ source, property }: Assertion, response: SslResponse): Subject {
  const name = property?.trim() ?? '';
  switch (source) {
    case 'CERTIFICATE':
      return selectField(source, name, { ...response.certificate });
    case 'CONNECTION':
      return selectField(
        source,
        name,
        Object.fromEntries(CONNECTION_FIELDS.map((field) => [field, response[field]])),
      );
    case 'RESPONSE_TIME':
      return measured(response.handshakeTimeMs);
    case 'JSON_RESPONSE':
      return selectFrom(complete(response as unknown as JsonValue), (document) =>
        selectJsonPath(document, property ?? ''),
      );
    default:
      return invalidSubject(`unknown assertion source for SSL checks: ${source}`);
  }
}

function selectField(source: string, property: string, fields: Readonly<Record<string, JsonValue>>): Subject {
  const name = Object.keys(fields).find((field) => field.toLowerCase() === property.toLowerCase());
  if (name === undefined) {
    const known = Object.keys(fields).join(', ');
    return invalidSubject(`${source} has no property ${property || '(none)'}: use ${known}`);
  }
  return selectFrom(complete(fields[name] ?? null), (value) =>
    value === null
      ? { values: [], absence: `the certificate has no ${name}` }
      : { values: [value], ignoreCase: CASELESS_FIELDS.has(name) },
  );
}
