/** What the examples that run on a person's machine need there. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BINARY, type Env } from '../support/binary.ts';
import { needs } from '../support/needs.ts';
import type { Project } from './project.ts';

export const needsMake = needs('make');

/**
 * The environment of a project with `sonde` on the PATH: the built one, which tries nothing again, so that no test waits for a
 * service that is not there. `after` is shell that runs when sonde has ended.
 */
export function withSonde(
  { env, temporary }: Project,
  more: Env,
  after = '',
): Readonly<Record<string, string>> {
  const bin = join(temporary, 'bin');
  mkdirSync(bin, { recursive: true });
  const file = join(bin, 'sonde');
  const run = `'${process.execPath}' '${BINARY}' "$@" --retry-budget 0s`;
  // Where nothing comes after it, it is sonde itself that signals reach.
  writeFileSync(file, `#!/bin/sh\n${after === '' ? `exec ${run}` : `${run} || exit\n${after}`}\n`);
  chmodSync(file, 0o755);
  const all = { ...env, ...more, PATH: `${bin}${delimiter}${env.PATH}` };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
