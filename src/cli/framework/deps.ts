/** Creates the dependencies that a command's `run` gets. */
import { readFile as readBytes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { raceWithAbort } from '../../base/abort.ts';
import { UsageError } from '../../base/errors.ts';
import type { Client } from '../../client/index.ts';
import type { KeyHost } from '../../profiles/key-host.ts';
import { loadProfiles } from '../../profiles/resolve.ts';
import { sanitizeBlock, type Terminal } from '../../terminal/index.ts';
import { openClient } from './open-client.ts';
import { printRequests } from './print-requests.ts';
import type { Deps, Globals, Host } from './types.ts';

/** Decodes text without its byte order mark. Throws UsageError unless it is UTF-8, because characters would be lost. */
function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const message = 'is not valid UTF-8';
    throw new UsageError(`${name} ${message}`, {
      cause,
      details: [{ place: name, message }],
      hint: 'save the file as UTF-8',
    });
  }
}

/** Reads a file by the name that the user gave, relative to the working folder. */
export async function readInputFile(cwd: string, name: string): Promise<string> {
  try {
    return decodeText(await readBytes(resolve(cwd, name)), name);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'no such file',
      EACCES: 'permission denied',
      EISDIR: 'it is a folder',
    };
    throw new UsageError(`cannot read ${name}: ${reasons[code] ?? code}`, {
      cause,
      details: [{ place: name, message: reasons[code] ?? `cannot be read (${code})` }],
    });
  }
}

/** Returns a function that reads stdin once and returns the same text again. It throws UsageError if stdin is a terminal. */
export function createStdinReader(
  host: Pick<Host, 'stdin' | 'stdinIsTTY' | 'signal'>,
): () => Promise<string> {
  const read = async (): Promise<string> => {
    if (host.stdinIsTTY) {
      throw new UsageError('stdin is a terminal and has no input', {
        hint: 'pipe the input: … | sonde …',
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of host.stdin) chunks.push(Buffer.from(chunk));
    return decodeText(Buffer.concat(chunks), 'stdin');
  };
  // The writer may never end.
  return once(() => raceWithAbort(read(), host.signal));
}

/** Returns access to password managers and the system keyring. The keyring program is next to our own. */
function createKeyHost({ clock, signal, execPath, script }: Host, terminal: Terminal): KeyHost {
  return {
    clock,
    signal,
    isInteractive: terminal.canAsk,
    show: (text) => void terminal.err(sanitizeBlock(text)),
    keyringProgram: [execPath, join(dirname(script), 'keyring.cjs')],
  };
}

/** Creates the dependencies of one command; `close` closes its client. */
export function makeDeps(
  host: Host,
  terminal: Terminal,
  globals: Globals,
  readStdin: () => Promise<string>,
): { readonly deps: Deps; readonly close: () => Promise<void> } {
  const keyHost = createKeyHost(host, terminal);
  const profiles = once(async () => {
    const { profile, baseUrl, account } = globals;
    return loadProfiles({
      env: host.env,
      home: host.home,
      cwd: host.cwd,
      flags: { profile, baseUrl, account },
      warn: (message) => void terminal.warn(message),
      host: keyHost,
    });
  });
  let opened: Client | undefined;
  const client = once(async () => {
    opened = openClient(await profiles(), host, terminal, globals);
    return opened;
  });
  const { execPath, script, pid, kill, onSecondStop, platform, nodeVersion } = host;
  const deps: Deps = {
    terminal,
    profiles,
    keyHost,
    client,
    clock: host.clock,
    random: host.random,
    signal: host.signal,
    usedKeys: host.usedKeys,
    answers: host.answers,
    env: host.env,
    cwd: host.cwd,
    home: host.home,
    platform,
    version: host.version,
    self: { execPath, script, pid, kill, onSecondStop, platform, nodeVersion },
    readFile: (name) => readInputFile(host.cwd, name),
    readStdin,
    preview: async (endpoint, inputs, output) =>
      printRequests(await profiles(), host, terminal, output, endpoint, inputs),
  };
  return { deps, close: async () => opened?.close() };
}

function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}
