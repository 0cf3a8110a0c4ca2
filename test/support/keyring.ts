/** A keyring of the system for one test: a message bus and GNOME's keyring on it, with nothing of the developer's own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { findProgram } from './needs.ts';

const run = promisify(execFile);
const SECRETS = 'org.freedesktop.secrets';
const ROOT = '/org/freedesktop/secrets';

export interface TestKeyring {
  /** What a command needs in its environment to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Locks it. There is nobody to unlock it again: who asks is refused. */
  lock(): Promise<void>;
  /** What it has under these attributes, as `secret-tool` finds it; empty where there is nothing. */
  lookUp(service: string, user: string): Promise<string>;
}

/** Opens a keyring, unlocked, in this home. It goes with its test. */
export async function openKeyring(home: string): Promise<TestKeyring> {
  const own = { PATH: process.env.PATH ?? '', HOME: home, XDG_RUNTIME_DIR: home };
  const bus = spawn(findProgram('dbus-daemon') ?? '', ['--session', '--nofork', '--print-address'], {
    env: own,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    bus.kill();
    await once(bus, 'exit');
  });
  const [address] = (await once(bus.stdout, 'data')) as [Buffer];
  const env = { XDG_RUNTIME_DIR: home, DBUS_SESSION_BUS_ADDRESS: address.toString().trim() };
  const options = { env: { ...own, ...env } };
  const starting = run('gnome-keyring-daemon', ['--unlock', '--components=secrets'], options);
  starting.child.stdin?.end('password of the test');
  await starting;
  return {
    env,
    async lock() {
      const path = `array:objpath:${ROOT}/collection/login`;
      const call = ['--session', '--print-reply', `--dest=${SECRETS}`, ROOT];
      await run('dbus-send', [...call, 'org.freedesktop.Secret.Service.Lock', path], options);
    },
    async lookUp(service, user) {
      const words = ['lookup', 'service', service, 'username', user];
      return (await run('secret-tool', words, options).catch(() => ({ stdout: '' }))).stdout;
    },
  };
}
