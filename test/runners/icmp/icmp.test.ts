/** ICMP checks: the system's ping against this machine and against nobody. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { ping } from '../../../src/runners/icmp/ping.ts';
import { type IcmpCheck, run } from '../../../src/runners/icmp/runner.ts';
import { createManualClock, patientClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { needs } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

beforeEach(needs('ping', 'iputils-ping'));

const check = (hostname: string, request: object = {}, rest: object = {}): IcmpCheck => ({
  ...rest,
  request: { hostname, pingCount: 3, ...request },
});

it.each(['127.0.0.1', '::1', '[::1]'])('counts what comes back from %s, and how soon', async (hostname) => {
  const outcome = await attempt(run, check(hostname));
  expect(outcome).toMatchObject({ hasFailures: false, hasErrors: false, isNetworkError: false });
  const { response, address } = outcome.details as {
    response: { latency: Record<string, number> };
    address: string;
  };
  expect(address).toBe(hostname.replace(/[[\]]/g, ''));
  expect(response).toMatchObject({ packetsSent: 3, packetsReceived: 3, packetLoss: 0 });
  const { min = 0, avg = 0, max = 0, stdDev = -1, jitter = -1 } = response.latency;
  expect(min).toBeGreaterThan(0);
  expect(avg).toBeGreaterThanOrEqual(min);
  expect(max).toBeGreaterThanOrEqual(avg);
  expect(stdDev).toBeGreaterThanOrEqual(0);
  expect(jitter).toBeGreaterThanOrEqual(0);
  expect(outcome.responseTime).toBe(avg);
});

it('judges latency and loss, and passes nothing that it cannot judge', async () => {
  const assertion = (source: string, comparison: string, target: string, property = '') => ({
    ...{ source, comparison, target, property },
  });
  const good = [
    assertion('LATENCY', 'LESS_THAN', '60000'),
    assertion('LATENCY', 'LESS_THAN', '60000', 'max'),
    assertion('LATENCY', 'LESS_THAN', '60000', 'stdDev'),
    assertion('PACKET_LOSS', 'EQUALS', '0'),
    assertion('JSON_RESPONSE', 'EQUALS', '2', '$.packetsReceived'),
  ];
  const passed = await attempt(run, check('127.0.0.1', { pingCount: 2, assertions: good }));
  expect(passed.errors).toEqual([]);
  const bad = [
    assertion('LATENCY', 'GREATER_THAN', '60000', 'min'),
    assertion('LATENCY', 'LESS_THAN', '1', 'median'),
    assertion('STATUS_CODE', 'EQUALS', '200'),
    assertion('LATENCY', 'LESS_THAN', '5', 'jitter'),
  ];
  const { errors } = await attempt(run, check('127.0.0.1', { pingCount: 1, assertions: bad }));
  expect(errors).toEqual([
    expect.stringMatching(/^LATENCY min GREATER_THAN "60000": was \d+(?:\.\d+)? ms$/),
    'LATENCY median LESS_THAN "1": LATENCY has no property median: use min, avg, max, stdDev, jitter',
    'STATUS_CODE EQUALS "200": unknown assertion source for ICMP checks: STATUS_CODE',
    'LATENCY jitter LESS_THAN "5": no packet was answered',
  ]);
});

it('fails for the network where nobody answers, and is told why where somebody says it', async () => {
  // Of no network at all: whether the machine has a way there or not, nobody answers.
  const outcome = await attempt(run, check('203.0.113.250', { pingCount: 1 }));
  expect(outcome).toMatchObject({
    hasFailures: true,
    hasErrors: false,
    isNetworkError: true,
    responseTime: null,
  });
  expect(outcome.errors[0]).toMatch(
    /^203\.0\.113\.250 (?:did not answer the packet|cannot be reached: Network is unreachable)/,
  );
  const turned = await attempt(run, check('203.0.113.250', { pingCount: 1 }, { shouldFail: true }));
  expect(turned.hasFailures).toBe(false);
  const unknown = await attempt(run, check('nobody.invalid'));
  expect(unknown).toMatchObject({ hasFailures: true, isNetworkError: true });
});

it('takes no option for a host, nor a name that leads to one', async () => {
  for (const hostname of ['-f', '--help', '-c 1 127.0.0.1', '127.0.0.1; id', '$(id)', ''])
    await expect(attempt(run, check(hostname))).rejects.toThrow('must be a host name or IP address');
  const lookup = async () => [{ address: '-f', family: 4 }];
  await expect(attempt(run, check('sly.test'), { lookup })).rejects.toThrow('is not an IP address');
});

it('contacts nobody whom policy denies, and sends no more packets than it may', async () => {
  await expect(attempt(run, check('127.0.0.1'), { denyAddress: () => 'a private network' })).rejects.toThrow(
    'the check is not allowed to contact 127.0.0.1 (a private network)',
  );
  for (const pingCount of [0, 51, 1.5])
    await expect(attempt(run, check('127.0.0.1', { pingCount }))).rejects.toThrow('from 1 to 50');
});

it('rejects with the reason of an abort', async () => {
  const stop = new AbortController();
  const running = attempt(run, check('127.0.0.1', { pingCount: 50 }), {}, stop.signal);
  stop.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

/** Runs a script in place of ping. The script may write its process ID to `$0.pid`. */
async function pingThat(script: string, count = 2, clock: Clock = patientClock) {
  const program = join(await temporaryFolder(), 'ping');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const stop = new AbortController();
  const deadline = { clock, signal: stop.signal, timeoutMs: 9000, remainingMs: () => 9000 };
  return {
    stop,
    pinged: ping('192.0.2.9', count, deadline, program),
    pid: () =>
      eventually(() => {
        const text = readFileSync(`${program}.pid`, 'utf8');
        expect(text).toMatch(/^\d+\n$/);
        return Number(text);
      }),
  };
}

