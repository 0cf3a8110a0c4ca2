/**
 * Shows a notice of a newer version once a day. A background process queries the registry for the next command, so that no
 * command waits. It never fails a command.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { dataFolders, userFilePath } from '../../../profiles/folders.ts';
import { readUserFile } from '../../../profiles/user-file.ts';
import type { Terminal } from '../../../terminal/index.ts';
import {
  findDueActions,
  type Release,
  readUpdateState,
  resolveRegistry,
  writeUpdateState,
} from '../../../updates/update-state.ts';
import type { Host } from '../../framework/types.ts';

/** The variables that the background process inherits to reach the registry; no keys. */
const PASSED_VARIABLES =
  /^(?:https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|path|systemroot|tmpdir|temp)$/i;

/** Shows the notice after a successful command in a terminal. */
export async function showUpdateNotice(host: Host, terminal: Terminal, release: Release): Promise<void> {
  const { env, home, clock, version } = host;
  const file = join(dataFolders(env, home).state, 'updates.json');
  const state = readUpdateState(file);
  const now = clock.now();
  const { shouldFetch, newVersion } = findDueActions(state, now, version);
  if (!shouldFetch && newVersion === undefined) return;
  if (!readUserFile(userFilePath(env, home), () => {}).updates) return;
  // The state is written first: if that fails, every command would query and notify again.
  writeUpdateState(file, {
    ...state,
    ...(shouldFetch ? { askedAt: now } : {}),
    ...(newVersion === undefined ? {} : { toldAt: now }),
  });
  if (shouldFetch) startUpdateCheck(host, release, file);
  if (newVersion === undefined) return;
  const { dim } = await terminal.styles('stderr');
  const sentence = `sonde ${newVersion} is available (installed: ${version}). To update, run: npm install -g ${release.name}. To disable this notice, set SONDE_NO_UPDATE_NOTIFIER=1`;
  await terminal.lines(sentence, dim);
}

function startUpdateCheck({ env, home, execPath, script }: Host, release: Release, file: string): void {
  const registry = resolveRegistry(release, env, home);
  if (registry === undefined) return;
  const folder = dirname(script);
  const args = [join(folder, 'update.cjs'), file, registry, release.name, release.repository];
  const child = spawn(execPath, args, {
    cwd: folder,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_VARIABLES.test(name))),
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
}
