/** `sonde quickstart` with a name and a name server of the user's. */
import { expect, test } from 'vitest';
import { startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { openShell } from '../support/shell.ts';

test('it checks the name that it is given, on the name server that it is given', async () => {
  const nameServer = await startLoopbackNameServer({
    records: { 'a.example': [{ type: 'A', data: '192.0.2.9' }] },
  });
  const shell = openShell();
  const server = `${nameServer.address}:${nameServer.port}`;
  const { code, stderr } = await shell.run(`sonde quickstart --domain a.example --name-server ${server}`);
  await Promise.all([nameServer.close(), shell.close()]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('--query a.example');
});
