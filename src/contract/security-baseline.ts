/** The rules of the security baseline of SSL checks, with their defaults. */

export const BASELINE_SEVERITIES = ['fail', 'degrade', 'ignore'] as const;
export type BaselineSeverity = (typeof BASELINE_SEVERITIES)[number];

export const BASELINE_TLS_VERSIONS = ['TLS1.2', 'TLS1.3'] as const;
export type BaselineTlsVersion = (typeof BASELINE_TLS_VERSIONS)[number];

/** Bounds of a key size, in bits of RSA. */
export const BASELINE_KEY_BITS = { minimum: 1024, maximum: 16_384 } as const;

interface RuleDefaults {
  readonly severity: BaselineSeverity;
  readonly value?: BaselineTlsVersion | number;
}

export const BASELINE_RULES = {
  minTLSVersion: { value: 'TLS1.2', severity: 'fail' },
  minKeySizeBits: { value: 2048, severity: 'fail' },
  weakSignatureAlgorithm: { severity: 'fail' },
  weakCipherSuite: { severity: 'fail' },
  knownBadCA: { severity: 'fail' },
  recommendedTLSVersion: { value: 'TLS1.3', severity: 'ignore' },
  recommendedKeySizeBits: { value: 3072, severity: 'ignore' },
  ocspMustStapleRespected: { severity: 'ignore' },
  sctPresent: { severity: 'ignore' },
} as const satisfies Readonly<Record<string, RuleDefaults>>;

export type BaselineRule = keyof typeof BASELINE_RULES;
export const BASELINE_RULE_NAMES = Object.keys(BASELINE_RULES) as readonly BaselineRule[];

/** The value of a rule: a TLS version, a key size, or nothing. */
type ValueOf<R extends BaselineRule> = (typeof BASELINE_RULES)[R] extends { readonly value: infer V }
  ? { readonly value?: V extends number ? number : BaselineTlsVersion }
  : unknown;

/** The security baseline as a check contains it. */
export type SecurityBaseline = { readonly enabled?: boolean } & {
  readonly [R in BaselineRule]?: { readonly severity?: BaselineSeverity } & ValueOf<R>;
};
