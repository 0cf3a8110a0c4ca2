/** The embedded service as a process in the background: it is started, looked for until it listens, and heard where it does not. */
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NetworkError, UsageError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { makeFolder } from '../../../src/base/folder.ts';
import { kebab } from '../../../src/cli/framework/body-flags.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { browserWarning, findBrowserProblem } from '../../../src/cli/local-service/browser.ts';
import { findRunningService } from '../../../src/cli/local-service/data-folder.ts';
import { withoutKey } from '../../../src/profiles/key-host.ts';
import { reportNetwork } from './network.ts';

/** How long the service may take until it listens, in ms: enough for a busy machine, as a service that ends is noticed at once. */
const READY_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 100;

/** What an option was given; false and undefined: nothing. */
type OptionValue = string | number | boolean | readonly string[] | undefined;

/** An option as it is typed. */
function toArguments([name, given]: readonly [string, OptionValue]): readonly string[] {
  const flag = `--${kebab(name)}`;
  if (given === undefined || given === false) return [];
  if (given === true) return [flag];
  return [given].flat().flatMap((one) => [flag, String(one)]);
}

/** Says which profile leads to the service that runs now, and what to begin with. */
async function reportProfile({ terminal, env, home }: Deps, url: string, folder: string): Promise<void> {
  const { listProfiles } = await import('../../../src/profiles/store.ts');
  const { profiles, current } = await listProfiles({ env, home, warn: (text) => void terminal.warn(text) });
  // Services over other folders may have listened there, too.
  const there = [...profiles].filter(([, { baseUrl }]) => baseUrl === url);
  const [name] = there.find(([, { dataFolder }]) => dataFolder === folder) ?? there[0] ?? [];
  if (name === undefined) return;
  const choose = current === name ? '.' : `; to select it, run: sonde profiles use ${name}`;
  await terminal.note(`Profile "${name}" is for this service${choose}`);
  if (terminal.stderrIsTTY) await terminal.note('To create a first check, run:\n  sonde checks create-dns');
}

/**
 * Starts `sonde service start` with these options as a process of its own, and returns when that one listens. Throws UsageError
 * or NetworkError with its own words where it does not.
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
  const gone = new Promise<void>((resolve) => {
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
        const told = (await readFile(logFile)).subarray(from).toString('utf8').trim();
        throw startError(ended, told, logFile);
      }
      await clock.sleep(POLL_INTERVAL_MS, signal);
    }
  } catch (error) {
    if (ended === undefined) await stopChild(child, gone);
    throw error;
  } finally {
    await log.close();
  }
  child.unref();
}

/** Ends the service, whatever it is about: it may still be starting, and writes to its folder until it has ended. */
async function stopChild(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS);
  await gone;
  clearTimeout(late);
}

/** Why there is no service, in its own words where it said any. */
function startError(
  ended: { readonly why: string; readonly code?: number | null } | undefined,
  told: string,
  logFile: string,
): UsageError | NetworkError {
  if (ended?.code === EXIT.usage && told) {
    const [sentence = '', ...rest] = told.replace(/^Error: /, '').split('\n');
    return new UsageError(sentence, { hint: rest.join('\n') || undefined });
  }
  const sentence = ended
    ? `The service did not start (${ended.why})`
    : `The service was not ready within ${READY_TIMEOUT_MS / 1000} s`;
  return new NetworkError(sentence, {}, { hint: told || `see the log ${logFile}` });
}
