/** Installs and builds if needed, then runs the quickstart (`npm start`). */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const installed = join(root, 'node_modules/.package-lock.json');

/** Runs a program to its end. If it fails, prints the advice and ends this process. */
function run(program, args, advice, isDone = () => true) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status === 0 && isDone()) return;
  console.error(`\nError: ${error?.message ?? `"${[program, ...args].join(' ')}" failed`}\n\n${advice}`);
  process.exit(status || 1);
}

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`sonde needs Node 20 or newer; this is ${process.version}.`);
  process.exit(1);
}
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
// npm can end with 0 and without an installation ("Exit handler never called!").
if (!existsSync(installed)) {
  const advice =
    'Check the connection to the npm registry with: npm ping\nIf a proxy replaces certificates, set NODE_EXTRA_CA_CERTS to its CA file. Then run "npm start" again.';
  run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], advice, () => existsSync(installed));
}
run(process.execPath, ['scripts/build.mjs'], 'To install the dependencies again, run: npm ci');

// The quickstart cleans up after a signal, and this process waits for it. A terminal sends Ctrl-C to both.
const quickstart = spawn(process.execPath, ['dist/sonde.cjs', 'quickstart', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => quickstart.kill(signal));
quickstart.once('exit', (code) => {
  if (code === 0)
    console.error('\nIn this clone, type "npx sonde" instead of "sonde", or run "npm link" once.');
  process.exit(code ?? 1);
});
