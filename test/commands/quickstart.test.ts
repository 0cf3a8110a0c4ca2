import { readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { bareInstallation } from '../support/bare-installation.ts';
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
  expect(stderr).toMatch(
    /tour were at http:\/\/127\.0\.0\.1:\d+\/dashboards\/quickstart until now\. In a term/,
  );
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
    '7. Skip the browser check, which needs a browser: no browser is installed; to install one, run: sonde browser install\n',
  );
  expect(readdirSync(shell.home)).toEqual([]);
});

test('a name that does not resolve ends it with the gate’s code, and says so', async () => {
  const nameServer = await startLoopbackNameServer({ records: {} });
  shell = openShell();
  const server = `${nameServer.address}:${nameServer.port}`;
  const { code, stderr } = await shell.run(`sonde quickstart --domain b.example --name-server ${server}`);
  await nameServer.close();
  expect(code).toBe(1);
  expect(stderr).toContain('exited with 1; expected 0');
  expect(readdirSync(shell.temporary)).toEqual([]);
});

test('a name server without a domain is refused before anything starts', async () => {
  shell = openShell();
  const { code, stderr } = await shell.run('sonde quickstart --name-server 127.0.0.1');
  expect(code).toBe(2);
  expect(stderr).toContain('--domain');
});
