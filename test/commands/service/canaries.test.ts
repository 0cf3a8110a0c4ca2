/** The canaries of `sonde service start`: refused on the command line, or used by the service that it starts. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { openShell, type Shell } from '../../support/shell.ts';

let shell: Shell;
beforeEach(() => {
  shell = openShell();
});
afterEach(() => shell.close());

describe('an invalid canary', () => {
  it.each([
    ['service start --canary example.com', {}, '--canary', 'example.com'],
    ['service start --detach --canary 192.0.2.1:443 --canary 192.0.2.1:0', {}, '--canary', '192.0.2.1:0'],
    ['service start', { SONDE_CANARIES: 'https://example.com/, a b:1' }, 'SONDE_CANARIES', 'a b:1'],
    [
      'service start',
      { SONDE_CANARIES: 'ftp://me:secret@a.example' },
      'SONDE_CANARIES',
      'ftp://***@a.example',
    ],
  ])('of sonde %s with %o is named, with an example', async (line, env, place, value) => {
    const { code, stdout, stderr } = await shell.run(`sonde ${line}`, env);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Error: ${place} must be a URL or host:port, not "${value}"\n`);
    expect(stderr).toContain('for example https://example.com/ or 192.0.2.1:443');
    expect(stderr).not.toContain('secret');
    expect((await shell.run('sonde service status || echo "exit $?"')).stdout).toBe('exit 6\n');
  });
});

describe('a canary', () => {
  /** Starts a service in the background, runs a check of a port where nothing listens, and returns the errors. */
  async function runCheck(words: string, env: Readonly<Record<string, string>> = {}) {
    const start = await shell.run(`sonde service start --detach ${words}`, env);
    expect(start.code, start.stderr).toBe(0);
    const create = `sonde checks create-tcp --name Shop --hostname 127.0.0.1 --port ${await freePort()}`;
    await shell.run(`${create} --frequency 1440 --set retryStrategy=null`);
    await shell.run('sonde checks run Shop || true');
    const { stdout } = await shell.run('sonde checks results Shop --jq ".[] | {hasErrors, errors}"');
    return JSON.parse(stdout) as { readonly hasErrors: boolean; readonly errors: readonly string[] };
  }

  it.each([
    { place: 'the flag', words: '--canary CLOSED', variable: 'b c' },
    { place: 'the variable', words: '', variable: 'CLOSED' },
  ])('of $place, without an answer, turns a failure into a monitor error', async ({ words, variable }) => {
    const name = `127.0.0.1:${await freePort()}`;
    const named = (text: string) => text.replace('CLOSED', name);
    const { hasErrors, errors } = await runCheck(named(words), { SONDE_CANARIES: named(variable) });
    expect(hasErrors).toBe(true);
    expect(errors[0]).toContain(`the network of this machine is down: no canary answers (${name})`);
    expect((await shell.run('sonde service status')).stdout).toMatch(/^uplink\tdown$/m);
  });

  it('with an answer leaves a failure to the target', async () => {
    const server = createServer((socket) => void socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { hasErrors, errors } = await runCheck(
      `--canary 127.0.0.1:${await freePort()} --canary 127.0.0.1:${port}`,
    );
    expect(hasErrors).toBe(false);
    expect(errors[0]).toContain('ECONNREFUSED');
    expect((await shell.run('sonde service status')).stdout).toMatch(/^uplink\tup$/m);
  });
});
