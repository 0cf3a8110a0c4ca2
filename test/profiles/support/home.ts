/** A user's home folder in a temporary place, with a project in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { ProfilesContext } from '../../../src/profiles/resolve.ts';

export interface Home {
  readonly home: string;
  readonly project: string;
  readonly userFile: string;
  readonly warnings: string[];
  write(path: string, text: string, mode?: number): string;
  writeUserFile(text: string): string;
  /** What a command would hand in, from within the project. */
  context(
    env?: Record<string, string>,
    flags?: NonNullable<ProfilesContext['flags']>,
    cwd?: string,
  ): ProfilesContext;
  /** What programs that have keys said for the person. */
  readonly said: string[];
}

export function makeHome(): Home {
  const home = mkdtempSync(join(tmpdir(), 'sonde-profiles-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'work', 'project');
  mkdirSync(project, { recursive: true });
  const userFile = join(home, '.config', 'sonde', 'config.yaml');
  const warnings: string[] = [];
  const said: string[] = [];
  const write = (path: string, text: string, mode = 0o600): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
    return path;
  };
  return {
    home,
    project,
    userFile,
    warnings,
    said,
    write,
    writeUserFile: (text) => write(userFile, text),
    context: (env = {}, flags = {}, cwd = project) => ({
      env: { PATH: '/usr/bin:/bin', ...env },
      home,
      cwd,
      flags,
      warn: (message) => warnings.push(message),
      host: {
        clock: systemClock,
        signal: new AbortController().signal,
        isInteractive: false,
        show: (text) => said.push(text),
        keyringProgram: [process.execPath, join(home, 'no-such-program.cjs')],
      },
    }),
  };
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}
