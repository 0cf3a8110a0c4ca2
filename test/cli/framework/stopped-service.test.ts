/** A service of this machine that does not run: every command says so at once, and how to start it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command as runChecks } from '../../../commands/checks/run.ts';
import { command as listSessions } from '../../../commands/sessions/list.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';

/** A home folder whose profile "local" leads to the address. */
async function homeAt(baseUrl: string, name = 'local'): Promise<string> {
  const home = await temporaryFolder();
  await mkdir(join(home, '.config/sonde'), { recursive: true });
  const profiles = { [name]: { baseUrl, apiKey: 'key-of-the-test' } };
  await writeFile(join(home, '.config/sonde/config.yaml'), JSON.stringify({ current: name, profiles }), {
    mode: 0o600,
  });
  return home;
}

it.each([
  ['lists', listSessions, []],
  ['starts sessions to wait for', runChecks, ['--all']],
])(
  'a command that %s fails at once, and names the command that starts the service',
  async (_, command, argv) => {
    const port = await freePort();
    const home = await homeAt(`http://127.0.0.1:${port}`);
    const { code, stderr } = await runLine(command, argv, { home });
    expect(code).toBe(6);
    expect(stderr).toBe(
      `Error: cannot connect to http://127.0.0.1:${port}: connection refused\n` +
        `to start the service, run: sonde service start --listen 127.0.0.1:${port}\n`,
    );
  },
);

it('of a profile that "service start" did not make is not said to be started by it', async () => {
  const home = await homeAt(`http://127.0.0.1:${await freePort()}`, 'tunnel');
  const { code, stderr } = await runLine(listSessions, [], { home });
  expect(code).toBe(6);
  expect(stderr).toContain('connection refused\ncheck that the service is running on this port');
  expect(stderr).not.toContain('service start');
});

it('is waited for as long as --retry-budget says', async () => {
  const env = serviceAt(`http://127.0.0.1:${await freePort()}`);
  const { code, stderr } = await runLine(listSessions, ['--retry-budget', '1s'], { env });
  expect(code).toBe(6);
  expect(stderr).toMatch(/retrying in/);
});
