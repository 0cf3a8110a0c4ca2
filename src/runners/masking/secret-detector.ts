/** Detects undeclared secrets: tokens of well-known issuers, and private keys. */

/** The number of distinct secrets of a kind. */
export interface DetectedSecret {
  readonly kind: string;
  readonly count: number;
}

export interface SecretDetector {
  /** Masks detected secrets in a text. */
  readonly mask: (text: string) => string;
  /** Returns the secrets detected so far. */
  detected(): readonly DetectedSecret[];
}

/** Patterns with a distinctive prefix, because a long word alone is not a secret. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  'AWS access key': /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  'GitHub token': /\b(?:gh[oprsu]_[A-Za-z\d]{36,255}|github_pat_\w{22,255})\b/g,
  'GitLab token': /\bglpat-[\w-]{20,255}/g,
  'Google API key': /\bAIza[\w-]{35}\b/g,
  'JSON Web Token': /\beyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{8,2048}/g,
  'npm token': /\bnpm_[A-Za-z\d]{36}\b/g,
  'private key':
    /-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----[^-]{0,16384}(?:-----END (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----)?/g,
  'Slack token': /\bxox[abeoprs]-[\dA-Za-z-]{10,255}/g,
  'sonde key': /\b(?:sk|pl)_[\w-]{32,128}\b/g,
  'Stripe key': /\b[rs]k_(?:live|test)_[A-Za-z\d]{16,255}\b/g,
};
const MASK = '***';

/** Creates a detector that counts the secrets it masks. */
export function createSecretDetector(): SecretDetector {
  const secretsByKind = new Map<string, Set<string>>();
  return {
    mask(text) {
      let masked = text;
      for (const [kind, pattern] of Object.entries(PATTERNS))
        masked = masked.replace(pattern, (secret) => {
          secretsByKind.set(kind, (secretsByKind.get(kind) ?? new Set()).add(secret));
          return MASK;
        });
      return masked;
    },
    detected: () => [...secretsByKind].map(([kind, secrets]) => ({ kind, count: secrets.size })),
  };
}
