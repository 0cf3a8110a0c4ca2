/**
 * Accesses the system's keyring in a separate process: one JSON request on stdin, one JSON answer on stdout. See
 * src/profiles/keyring.ts.
 */
import { text } from 'node:stream/consumers';
import type { KeyringRequest, KeyringResponse } from '../src/profiles/keyring.ts';

/** Excludes the kernel keyring, the library's fallback, which is lost on reboot. */
const STORE = { linux: { store: 'secret-service' } } as const;

async function main(): Promise<void> {
  const request = JSON.parse(await text(process.stdin)) as KeyringRequest;
  const answer = await handleRequest(request).catch(
    (error: NodeJS.ErrnoException): KeyringResponse => ({ problem: describeProblem(error) }),
  );
  process.stdout.write(JSON.stringify(answer), () => process.exit());
}

async function handleRequest({ action, service, user, key }: KeyringRequest): Promise<KeyringResponse> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  const entry = new AsyncEntry(service, user, STORE);
  if (action === 'get') return { key: await entry.getPassword() };
  if (action === 'remove') await entry.deleteCredential();
  else if (key !== undefined) await entry.setPassword(key);
  return { key: null };
}

/** Describes known errors in our words. Messages of the library never contain the key. */
function describeProblem({ message, code }: NodeJS.ErrnoException): string {
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND' || /native binding/.test(message)) {
    return 'the optional dependency @napi-rs/keyring is not installed';
  }
  if (/prompt was dismissed|locked/i.test(message)) return 'the keyring is locked';
  if (/DBus error/.test(message)) return 'no keyring service is available on this machine';
  return message;
}

void main();
