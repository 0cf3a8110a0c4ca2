/**
 * Tells a person of a newer version, once a day, and has the registry asked behind their back's work: what a command finds
 * is what the one before had asked for, so that nobody ever waits. Never fails a command.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { dataFolders, userFilePath } from '../../../profiles/folders.ts';
import { readUserFile } from '../../../profiles/user-file.ts';
import type { Terminal } from '../../../terminal/index.ts';
import { type Release, registryOf } from '../../../updates/release.ts';
import { dueAt, readState, writeState } from '../../../updates/state.ts';
import type { Host } from '../../framework/types.ts';

/** What the asking process gets of the environment: how to reach a registry, and no key. */
const PASSED =
  /^(?:https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|path|systemroot|tmpdir|temp)$/i;

/** Called after a command that ended well, in a terminal. */
export async function noticeUpdates(host: Host, terminal: Terminal, release: Release): Promise<void> {
  const { env, home, clock, version } = host;
  const file = join(dataFolders(env, home).state, 'updates.json');
  const state = readState(file);
  const now = clock.now();
  const { ask, tell } = dueAt(state, now, version);
  if (!ask && tell === undefined) return;
  if (!(await readUserFile(userFilePath(env, home), () => {})).updates) return;
  // First: where it cannot be remembered, every command would ask and tell again.
  writeState(file, {
    ...state,
    ...(ask ? { askedAt: now } : {}),
    ...(tell === undefined ? {} : { toldAt: now }),
  });
  if (ask) askLater(host, release, file);
  if (tell === undefined) return;
  const { dim } = await terminal.styles('stderr');
  const sentence = `sonde ${tell} is available (installed: ${version}). To update, run: npm install -g ${release.name}. To disable this notice, set SONDE_NO_UPDATE_NOTIFIER=1`;
  await terminal.lines(sentence, dim);
}

function askLater({ env, home, execPath, script }: Host, release: Release, file: string): void {
  const registry = registryOf(release, env, home);
  if (registry === undefined) return;
  const folder = dirname(script);
  const words = [join(folder, 'update.cjs'), file, registry, release.name, release.repository];
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
  const child = spawn(execPath, words, {
    cwd: folder,
    env: passed,
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
}
