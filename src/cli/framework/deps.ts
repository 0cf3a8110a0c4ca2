/** Makes what a command's `run` is handed. */
import { readFile as readBytes } from 'node:fs/promises';
import { resolve } from 'node:path';
import { unlessAborted } from '../../base/abort.ts';
import { UsageError } from '../../base/errors.ts';
import type { Client } from '../../client/index.ts';
import { loadProfiles } from '../../profiles/resolve.ts';
import type { Terminal } from '../../terminal/index.ts';
import { openClient, printRequests } from './open-client.ts';
import { keyHostOf } from './key-host.ts';
import type { Deps, Globals, Host } from './types.ts';

/** Text without its byte order mark. Throws UsageError for anything but UTF-8: it would be sent with its letters lost. */
function textOf(bytes: Uint8Array, name: string): string {
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

/** A file by the name that the user gave, relative to the working folder. */
export async function readUserFile(cwd: string, name: string): Promise<string> {
  try {
    return textOf(await readBytes(resolve(cwd, name)), name);
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

/** Reads all of stdin on the first call and gives the same text again. Throws UsageError where a person would have to type it. */
export function stdinReader(host: Pick<Host, 'stdin' | 'stdinIsTTY' | 'signal'>): () => Promise<string> {
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    if (host.stdinIsTTY) {
      throw new UsageError('stdin is a terminal and has no input', {
        hint: 'pipe the input: … | sonde …',
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of host.stdin) chunks.push(Buffer.from(chunk));
    return textOf(Buffer.concat(chunks), 'stdin');
  };
  return () => {
    // Whoever writes to it may take for ever.
    reading ??= unlessAborted(read(), host.signal);
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
  const keyHost = keyHostOf(host, terminal);
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
  const {
    clock,
    random,
    signal,
    usedKeys,
    answers,
    env,
    cwd,
    home,
    platform,
    version,
    execPath,
    script,
    pid,
    kill,
  } = host;
  const { onHurry, nodeVersion } = host;
  let opened: Client | undefined;
  const client = once(async () => {
    opened = openClient(await profiles(), host, terminal, globals);
    return opened;
  });
  const deps: Deps = {
    terminal,
    profiles,
    keyHost,
    client,
    clock,
    random,
    signal,
    usedKeys,
    answers,
    env,
    cwd,
    home,
    platform,
    version,
    self: { execPath, script, pid, kill, onHurry, platform, nodeVersion },
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
