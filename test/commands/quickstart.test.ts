/** `sonde quickstart`: the main job from its first to its last line, and nothing left behind. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { pidsOf, procText } from '../../src/sandbox/procfs.ts';
import { bareInstallation } from '../support/bare-installation.ts';
import { bareEnv, watchSonde } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openShell, type Shell } from '../support/shell.ts';

let shell: Shell | undefined;
afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

test('it shows a check that passes, one that fails, and the gate’s exit code, and leaves nothing behind', async () => {
  shell = openShell();
  const { code, stdout, stderr } = await shell.run('sonde quickstart');
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^PASSED\tName resolves\teu-central-1\tPASSED\t/m);
  expect(stdout).toMatch(/^FAILED\tName has moved\tus-east-1\tFAILED\t/m);
  expect(stdout).toMatch(/TEXT_ANSWER/);
  expect(stderr).toContain('exit code 1');
  expect(stdout).toMatch(/^PASSED\tA customer can buy\t/m);
  expect(stderr).toContain('sonde service start --detach');
  expect(stderr).not.toContain('sonde browser install');
  expect(readdirSync(shell.temporary)).toEqual([]);
  expect(readdirSync(shell.home)).toEqual([]);
  const [, pid = ''] = /\(pid (\d+)\)/.exec(stderr) ?? [];
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});

test('without a browser it says how to get one, and goes well', async () => {
  shell = openShell();
  const binary = await bareInstallation();
  const line = `PATH=/nonexistent "${process.execPath}" "${binary}" quickstart`;
  const { code, stdout, stderr } = await shell.run(line);
  expect(code, stderr).toBe(0);
  expect(stdout).not.toContain('A customer can buy');
  expect(stderr).toContain(
    '7. A browser check needs a browser: no browser is installed; to install one, run: sonde browser install\n',
  );
  expect(readdirSync(shell.home)).toEqual([]);
});

/** Moments of the walk, by what its folder holds or what it has said. */
const MOMENTS: Readonly<Record<string, (folder: string, said: string) => boolean>> = {
  'as soon as it has a folder': () => true,
  'once it has begun to start the service': (folder) => existsSync(join(folder, 'data/sonde/service.log')),
  'once the service has begun to make its store': (folder) =>
    existsSync(join(folder, 'data/sonde/service.db')),
  'once the service listens': (folder) => existsSync(join(folder, 'data/sonde/service.json')),
  'while a check runs': (_, said) => said.includes('checks run --tag good'),
};

test.each(Object.keys(MOMENTS).map((moment, at) => [at % 2 === 0 ? 'SIGINT' : 'SIGTERM', moment] as const))(
  '%s %s leaves neither a file nor a process',
  async (signal, moment) => {
    const root = await temporaryFolder();
    const [home, temporary] = [join(root, 'home'), join(root, 'tmp')];
    for (const path of [home, temporary]) mkdirSync(path);
    const walk = watchSonde(['quickstart'], { env: bareEnv(home, { TMPDIR: temporary }) });
    const isTime = () => {
      const name = readdirSync(temporary).find((one) => one.startsWith('sonde-quickstart-'));
      return name !== undefined && MOMENTS[moment]?.(join(temporary, name), walk.stderr()) === true;
    };
    while (!isTime()) await new Promise((resolve) => setTimeout(resolve, 5));
    walk.child.kill(signal);
    const { code } = await walk.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
    expect(pidsOf().filter((pid) => procText(`/proc/${pid}/environ`)?.includes(root))).toEqual([]);
  },
);

test('npm start ends once the walk has cleaned up', async () => {
  const root = await temporaryFolder();
  const [home, temporary] = [join(root, 'home'), join(root, 'tmp')];
  for (const path of [home, temporary]) mkdirSync(path);
  const start = spawn(process.execPath, ['scripts/start.mjs'], { env: bareEnv(home, { TMPDIR: temporary }) });
  const ended = new Promise((resolve) => start.once('close', resolve));
  let said = '';
  for (const stream of [start.stdout, start.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  while (!said.includes('$ sonde service start')) await new Promise((resolve) => setTimeout(resolve, 5));
  start.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(readdirSync(temporary)).toEqual([]);
  expect(pidsOf().filter((pid) => procText(`/proc/${pid}/environ`)?.includes(root))).toEqual([]);
});

test('it checks the name that it is given, on the name server that it is given', async () => {
  const nameServer = await startLoopbackNameServer({
    records: { 'a.example': [{ type: 'A', data: '192.0.2.9' }] },
  });
  shell = openShell();
  const server = `${nameServer.address}:${nameServer.port}`;
  const { code, stderr } = await shell.run(`sonde quickstart --domain a.example --name-server ${server}`);
  await nameServer.close();
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('--query a.example');
});

test('a name that does not resolve ends it with the gate’s code, and says so', async () => {
  const nameServer = await startLoopbackNameServer({ records: {} });
  shell = openShell();
  const server = `${nameServer.address}:${nameServer.port}`;
  const { code, stderr } = await shell.run(`sonde quickstart --domain b.example --name-server ${server}`);
  await nameServer.close();
  expect(code).toBe(1);
  expect(stderr).toContain('was to end with 0 and ended with 1');
  expect(readdirSync(shell.temporary)).toEqual([]);
});

test('a name server without a domain is refused before anything starts', async () => {
  shell = openShell();
  const { code, stderr } = await shell.run('sonde quickstart --name-server 127.0.0.1');
  expect(code).toBe(2);
  expect(stderr).toContain('--domain');
});
