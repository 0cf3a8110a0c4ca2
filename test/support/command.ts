/** Runs one command line in a test as the program does, with streams, files and an environment of the test's own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { Command, Host, Invocation } from '../../src/cli/framework/types.ts';
import { runCommand } from '../../src/cli/program/run-command.ts';
import { createTestTerminal, type TestTerminalOptions } from './terminal.ts';

export interface LineOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What stdin holds. */
  readonly input?: string;
  readonly isTTY?: TestTerminalOptions['isTTY'];
  readonly columns?: number;
  /** Files of the working folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Instead of a fresh folder. */
  readonly cwd?: string;
  readonly home?: string;
  /** The Node.js that the command starts; needed only by commands that start one. */
  readonly execPath?: string;
}

export interface LineOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A service that answers at `url`, as the environment of a command names it. */
export const serviceAt = (url: string): Readonly<Record<string, string>> => ({
  SONDE_BASE_URL: url,
  SONDE_API_KEY: 'key-of-the-test',
});

/** A folder of the test's own, removed after it. */
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sonde-command-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Makes what the process would hand in. */
export async function makeHost(argv: readonly string[], options: LineOptions = {}) {
  const { env = {}, input = '', isTTY, columns, files = {}, clock = systemClock } = options;
  const screen = createTestTerminal({
    env,
    input,
    clock,
    ...(isTTY === undefined ? {} : { isTTY }),
    ...(columns === undefined ? {} : { columns }),
  });
  const cwd = options.cwd ?? (await folder());
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const { stdin, stdout, stderr } = screen.terminal;
  const host: Host = {
    argv,
    env,
    stdin,
    stdinIsTTY: stdin.isTTY === true,
    stdout,
    stderr,
    cwd,
    home: options.home ?? cwd,
    platform: 'linux',
    version: '0.0.0-test',
    nodeVersion: 'v20.0.0',
    pid: 1,
    kill: () => {},
    execPath: options.execPath ?? '/usr/bin/node',
    script: '/opt/sonde/dist/sonde.cjs',
    clock,
    random: systemRandom,
    signal: options.signal ?? new AbortController().signal,
    crashed: new Promise<never>(() => {}),
    onLeave: () => {},
    onSecondStop: () => {},
    runBlocking: (work) => work(),
    usedKeys: new Set(),
    answers: [],
  };
  return { host, screen };
}

/** Runs the command against a line (without the command's name). */
export async function runLine(
  command: Command,
  argv: readonly string[],
  options: LineOptions = {},
  run: Command['run'] = command.run,
): Promise<LineOutcome> {
  const { host, screen } = await makeHost(argv, options);
  const code = await runCommand(command, host, run);
  return { code, stdout: screen.stdout(), stderr: screen.stderr() };
}

/** What `run` is given: by its author's types, or loosely where those are not known. */
type Given<C extends Command> = [Parameters<C['run']>[1]] extends [never]
  ? Invocation
  : Parameters<C['run']>[1];

/** What the command's `run` would be given for a line; undefined where the line was refused. Nothing is run or sent. */
export async function parseLine<C extends Command>(
  command: C,
  argv: readonly string[],
  options: LineOptions = {},
): Promise<LineOutcome & { readonly invocation: Given<C> | undefined }> {
  let invocation: Invocation | undefined;
  const outcome = await runLine(command, argv, options, async (_deps, given) => {
    invocation = given;
  });
  return { ...outcome, invocation: invocation as Given<C> | undefined };
}
