/** Runs the built commands in the process of the tests: a tenth of what a process for each of them costs. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ProcessHost, Program } from '../../src/cli/framework/host.ts';
import { resolveCommand } from '../../src/cli/framework/resolve-command.ts';
import { flagsWithValue, names } from '../../src/cli/generated/names.ts';
import { BINARY, type Ran, type RunOptions } from './binary.ts';
import { createTestTerminal } from './terminal.ts';

const require = createRequire(import.meta.url);

export interface InProcessOptions extends RunOptions {
  /** Whether the streams are a terminal, 80 columns wide. */
  readonly isTTY?: boolean;
}

/** Runs a command line to its end as the entry of the binary does. Returns its exit code and output. */
export async function sondeInProcess(
  args: readonly string[],
  { env, cwd, stdin = '', binary = BINARY, isTTY = false }: InProcessOptions,
): Promise<Ran> {
  const { name, rest } = resolveCommand(args, { names, flagsWithValue });
  const { terminal, ...screen } = createTestTerminal({ input: stdin, isTTY });
  const home = env.HOME ?? '/';
  const host: ProcessHost = {
    argv: name === undefined ? args : rest,
    env,
    stdin: terminal.stdin,
    stdinIsTTY: isTTY,
    stdout: terminal.stdout,
    stderr: terminal.stderr,
    cwd: cwd ?? home,
    home,
    platform: process.platform,
    version: '0.0.0-test',
    nodeVersion: process.version,
    pid: process.pid,
    kill: (pid, signal) => process.kill(pid, signal),
    execPath: process.execPath,
    script: binary,
    onStop: () => {},
    onSecondStop: () => {},
    onCrash: () => {},
    onLeave: () => {},
    runBlocking: (work) => work(),
  };
  const file = `${name?.replace(' ', '-') ?? '_root'}.cjs`;
  const program: Program = require(join(dirname(binary), 'commands', file));
  const code = await program.main(host);
  return { code, stdout: screen.stdout(), stderr: screen.stderr() };
}
