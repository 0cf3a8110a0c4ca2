/**
 * How long a command takes from its start to its end, as a ratio to a Node that does nothing: `npm run bench:startup [rounds]`.
 * All are run in turns, so that a busy machine slows all of them; the medians are compared.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const sonde = join(root, 'dist/sonde.cjs');
const rounds = Number(process.argv[2] ?? 21);
const home = await mkdtemp(join(tmpdir(), 'sonde-startup-'));
const env = { PATH: process.env.PATH, HOME: home };
const run = promisify(execFile);
const inHome = async (...args) => (await run(process.execPath, [sonde, ...args], { env, cwd: home })).stdout;

// A service of its own with a session that has ended; that nothing listens where the check asks is no matter here.
await inHome('service', 'start', '--detach', '--listen', '127.0.0.1:0', '--rate-limit', '1000000');
await inHome(
  'checks',
  'create-dns',
  '--name',
  'Bench',
  '--query',
  'a.example',
  '--name-server',
  '127.0.0.1',
  '--port',
  '9',
);
const ID = (await inHome('checks', 'run', '--all', '--no-wait')).trim();
await inHome('sessions', 'wait', ID, '--quiet').catch(() => {});

/** Each with the most that it may take, as a ratio to the first. */
const CASES = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'sonde --version', args: [sonde, '--version'], most: 1.3 },
  { name: 'sonde --help', args: [sonde, '--help'], most: 1.6 },
  {
    name: 'Tab behind --status',
    args: [sonde, '__complete', 'fish', '3', 'sessions', 'list', '--status', 'F'],
    most: 1.5,
  },
  { name: 'sonde sessions get --json', args: [sonde, 'sessions', 'get', ID, '--json'], most: 4 },
];

/** Milliseconds from start to end. */
function time(args) {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(process.execPath, args, { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.resume();
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.on('close', (code) => {
      if (code === 0) resolve(Number(process.hrtime.bigint() - started) / 1e6);
      else reject(new Error(`${args.join(' ')} ended with ${code}: ${said}`));
    });
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

for (const { args } of CASES) await time(args);
const times = new Map(CASES.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const { name, args } of CASES) times.get(name).push(await time(args));
}
await inHome('service', 'stop');
await rm(home, { recursive: true });

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} rounds, medians`,
);
const bare = median(times.get('node -e 0'));
let tooSlow = false;
for (const { name, most } of CASES) {
  const ms = median(times.get(name));
  const ratio = ms / bare;
  tooSlow ||= most !== undefined && ratio > most;
  const limit =
    most === undefined ? '' : `  (at most ${most.toFixed(1)}×)${ratio > most ? '  TOO SLOW' : ''}`;
  console.log(`${name.padEnd(28)} ${ms.toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)}×${limit}`);
}
process.exitCode = tooSlow ? 1 : 0;
