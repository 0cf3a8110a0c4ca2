/** Secrets that nobody declared: what looks like one is masked, and what does not is left alone. */
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../../src/runners/masking/scrub.ts';
import { createSecretDetector } from '../../../src/runners/masking/secret-detector.ts';

const letters = (count: number) => 'aB3dE5gH7j'.repeat(30).slice(0, count);
const KINDS: readonly (readonly [string, string])[] = [
  ['AWS access key', 'AKIAIOSFODNN7EXAMPLE'],
  ['GitHub token', `ghp_${letters(36)}`],
  ['GitHub token', `github_pat_${letters(40)}`],
  ['GitLab token', `glpat-${letters(20)}`],
  ['Google API key', `AIza${letters(35)}`],
  ['JSON Web Token', `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`],
  ['npm token', `npm_${letters(36)}`],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n-----END RSA PRIVATE KEY-----`],
  ['Slack token', `xoxb-${letters(24)}`],
  ['sonde key', `pl_${letters(43)}`],
  ['Stripe key', `sk_live_${letters(24)}`],
];

describe('what looks like a secret', () => {
  it.each(KINDS)('is masked, and counted as a %s', (kind, token) => {
    const detector = createSecretDetector();
    const scrub = createScrubber([], detector.mask);
    expect(scrub({ [`in a key ${token}`]: [`said "${token}", and so on`, 1, null] })).toEqual({
      'in a key ***': ['said "***", and so on', 1, null],
    });
    expect(detector.detected()).toEqual([{ kind, count: 1 }]);
  });

  it('is looked for besides what was declared', () => {
    const detector = createSecretDetector();
    expect(createScrubber(['hunter2'], detector.mask)(`hunter2 and ${KINDS[0]?.[1]}`)).toBe('*** and ***');
  });
});

it.each([
  'the quick brown fox',
  '0b2c4c1e-7a35-4b1e-9a51-3f1f5a2f7a01',
  'd41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e',
  'task_force_one, risk_live_and_let_live, desk_pl_anning',
  'https://example.com/eyJ.eyJ.x?AKIA=1&ghp_=2',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
])('leaves %s alone', (text) => {
  const detector = createSecretDetector();
  expect(detector.mask(text)).toBe(text);
  expect(detector.detected()).toEqual([]);
});

it('is through with a long text that begins like a secret again and again before the test is given up', () => {
  const detector = createSecretDetector();
  const text = `${'-----BEGIN PRIVATE KEY-----'.repeat(2000)}${'eyJaaaaaaaa.'.repeat(5000)}`;
  expect(detector.mask(text)).toContain('***');
});
