/** Asking a password manager for the key, by the command that the user's own file names. */
import { spawn } from 'node:child_process';
import { CredentialsError } from '../base/errors.ts';
import type { Environment } from './folders.ts';
import { type KeyHost, withoutKey } from './key-host.ts';
import { type Secret, toSecret } from './secret.ts';

/** A person may have to touch a sensor; nobody waits longer than this (ms). */
const TIMEOUT = 60_000;
const MAX_KEY_BYTES = 64 * 1024;
/** What is shorter is no key, and stands in many words. */
const MIN_KEY_LENGTH = 8;
/** How long (ms) its last words are waited for: what it leaves behind, an agent, may hold on to stderr for ever. */
const STDERR_GRACE = 200;

export interface KeyCommand extends Omit<KeyHost, 'keyringProgram'> {
  /** Given to the shell (`/bin/sh -c`, on Windows cmd.exe) as it stands. */
  readonly command: string;
  /** The profile that it belongs to, for messages. */
  readonly profile: string;
  readonly env: Environment;
  /** The working folder: the user's own, so that no project can put a program of the same name before the real one. */
  readonly cwd: string;
}

/** What came on one of its streams, up to a bound. */
interface CapturedStream {
  readonly text: () => string;
  readonly ended: Promise<void>;
}

/**
 * Runs the command and takes what it prints, trimmed, as the key. What it prints on stdout is never shown. What it says on
 * stderr is for the person: at once where one sits at the terminal (`touch your key`), else at its end, without the key.
 *
 * @throws CredentialsError where it fails, prints nothing or no key, or takes longer than a minute; the signal's reason
 */
export async function runKeyCommand(options: KeyCommand): Promise<Secret> {
  const { profile, clock, signal, isInteractive: isPersonThere, show } = options;
  const source = `the apiKeyCommand of the profile "${profile}"`;
  signal.throwIfAborted();
  const timer = new AbortController();
  const stop = (): void => timer.abort();
  signal.addEventListener('abort', stop, { once: true });
  const running = run(options, source);
  const { said: capturedStderr, printed: capturedStdout } = running;
  try {
    const timeout = clock.sleep(TIMEOUT, timer.signal).then(
      () => Promise.reject(commandError(source, `returned no key within ${TIMEOUT / 1000} s`)),
      () => Promise.reject(signal.reason),
    );
    timeout.catch(() => {});
    await Promise.race([running.ended, timeout]);
  } finally {
    signal.removeEventListener('abort', stop);
    timer.abort();
    if (!signal.aborted) await Promise.race([capturedStderr.ended, clock.sleep(STDERR_GRACE)]);
    running.kill();
    const key = capturedStdout.text().trim();
    const message = key.length < MIN_KEY_LENGTH ? capturedStderr.text() : capturedStderr.text().replaceAll(key, '***');
    if (!isPersonThere && message !== '') show(message.endsWith('\n') ? message : `${message}\n`);
  }
  return toSecret(capturedStdout.text().trim(), source);
}

function run({ command, env, cwd, isInteractive: isPersonThere, show }: KeyCommand, source: string) {
  const child = spawn(command, {
    shell: true,
    cwd,
    env: withoutKey(env),
    // What is piped into sonde is not the command's; a person's keys are.
    stdio: [isPersonThere ? 'inherit' : 'ignore', 'pipe', 'pipe'],
  });
  // Listened to before anything is awaited: what fails at once must find somebody.
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(commandError(source, `could not be run (${error.code ?? error.name})`)),
    );
    child.stdout.on('overflow', () => reject(commandError(source, 'printed more than a key')));
    child.on('exit', (code, by) => {
      if (code !== 0)
        reject(commandError(source, code === null ? `was terminated by ${by}` : `exited with ${code}`));
      else if (child.stdout.readableEnded) resolve();
      else child.stdout.once('end', resolve);
    });
  });
  ended.catch(() => {});
  const printed = captureStream(child.stdout);
  const said = captureStream(child.stderr, isPersonThere ? show : undefined);
  const kill = (): void => {
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill('SIGKILL');
  };
  return { ended, printed, said, kill };
}

/** Keeps what comes; of more than could be a key it tells by `overflow`, and keeps no more. */
function captureStream(stream: NodeJS.ReadableStream, at?: (text: string) => void): CapturedStream {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    at?.(chunk.toString('utf8'));
    size += chunk.length;
    if (size > MAX_KEY_BYTES) stream.emit('overflow');
    else chunks.push(chunk);
  });
  const ended = new Promise<void>((resolve) => stream.once('close', () => resolve()));
  return { text: () => Buffer.concat(chunks).toString('utf8'), ended };
}

const commandError = (source: string, what: string): CredentialsError =>
  new CredentialsError(`${source} ${what}`, {
    hint: 'run the command in your home folder to find the problem',
  });
