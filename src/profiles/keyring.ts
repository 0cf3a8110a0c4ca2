/**
 * Keys in the system keyring: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. A program of our
 * own speaks with it (bin/keyring.ts): the library waits for the keyring without letting go of its process, and a keyring
 * may wait for a person for ever.
 */
import { spawn } from 'node:child_process';
import { CredentialsError } from '../base/errors.ts';
import type { Environment } from './folders.ts';
import { type KeyHost, withoutKey } from './key-host.ts';
import { type Secret, toSecret } from './secret.ts';

/** Whose key: one that was saved for another address is another entry, so that no key goes where it wasn't meant to. */
export interface KeyringEntry {
  readonly baseUrl: string;
  readonly profile: string;
}

export type KeyringHost = Pick<KeyHost, 'clock' | 'signal' | 'keyringProgram'> & {
  readonly env: Environment;
};

/** What the program is told, as JSON on its stdin: neither arguments nor the environment of a process are private. */
export interface KeyringRequest {
  readonly action: 'get' | 'set' | 'remove';
  readonly service: string;
  readonly user: string;
  readonly key?: string;
}

/** What it answers, as JSON on its stdout. */
export type KeyringResponse = { readonly key: string | null } | { readonly problem: string };

/** How long (ms) a person may take to unlock it. */
const UNLOCK_TIMEOUT = 60_000;
/** How long (ms) a keyring may take to show that it is there. */
const PROBE_TIMEOUT = 5_000;

/** The name under which the keyring has it, for who looks there. */
export const keyringService = (baseUrl: string): string => `sonde:${baseUrl}`;

/**
 * The key of a profile.
 *
 * @throws CredentialsError where the keyring is not there, stays locked, or has no such key; the signal's reason
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

/** Puts the key there. Gives what is wrong where that cannot be done; throws the signal's reason. */
export async function saveKeyringKey(
  entry: KeyringEntry,
  key: Secret,
  host: KeyringHost,
): Promise<string | undefined> {
  const answer = await callKeyring(entry, { action: 'set', key: key.reveal() }, host, UNLOCK_TIMEOUT);
  return 'problem' in answer ? answer.problem : undefined;
}

/** Takes the key away, if it is there. Gives what is wrong where nobody can tell that it is gone; throws the signal's reason. */
export async function removeKeyringKey(entry: KeyringEntry, host: KeyringHost): Promise<string | undefined> {
  const answer = await callKeyring(entry, { action: 'remove' }, host, UNLOCK_TIMEOUT);
  return 'problem' in answer ? answer.problem : undefined;
}

/** Whether a keyring is there and open. Throws the signal's reason. */
export async function isKeyringAvailable(entry: KeyringEntry, host: KeyringHost): Promise<boolean> {
  return 'key' in (await callKeyring(entry, { action: 'get' }, host, PROBE_TIMEOUT));
}

async function callKeyring(
  { baseUrl, profile }: KeyringEntry,
  what: Pick<KeyringRequest, 'action' | 'key'>,
  { clock, signal, keyringProgram: [execPath, script], env }: KeyringHost,
  patience: number,
): Promise<KeyringResponse> {
  signal.throwIfAborted();
  const timer = new AbortController();
  const stop = (): void => timer.abort();
  signal.addEventListener('abort', stop, { once: true });
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
    const timedOut = clock.sleep(patience, timer.signal).then(
      (): KeyringResponse => ({ problem: `the keyring did not respond within ${patience / 1000} s` }),
      () => Promise.reject(signal.reason),
    );
    timedOut.catch(() => {});
    // Whoever ends without reading is heard by `close`.
    child.stdin.on('error', () => {});
    const request: KeyringRequest = { ...what, service: keyringService(baseUrl), user: profile };
    child.stdin.end(JSON.stringify(request));
    return await Promise.race([ended, timedOut]);
  } finally {
    signal.removeEventListener('abort', stop);
    timer.abort();
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
