/** Programs of the system that some tests need: without one they are skipped, and `.ci/run` lets nothing be skipped. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The part of a test's context that matters here. */
interface Skippable {
  skip(note: string): void;
}

/** Where a program is: on the PATH, or where Debian has what it means for the superuser. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/**
 * What a test calls, or `beforeEach`, that needs a program: it skips the test, naming the reason, where there is none, and
 * fails it where SONDE_TEST_FORBID_SKIPS=1. `debian`: the package that has it there.
 */
export const needs =
  (program: string, debian = program) =>
  (context: Skippable): void => {
    if (findProgram(program) !== undefined) return;
    const reason = `${program} is not installed (Debian: apt-get install ${debian})`;
    if (process.env.SONDE_TEST_FORBID_SKIPS === '1') throw new Error(reason);
    context.skip(reason);
  };
