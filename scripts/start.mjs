/** `npm start`: installs and builds where that is still to be done, then walks a new user through the main job. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a program to its end; a failure is the end of this one, too. */
function run(program, args) {
  const { status, error, signal } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(signal ? 1 : status);
}

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`sonde needs Node 20 or newer; this is ${process.version}.`);
  process.exit(1);
}
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
if (!existsSync(join(root, 'node_modules/.package-lock.json')))
  run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
run(process.execPath, ['scripts/build.mjs']);

// The walk cleans up after a signal: this process stays until that is done. A terminal sends Ctrl-C to both.
const walk = spawn(process.execPath, ['dist/sonde.cjs', 'quickstart', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => walk.kill(signal));
walk.once('exit', (code) => {
  if (code === 0)
    console.error('\nIn this clone, type "npx sonde" instead of "sonde", or run "npm link" once.');
  process.exit(code ?? 1);
});
