/** `sonde service start --detach`, `status` and `stop`: a service in the background, from its start to its end. */
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { writeRuntimeFile } from '../../../src/service/admin/runtime-file.ts';
import { bareInstallation } from '../../support/bare-installation.ts';
import { bareEnv, plain, sondeInTerminal } from '../../support/binary.ts';
import { openShell, type Shell } from '../../support/shell.ts';

let shell: Shell;
beforeEach(() => {
  shell = openShell();
});
afterEach(() => shell.close());

test('it starts once, tells how it is, keeps its data and its profile over a restart, and ends when told', async () => {
  const first = await shell.run('sonde service start --detach');
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toMatch(/^Profile "local" is for this service\.$/m);
  const status = JSON.parse((await shell.run('sonde service status --json')).stdout);
  expect(status).toMatchObject({ status: 'ok', folder: `${shell.home}/.local/share/sonde` });

  const again = await shell.run('sonde service start --detach');
  expect(again.stderr).toContain(`is already running on ${status.url} (pid ${status.pid})`);

  await shell.run('sonde checks create-dns --name kept --query a.example --no-activated');
  expect((await shell.run('sonde service stop')).stderr).toContain('Stopped the service');
  expect(() => process.kill(status.pid, 0)).toThrow('ESRCH');
  expect((await shell.run('sonde service status || echo "exit $?"')).stdout).toBe('exit 6\n');
  expect((await shell.run('sonde service stop')).code).toBe(0);

  await shell.run('sonde service start --detach');
  const { stdout, stderr } = await shell.run(
    "sonde api get /v1/checks --jq '.[].name'; sonde profiles list --fields profile",
  );
  expect(stdout, stderr).toBe('kept\nlocal\n');
});

test('a service without a browser says so, and how to get one, wherever a browser check is made', async () => {
  const none = 'no browser is installed; to install one, run: sonde browser install';
  const warning = `Warning: Browser checks cannot run: ${none}`;
  const line = `"${process.execPath}" "${await bareInstallation()}" service start --detach --listen 127.0.0.1:0`;
  const start = await shell.run(`PATH=/nonexistent ${line}`);
  expect(start.stderr).toContain(`${warning}\n`);
  const status = await shell.run('sonde service status');
  expect(status.stdout).toMatch(/^browser\tnone$/m);
  expect(status.stdout).toMatch(/^deliveries\twebhook, slack \(not configured: email, sms\)$/m);
  expect(status.stderr).toBe(`${warning}\n`);
  const { stdout } = await shell.run('sonde service status --json');
  expect(JSON.parse(stdout).browserChecks).toMatchObject({ problem: none });
  for (const line of [['create-browser'], ['create-playwright', '--project', '.']]) {
    const { screen } = await sondeInTerminal(['checks', ...line], {
      ...{ env: bareEnv(shell.home), columns: 200, keys: [['Name of the check:', '\x03']] },
    });
    expect(plain(screen)).toMatch(new RegExp(`^${warning}\\s+\\? Name of the check:`, 'm'));
  }
  await shell.run(`sonde checks create-browser --name Shop --script 'test' --tags shop --frequency 1440`);
  const run = await shell.run('sonde checks run --tag shop || echo "exit $?"');
  expect(run.stdout).toMatch(/exit 1\n$/);
  expect(run.stderr).toContain(none);
});

test('a port that is taken is refused in the service’s own words, also from the background', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { stdout, stderr } = await shell.run(
    `sonde service start --detach --listen 127.0.0.1:${port} || echo "exit $?"`,
  );
  taken.close();
  expect(stdout).toBe('exit 2\n');
  expect(stderr).toMatch(
    /^Error: The service cannot listen on 127\.0\.0\.1:\d+: the address is already in use$/m,
  );
  expect(stderr).toContain('--listen HOST:PORT');
});

test('where nothing could start, nothing is left running', async () => {
  const { code, stderr } = await shell.run('sonde service start --detach --listen 127.0.0.1:70000');
  expect(code).toBe(2);
  expect(stderr).toContain('--listen must be host:port');
});

test.each(['status', 'stop', 'backup'])(
  'a service that closes connections fails `service %s` with 6',
  async (name) => {
    const closing = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => closing.once('listening', resolve));
    onTestFinished(() => void closing.close());
    const { port } = closing.address() as { port: number };
    const record = { pid: process.pid, url: `http://127.0.0.1:${port}`, startedAt: '', version: '' };
    await writeRuntimeFile(`${shell.home}/.local/share/sonde`, record);
    const more = name === 'backup' ? [`${shell.folder}/copy.db`] : [];
    const { code, stdout, stderr } = await shell.run(['sonde service', name, ...more].join(' '));
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(`the service on ${record.url} (pid ${record.pid}) did not respond`);
  },
);
