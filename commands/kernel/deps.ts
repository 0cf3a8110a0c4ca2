/** What a command's `run` is handed: everything that it touches outside of itself, made on first use. */
import { readFile as readFileText } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import type { Client } from '../../src/client/index.ts';
import type { Endpoint, Input } from '../../src/contract/index.ts';
import { loadProfiles, type Resolution } from '../../src/profiles/resolve.ts';
import type { OutputOptions, Terminal } from '../../src/terminal/index.ts';
import { openClient, printRequests } from './connect.ts';
import type { Globals, Host } from './types.ts';

export interface Deps {
  readonly terminal: Terminal;
  /** The client for the profile that is chosen. Throws CredentialsError where there is none. One a process. */
  readonly client: () => Promise<Client>;
  /** Which service, key and account hold, and where each came from; nothing is refused for being absent. */
  readonly profiles: () => Promise<Resolution>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted with a CancelledError when the process is told to stop: hand it to everything that waits. */
  readonly signal: AbortSignal;
  readonly env: Host['env'];
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly version: string;
  /** For what must start sonde again: the program and the script of this process. */
  readonly self: Pick<Host, 'execPath' | 'script' | 'pid' | 'kill'>;
  /** A file by the name that the user gave. Throws UsageError where it cannot be read. */
  readonly readFile: (name: string) => Promise<string>;
  /** All of stdin, once. */
  readonly readStdin: () => Promise<string>;
  /** Prints requests as they would be sent: for commands whose `dryRun` is `own`. */
  readonly preview: <E extends Endpoint>(
    endpoint: E,
    inputs: readonly Input<E>[],
    output: OutputOptions,
  ) => Promise<void>;
}

/** A file by the name that the user gave, relative to the working folder. */
export async function readUserFile(cwd: string, name: string): Promise<string> {
  try {
    return await readFileText(resolve(cwd, name), 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EACCES: 'it may not be read',
      EISDIR: 'it is a folder',
    };
    throw new UsageError(`${name} cannot be read: ${reasons[code] ?? code}`, {
      cause,
      details: [{ place: name, message: reasons[code] ?? `cannot be read (${code})` }],
    });
  }
}

/** Reads all of stdin on the first call and gives the same text again. Throws UsageError where a person would have to type it. */
export function stdinReader(host: Pick<Host, 'stdin' | 'stdinIsTTY'>): () => Promise<string> {
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    if (host.stdinIsTTY) {
      throw new UsageError('stdin is a terminal: there is nothing to read', {
        hint: 'pipe it in: … | sonde …',
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of host.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\ufeff/, '');
  };
  return () => {
    reading ??= read();
    return reading;
  };
}

/** Makes the dependencies of one command from what the process handed in; `close` lets go of what was opened. */
export function makeDeps(
  host: Host,
  terminal: Terminal,
  globals: Globals,
  readStdin: () => Promise<string>,
): { readonly deps: Deps; readonly close: () => Promise<void> } {
  const profiles = once(async () => {
    const { profile, baseUrl, account } = globals;
    return loadProfiles({
      env: host.env,
      home: host.home,
      cwd: host.cwd,
      flags: { profile, baseUrl, account },
      warn: (message) => void terminal.warn(message),
    });
  });
  const { clock, random, signal, env, cwd, home, platform, version, execPath, script, pid, kill } = host;
  let opened: Client | undefined;
  const client = once(async () => {
    opened = openClient(await profiles(), host, terminal, globals);
    return opened;
  });
  const deps: Deps = {
    terminal,
    profiles,
    client,
    clock,
    random,
    signal,
    env,
    cwd,
    home,
    platform,
    version,
    self: { execPath, script, pid, kill },
    readFile: (name) => readUserFile(cwd, name),
    readStdin,
    preview: async (endpoint, inputs, output) =>
      printRequests(await profiles(), host, terminal, output, endpoint, inputs),
  };
  return { deps, close: async () => opened?.close() };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
