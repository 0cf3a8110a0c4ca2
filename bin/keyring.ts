/**
 * Speaks with the system's keyring for sonde, as a process of its own: one request as JSON on stdin, one answer as JSON on
 * stdout. See src/profiles/keyring.ts.
 */
import { text } from 'node:stream/consumers';
import type { KeyringRequest, KeyringResponse } from '../src/profiles/keyring.ts';

/** Never the kernel's own keys, which the library would fall back on: they are gone after the next start. */
const STORE = { linux: { store: 'secret-service' } } as const;

async function main(): Promise<void> {
  const request = JSON.parse(await text(process.stdin)) as KeyringRequest;
  const answer = await answerTo(request).catch(
    (error: NodeJS.ErrnoException): KeyringResponse => ({ problem: problemOf(error) }),
  );
  process.stdout.write(JSON.stringify(answer), () => process.exit());
}

async function answerTo({ action, service, user, key }: KeyringRequest): Promise<KeyringResponse> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  const entry = new AsyncEntry(service, user, STORE);
  if (action === 'get') return { key: await entry.getPassword() };
  if (action === 'remove') await entry.deleteCredential();
  else if (key !== undefined) await entry.setPassword(key);
  return { key: null };
}

/** In words of ours where we know them. The library's never hold the key. */
function problemOf({ message, code }: NodeJS.ErrnoException): string {
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND' || /native binding/.test(message)) {
    return 'the optional dependency @napi-rs/keyring is not installed';
  }
  if (/prompt was dismissed|locked/i.test(message)) return 'the keyring is locked';
  if (/DBus error/.test(message)) return 'no keyring service is available on this machine';
  return message;
}

void main();
