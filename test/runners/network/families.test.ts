/** IPv6 where there is none, and ping without being root: checks in surroundings of their own. */
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeEach, expect, it } from 'vitest';
import { hasIpv6 } from '../../../src/runners/network/addresses.ts';
import { told } from '../../sandbox/support.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { needs } from '../../support/needs.ts';

beforeEach(needs('ping', 'iputils-ping'));

/** Nobody's: no process and no file has it. */
const ORDINARY = 54_321;
const isRoot = process.getuid?.() === 0;

async function checks(command: readonly [string, ...string[]], options: object = {}): Promise<unknown> {
  const folder = await temporaryFolder();
  const host = join(folder, 'host.mjs');
  chmodSync(folder, 0o755);
  await build({
    entryPoints: ['test/runners/network/host.ts'],
    ...{ outfile: host, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
  });
  const [program, ...args] = command;
  const { out, err } = await told(
    spawn(program, [...args, process.execPath, host], { cwd: '/', ...options }),
  );
  return JSON.parse(out || JSON.stringify({ err }));
}

const fellBack = {
  errors: [],
  address: expect.stringMatching(/^127\.0\.0\.1(?::PORT)?$/),
  notes: ['IPv6 is not available: IPv4 was used'],
};

it.runIf(isRoot)('takes IPv4 where IPv6 is disabled, and blames no target for that', async () => {
  const setUp = 'ip link set lo up; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; exec "$@"';
  expect(await checks(['unshare', '-n', 'sh', '-c', setUp, 'sh'])).toEqual({
    ...{ url: fellBack, tcp: fellBack, icmp: fellBack },
    address: 'CannotRun: IPv6 is not available, and ::1 has no IPv4 address',
    pinged: expect.objectContaining({ errors: [] }),
  });
});

it('pings as an ordinary user', async () => {
  const user = isRoot ? { uid: ORDINARY, gid: ORDINARY } : {};
  expect(await checks(['env'], user)).toMatchObject({ pinged: { errors: [], address: '127.0.0.1' } });
});

it('has no IPv6 where there is none but on the loopback and on the link', () => {
  const of = (address: string, internal: boolean, family: 'IPv4' | 'IPv6' = 'IPv6') =>
    hasIpv6({ eth0: [{ address, internal, family, netmask: '', mac: '', cidr: null, scopeid: 0 } as never] });
  expect(of('2001:db8::1', false)).toBe(true);
  expect(of('::1', true)).toBe(false);
  expect(of('fe80::1', false)).toBe(false);
  expect(of('192.0.2.1', false, 'IPv4')).toBe(false);
});
