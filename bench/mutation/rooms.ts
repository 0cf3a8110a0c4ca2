/** The mutated files, and the tests that must see the mutations: the cheap tests first. */
import { readdirSync } from 'node:fs';

export const SOURCES: readonly string[] = [
  'src/runners/core/conclude.ts',
  ...readdirSync('src/runners/assertions').map((file) => `src/runners/assertions/${file}`),
  'src/runners/http/url-evaluation.ts',
  ...['api', 'dns', 'icmp', 'ssl', 'tcp'].map((type) => `src/runners/${type}/evaluation.ts`),
];

export const TESTS: readonly string[] = [
  'test/runners/evaluations.test.ts',
  'test/runners/core/conclude.test.ts',
  'test/runners/{api,assertions,dns,http,icmp,ssl,tcp,tls}/*.test.ts',
];
