/** Asking a password manager for the key, by the command that the user's own file names. */
import { spawn } from 'node:child_process';
import { CredentialsError } from '../base/errors.ts';
import type { Environment } from './folders.ts';
import { type Secret, toSecret } from './secret.ts';

/** A person may have to touch a sensor; nobody waits longer than this (ms). */
const PATIENCE = 60_000;
const LONGEST_KEY = 64 * 1024;

export interface KeyCommand {
  /** Given to the shell as it stands. */
  readonly command: string;
  /** The profile that it belongs to, for messages. */
  readonly profile: string;
  readonly env: Environment;
  /** The working folder: the user's own, so that no project can put a program of the same name before the real one. */
  readonly cwd: string;
}

/**
 * Runs the command and takes what it prints, trimmed, as the key. Nothing that it prints is ever shown: not the key, and
 * not its complaints, which may hold it.
 *
 * @throws CredentialsError where it fails, prints nothing or no key, or takes longer than a minute
 */
export async function runKeyCommand({ command, profile, env, cwd }: KeyCommand): Promise<Secret> {
  const source = `the apiKeyCommand of the profile "${profile}"`;
  const hint = 'run the command in a shell to see what it says';
  const printed = await new Promise<string>((resolve, reject) => {
    const child = spawn(command, { shell: true, cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (what: string): void => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.kill('SIGKILL');
      reject(new CredentialsError(`${source} ${what}`, { hint }));
    };
    const timer = setTimeout(() => fail(`gave no key within ${PATIENCE / 1000} s`), PATIENCE);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > LONGEST_KEY) fail('printed more than a key');
      else chunks.push(chunk);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(`could not be run (${error.code ?? error.name})`),
    );
    child.on('close', (code, signal) => {
      if (code !== 0) fail(code === null ? `was ended by ${signal}` : `ended with ${code}`);
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8').trim());
    });
  });
  return toSecret(printed, source);
}