it('leaves no ping behind where it is aborted', async () => {
  const { stop, pinged, pid } = await pingThat('echo $$ > $0.pid; exec sleep 600');
  const number = await pid();
  stop.abort(new Error('enough'));
  await expect(pinged).rejects.toThrow('enough');
  await eventually(() => expect(() => process.kill(number, 0)).toThrow('ESRCH'));
});

/** Returns the outcome of such a script. */
const says = async (script: string, count?: number) => (await pingThat(script, count)).pinged;

it('tells what this machine lacks from what the target does', async () => {
  const { signal } = new AbortController();
  const deadline = { clock: patientClock, signal, timeoutMs: 9000, remainingMs: () => 9000 };
  await expect(ping('192.0.2.9', 1, deadline, '/nowhere/ping')).rejects.toThrow(
    'ping is not installed: install it (Debian: apt-get install iputils-ping; Alpine: apk add iputils)',
  );
  await expect(says('echo "ping: socket: Operation not permitted" >&2; exit 2')).rejects.toThrow(
    'Operation not permitted: allow ordinary users to send pings, with sysctl net.ipv4.ping_group_range',
  );
  await expect(says('echo what?')).rejects.toThrow('the output of ping cannot be parsed: what?');
  const refused = await says('echo "ping: connect: Network is unreachable" >&2; exit 2');
  expect(refused.refusal).toBe('Network is unreachable');
});

it('reads lost, late and doubled packets, of either ping', async () => {
  const iputils = await says(
    `cat <<'END'
PING 192.0.2.9 (192.0.2.9) 56(84) bytes of data.
64 bytes from 192.0.2.9: icmp_seq=2 ttl=64 time=4.50 ms
64 bytes from 192.0.2.9: icmp_seq=1 ttl=64 time=204 ms
64 bytes from 192.0.2.9: icmp_seq=1 ttl=64 time=205 ms (DUP!)
From 192.0.2.1 icmp_seq=3 Destination Host Unreachable

--- 192.0.2.9 ping statistics ---
4 packets transmitted, 2 received, +1 duplicates, +1 errors, 50% packet loss, time 601ms
END
exit 1`,
    4,
  );
  expect(iputils).toEqual({
    refusal: '',
    echoes: { sent: 4, replies: [204, 4.5], errors: ['Destination Host Unreachable'], duplicates: 1 },
  });
  const busybox = await says(
    `printf '64 bytes from 192.0.2.9: seq=0 ttl=64 time=0.044 ms\\n\\n2 packets transmitted, 1 packets received, 50%% packet loss\\n'`,
  );
  expect(busybox.echoes).toMatchObject({ sent: 2, replies: [0.044] });
});

it('is told to stop where it does not end, and is then read', async () => {
  const clock = createManualClock();
  const { pinged, pid } = await pingThat(
    `trap 'echo "1 packets transmitted, 0 received, 100% packet loss"; exit 1' INT; echo $$ > $0.pid; while :; do sleep 0.05; done`,
    1,
    clock,
  );
  await pid();
  await clock.advance(2000);
  expect((await pinged).echoes).toMatchObject({ sent: 1, replies: [] });
});
