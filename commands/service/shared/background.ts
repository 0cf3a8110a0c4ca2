/** Starts the embedded service in the background, and waits until it listens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NetworkError, UsageError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { makeFolder } from '../../../src/base/files.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { kebabCase } from '../../../src/cli/framework/request-fields.ts';
import { browserWarning, findBrowserProblem } from '../../../src/cli/local-service/browser.ts';
import { findRunningService } from '../../../src/cli/local-service/data-folder.ts';
import { withoutKey } from '../../../src/profiles/key-host.ts';
import { reportNetwork } from './report-network.ts';

/** Time for the service to listen, in ms. It is long, because a service that exits is noticed at once. */
const READY_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 100;

/** The value of an option. False and undefined: not given. */
type OptionValue = string | number | boolean | readonly string[] | undefined;

function toArguments([name, value]: readonly [string, OptionValue]): readonly string[] {
  const flag = `--${kebabCase(name)}`;
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  return [value].flat().flatMap((one) => [flag, String(one)]);
}

/** Prints the profile of the running service, and a first command. */
async function reportProfile({ terminal, env, home }: Deps, url: string, folder: string): Promise<void> {
  const { listProfiles } = await import('../../../src/profiles/store.ts');
  const { profiles, current } = listProfiles({ env, home, warn: (text) => void terminal.warn(text) });
  // Other services may have used the same URL before.
  const sameUrl = [...profiles].filter(([, { baseUrl }]) => baseUrl === url);
  const [name] = sameUrl.find(([, { dataFolder }]) => dataFolder === folder) ?? sameUrl[0] ?? [];
  if (name === undefined) return;
  const choose = current === name ? '.' : `; to select it, run: sonde profiles use ${name}`;
  await terminal.note(`Profile "${name}" is for this service${choose}`);
  if (terminal.stderrIsTTY) await terminal.note('To create a first check, run:\n  sonde checks create-dns');
}

/**
 * Starts `sonde service start` as a separate process, and resolves when it listens. Throws UsageError or NetworkError with its
 * output if it does not.
 */
export async function startInBackground(
  deps: Deps,
  folder: string,
  options: Readonly<Record<string, OptionValue>>,
): Promise<void> {
  const { terminal, self, env, cwd, clock, signal } = deps;
  const already = await findRunningService(folder);
  if (already)
    return terminal.note(
      `The service is already running on ${already.record.url} (pid ${already.record.pid}).`,
    );
  makeFolder(folder);
  const logFile = join(folder, 'service.log');
  const log = await open(logFile, 'a', 0o600);
  const from = (await log.stat()).size;
  const words = ['service', 'start', ...Object.entries(options).flatMap(toArguments)];
  const child = spawn(self.execPath, [self.script, ...words], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: withoutKey(env),
    cwd,
  });
  let ended: { readonly why: string; readonly code?: number | null } | undefined;
  child.once('error', (error) => {
    ended = { why: error.message };
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, by) => {
      ended = { why: by ?? `exit code ${code}`, code };
      resolve();
    });
  });
  const deadline = clock.monotonic() + READY_TIMEOUT_MS;
  try {
    for (;;) {
      const running = await findRunningService(folder);
      if (running && running.record.pid === child.pid) {
        await terminal.note(
          `The service is running on ${running.record.url} (pid ${child.pid}). Its log is ${logFile}.`,
        );
        await reportProfile(deps, running.record.url, folder);
        await reportNetwork(terminal, running.health);
        const problem = findBrowserProblem(running.health);
        if (problem !== undefined) await terminal.warn(browserWarning(problem));
        break;
      }
      if (ended !== undefined || clock.monotonic() > deadline) {
        const output = (await readFile(logFile)).subarray(from).toString('utf8').trim();
        throw startError(ended, output, logFile);
      }
      await clock.sleep(POLL_INTERVAL_MS, signal);
    }
  } catch (error) {
    if (ended === undefined) await stopChild(child, exited);
    throw error;
  } finally {
    await log.close();
  }
  child.unref();
}

/** Stops the service, which may still be starting, and waits until it no longer writes to its folder. */
async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}

/** Returns the error for a service that did not start, from its output if there is any. */
function startError(
  ended: { readonly why: string; readonly code?: number | null } | undefined,
  output: string,
  logFile: string,
): UsageError | NetworkError {
  if (ended?.code === EXIT.usage && output) {
    const [sentence = '', ...rest] = output.replace(/^Error: /, '').split('\n');
    return new UsageError(sentence, { hint: rest.join('\n') || undefined });
  }
  const sentence = ended
    ? `The service did not start (${ended.why})`
    : `The service was not ready within ${READY_TIMEOUT_MS / 1000} s`;
  return new NetworkError(sentence, {}, { hint: output || `see the log ${logFile}` });
}
