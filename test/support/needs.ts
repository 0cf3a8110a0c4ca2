/** Programs of the system that some tests need. Without them the tests are skipped, which `.ci/run` does not allow. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';

/** A program that is missing, and the Debian package that has it. */
export interface MissingProgram {
  readonly program: string;
  readonly debian: string;
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test was skipped; the summary of the skipped tests reads it. */
    missing?: MissingProgram;
  }
}

/** Returns the path of a program: on the PATH, or where Debian has what it means for the superuser. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Skips the test and records the reason. Throws instead if SONDE_TEST_FORBID_SKIPS=1. */
export function skip(context: TestContext, reason: string, missing?: MissingProgram): void {
  if (process.env.SONDE_TEST_FORBID_SKIPS === '1') throw new Error(reason);
  if (missing) context.task.meta.missing = missing;
  context.skip(reason);
}

/** Returns a check for a test or `beforeEach` that skips the test if a program is missing. `debian`: the package that has it. */
export const needs =
  (program: string, debian = program) =>
  (context: TestContext): void => {
    if (findProgram(program) !== undefined) return;
    const reason = `${program} is not installed (Debian: apt-get install ${debian})`;
    skip(context, reason, { program, debian });
  };
