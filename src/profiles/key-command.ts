/** Gets the key from a password manager, with the command in the user's file. */

import { spawn } from 'node:child_process';
import { createLinkedController } from '../base/abort.ts';
import { CredentialsError } from '../base/errors.ts';
import type { Environment } from './folders.ts';
import { type KeyHost, withoutKey } from './key-host.ts';
import { type Secret, toSecret } from './secret.ts';

/** Time allowed for the command (ms). A person may have to touch a sensor. */
const TIMEOUT = 60_000;
const MAX_KEY_BYTES = 64 * 1024;
/** Shorter output is not a key. It is not redacted in messages, since it could occur in any word. */
const MIN_KEY_LENGTH = 8;
/** Time allowed (ms) for the end of stderr. A background process, such as an agent, may never close it. */
const STDERR_GRACE = 200;

export interface KeyCommand extends Omit<KeyHost, 'keyringProgram'> {
  /** Passed unchanged to the shell (`/bin/sh -c`, on Windows cmd.exe). */
  readonly command: string;
  /** The name of its profile, for messages. */
  readonly profile: string;
  readonly env: Environment;
  /** The working folder: the home folder, so that no project can substitute a program of the same name. */
  readonly cwd: string;
}

/** The output of one stream, up to a limit. */
interface CapturedStream {
  readonly text: () => string;
  readonly ended: Promise<void>;
}

/**
 * Runs the command and returns its trimmed stdout as the key. Stdout is never shown. Stderr is shown at once in an
 * interactive terminal (`touch your key`), else at the end, with the key redacted.
 *
 * @throws CredentialsError if it fails, prints no valid key, or takes longer than a minute; the reason of the signal
 */
export async function runKeyCommand(options: KeyCommand): Promise<Secret> {
  const { profile, clock, signal, isInteractive, show } = options;
  const source = `the apiKeyCommand of the profile "${profile}"`;
  signal.throwIfAborted();
  const waiting = createLinkedController(signal);
  const running = run(options, source);
  const { capturedStderr, capturedStdout } = running;
  try {
    const timeout = clock.sleep(TIMEOUT, waiting.signal).then(
      () => Promise.reject(commandError(source, `returned no key within ${TIMEOUT / 1000} s`)),
      () => Promise.reject(signal.reason),
    );
    timeout.catch(() => {});
    await Promise.race([running.ended, timeout]);
  } finally {
    waiting.unlink();
    waiting.abort();
    if (!signal.aborted) await Promise.race([capturedStderr.ended, clock.sleep(STDERR_GRACE)]);
    running.kill();
    const key = capturedStdout.text().trim();
    const message =
      key.length < MIN_KEY_LENGTH ? capturedStderr.text() : capturedStderr.text().replaceAll(key, '***');
    if (!isInteractive && message !== '') show(message.endsWith('\n') ? message : `${message}\n`);
  }
  return toSecret(capturedStdout.text().trim(), source);
}

function run({ command, env, cwd, isInteractive, show }: KeyCommand, source: string) {
  const child = spawn(command, {
    shell: true,
    cwd,
    env: withoutKey(env),
    // The command may read the keyboard, but not the data that is piped into sonde.
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
  });
  // The listeners are attached before any await, so that an immediate failure is not lost.
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
  const capturedStdout = captureStream(child.stdout);
  const capturedStderr = captureStream(child.stderr, isInteractive ? show : undefined);
  const kill = (): void => {
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill('SIGKILL');
  };
  return { ended, capturedStdout, capturedStderr, kill };
}

/** Captures a stream. Output longer than any key emits `overflow` and is discarded. */
function captureStream(stream: NodeJS.ReadableStream, onText?: (text: string) => void): CapturedStream {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    onText?.(chunk.toString('utf8'));
    size += chunk.length;
    if (size > MAX_KEY_BYTES) stream.emit('overflow');
    else chunks.push(chunk);
  });
  const ended = new Promise<void>((resolve) => stream.once('close', () => resolve()));
  return { text: () => Buffer.concat(chunks).toString('utf8'), ended };
}

const commandError = (source: string, problem: string): CredentialsError =>
  new CredentialsError(`${source} ${problem}`, {
    hint: 'run the command in your home folder to find the problem',
  });
