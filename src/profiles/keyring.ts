/**
 * Reads and saves keys in the system keyring: Secret Service on Linux, Keychain on macOS, Credential Manager on
 * Windows. A separate process accesses it (bin/keyring.ts): the library blocks its process, and a keyring may wait for
 * a person forever.
 */

import { spawn } from 'node:child_process';
import { createLinkedController } from '../base/abort.ts';
import { CredentialsError } from '../base/errors.ts';
import type { Environment } from './folders.ts';
import { type KeyHost, withoutKey } from './key-host.ts';
import { type Secret, toSecret } from './secret.ts';

/** Identifies a key. The base URL is part of it, so that no key is sent to another service. */
export interface KeyringEntry {
  readonly baseUrl: string;
  readonly profile: string;
}

export type KeyringHost = Pick<KeyHost, 'clock' | 'signal' | 'keyringProgram'> & {
  readonly env: Environment;
};

/** The request, as JSON on stdin: arguments and the environment of a process are not private. */
export interface KeyringRequest {
  readonly action: 'get' | 'set' | 'remove';
  readonly service: string;
  readonly user: string;
  readonly key?: string;
}

/** The response, as JSON on stdout. */
export type KeyringResponse = { readonly key: string | null } | { readonly problem: string };

/** Time allowed (ms) to unlock the keyring. */
const UNLOCK_TIMEOUT = 60_000;
/** Time allowed (ms) for the keyring to respond to a probe. */
const PROBE_TIMEOUT = 5_000;

/** Returns the service name of an entry, which keyring programs show. */
export const keyringService = (baseUrl: string): string => `sonde:${baseUrl}`;

/**
 * Returns the key of a profile.
 *
 * @throws CredentialsError if the keyring is unavailable, stays locked or has no such key; the reason of the signal
 */
export async function readKeyringKey(entry: KeyringEntry, host: KeyringHost): Promise<Secret> {
  const { baseUrl, profile } = entry;
  const answer = await callKeyring(entry, { action: 'get' }, host, UNLOCK_TIMEOUT);
  const loginCommand = `sonde login --base-url ${baseUrl} --profile ${profile}`;
  if ('problem' in answer) {
    throw new CredentialsError(
      `the key of profile "${profile}" is in the system keyring, which is not usable: ${answer.problem}`,
      {
        hint: `unlock or start the keyring and try again, or set SONDE_API_KEY; to save the key in a file, run: ${loginCommand} --no-keyring`,
      },
    );
  }
  if (answer.key === null) {
    throw new CredentialsError(`the system keyring has no key of profile "${profile}" for ${baseUrl}`, {
      hint: `to save the key again, run: ${loginCommand}`,
    });
  }
  return toSecret(answer.key, 'the system keyring');
}

/** Saves the key. Returns the problem if that fails; throws the reason of the signal. */
export async function saveKeyringKey(
  entry: KeyringEntry,
  key: Secret,
  host: KeyringHost,
): Promise<string | undefined> {
  const answer = await callKeyring(entry, { action: 'set', key: key.reveal() }, host, UNLOCK_TIMEOUT);
  return 'problem' in answer ? answer.problem : undefined;
}

/** Removes the key, if it exists. Returns the problem if removal is not certain; throws the reason of the signal. */
export async function removeKeyringKey(entry: KeyringEntry, host: KeyringHost): Promise<string | undefined> {
  const answer = await callKeyring(entry, { action: 'remove' }, host, UNLOCK_TIMEOUT);
  return 'problem' in answer ? answer.problem : undefined;
}

/** Returns whether the keyring is available and unlocked. Throws the reason of the signal. */
export async function isKeyringAvailable(entry: KeyringEntry, host: KeyringHost): Promise<boolean> {
  return 'key' in (await callKeyring(entry, { action: 'get' }, host, PROBE_TIMEOUT));
}

async function callKeyring(
  { baseUrl, profile }: KeyringEntry,
  request: Pick<KeyringRequest, 'action' | 'key'>,
  { clock, signal, keyringProgram: [execPath, script], env }: KeyringHost,
  timeoutMs: number,
): Promise<KeyringResponse> {
  signal.throwIfAborted();
  const waiting = createLinkedController(signal);
  const child = spawn(execPath, [script], { env: withoutKey(env), stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<KeyringResponse>((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('error', ({ message }) => resolve({ problem: message }));
    child.on('close', (code, by) =>
      resolve(parse(text) ?? { problem: `the keyring program exited (${by ?? code})` }),
    );
  });
  try {
    const timedOut = clock.sleep(timeoutMs, waiting.signal).then(
      (): KeyringResponse => ({ problem: `the keyring did not respond within ${timeoutMs / 1000} s` }),
      () => Promise.reject(signal.reason),
    );
    timedOut.catch(() => {});
    // A program that exits without reading is handled by `close`.
    child.stdin.on('error', () => {});
    const message: KeyringRequest = { ...request, service: keyringService(baseUrl), user: profile };
    child.stdin.end(JSON.stringify(message));
    return await Promise.race([ended, timedOut]);
  } finally {
    waiting.unlink();
    waiting.abort();
    child.kill('SIGKILL');
  }
}

function parse(text: string): KeyringResponse | undefined {
  try {
    return JSON.parse(text) as KeyringResponse;
  } catch {
    return undefined;
  }
}
